# SPDX-License-Identifier: GPL-2.0-or-later
#
# Short names for what people do here; the build itself is meson's.
BUILD = build
TOOLS = tests/tools

.PHONY: help all run check check-fast check-faults lint demo check-vm check-vm-faults check-long check-forecast check-kernel packages check-packages \
	truth fuzz bench bench-log fuzz-log coverage mutants clean

help:
	@echo "make run       build, and show what it decides here and on a machine of 1,536 CPUs"
	@echo "make check     all tests that fit into half an hour, VM boots among them"
	@echo "make check-fast  the same without the VM"
	@echo "make demo      boot a VM without and with us, and print the difference"
	@echo "make check-vm  the whole matrix of boots, then arm64 (hours); goes on where it was stopped"
	@echo "make check-vm-faults  boot a small machine with one fault after another, without and with us"
	@echo "make check-long  1,000 pairs of such boots drawn at random (hours); goes on where it was stopped"
	@echo "make check-forecast  hold the forecast of module loads against udev's log, in four VMs"
	@echo "make packages  build .deb and .rpm in clean roots, twice, and look for faults"
	@echo "make check-packages  install them into real systems, boot these, remove them, boot again (hours)"
	@echo "make check-kernel  the kernel patches: apply, build, boot (hours); goes on where it was stopped"
	@echo "make truth     hold the predictions against real machines of known driver"
	@echo "make fuzz      run each fuzzer for FUZZ_RUNS inputs (default 100000), print what it covered"
	@echo "make bench     measure, and fill docs/performance.md (hours, for the boots); BENCH=--sections=helper,size for a part"
	@echo "make bench-log read a log of a gibibyte: how long, and how much memory"
	@echo "make fuzz-log  fuzz the readers of logs and traces for ten minutes"
	@echo "make check-faults  let every system call and every allocation of apply and load fail in turn"
	@echo "make coverage  which lines and branches the tests go through (build-cov)"
	@echo "make mutants   break the source in one place at a time: does a test notice? MUTANTS=\"--sample 40\""
	@echo "make lint      static analysis alone"

all:
	@$(TOOLS)/install-packages build
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD)
	@ninja -C $(BUILD) --quiet

run: all
	@$(TOOLS)/install-packages run
	@tests/tools/show-run $(BUILD)

check: all
	@$(TOOLS)/install-packages run check vm kernel
	@tests/run-check all

check-fast: all
	@$(TOOLS)/install-packages run check
	@tests/run-check fast

check-faults: all
	@$(TOOLS)/install-packages run check
	@tests/run-check faults

coverage: all
	@$(TOOLS)/install-packages run check
	@tests/coverage/measure build-cov

# In a folder of its own: nothing may be built anew while it runs.
mutants:
	@$(TOOLS)/install-packages build run check
	@test -f build-mutants/build.ninja || meson setup build-mutants -Dtests=true
	@ninja -C build-mutants --quiet
	@tests/mutation/mutate $(MUTANTS) build-mutants

lint: all
	@$(TOOLS)/install-packages check
	@tests/run-check lint

truth: all
	@CPUFREQ_RESOLVE=$(CURDIR)/$(BUILD)/src/cpufreq-resolve tests/truth/run-truth

fuzz:
	@$(TOOLS)/install-packages build check
	@tests/fuzz/run-fuzz $(FUZZ_RUNS)

demo: all
	@$(TOOLS)/install-packages run vm
	@tests/vm/demo $(DEMO)

check-vm: all
	@$(TOOLS)/install-packages run vm arm64
	@tests/vm/matrix $(MATRIX); status=$$?; tests/vm/arm64 $(ARM64) && exit $$status

check-vm-faults: all
	@$(TOOLS)/install-packages run vm
	@tests/vm/pairs --faults --write

check-long: all
	@$(TOOLS)/install-packages run vm
	@tests/vm/pairs --count 1000 --seed $(or $(SEED),1) --write

check-forecast: all
	@$(TOOLS)/install-packages run vm
	@tests/vm/matrix --only 'forecast-*'

packages:
	@$(TOOLS)/install-packages package
	@tests/packages/build $(PACKAGES)

check-packages:
	@$(TOOLS)/install-packages package run vm
	@test -d build-packages/deb || tests/packages/build --once deb rpm
	@tests/packages/life
	@tests/packages/boot $(SYSTEMS)

check-kernel: all
	@$(TOOLS)/install-packages kernel
	@kernel-patches/everything

bench: all
	@$(TOOLS)/install-packages run check vm kernel
	@meson configure $(BUILD) -Dtests=true
	@ninja -C $(BUILD) --quiet all tests/faults/faulty-image
	@tests/bench/run --build $(BUILD) $(BENCH)

bench-log: all
	@tests/analyze/bench-log $(BUILD)/src/analyze/cpufreq-resolve-analyze

fuzz-log:
	@$(TOOLS)/install-packages build check
	@tests/fuzz/run-log 600

clean:
	rm -rf $(BUILD) build-asan build-fuzz build-cov build-mutants build-size
