#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What collect-machine.sh takes of a machine: enough for the same answer, and nothing that names it.

load helpers.bash

COLLECT=$BATS_TEST_DIRNAME/../tools/collect-machine.sh

# collect ROOT: unpacks what is taken of it below $BATS_TEST_TMPDIR/capture.
collect() {
    cd "$BATS_TEST_TMPDIR"
    try "$COLLECT" --root "$1" capture
    is "$status" 0
    rm -rf capture
    tar -xf capture.tar
}

@test "a capture leads to the same prediction as the machine" {
    for name in intel-hwp-laptop-6.12 amd-pstate-6.12 proliant-pcch-6.1 question-no-cpc guest-none-6.1 \
        arm64-cppc-in-charge powernow-k7-686; do
        root=$BATS_TEST_TMPDIR/$name
        "$TREE/tests/tools/make-machine" "$name" "$root"
        collect "$root"
        try "$PROGRAM" explain --predict --json --root "$root"
        here=$out
        try "$PROGRAM" explain --predict --json --root "$BATS_TEST_TMPDIR/capture"
        is "$out" "$here" "$name"
    done
}

@test "a capture has no serial number, host name, MAC or UUID" {
    root=$BATS_TEST_TMPDIR/named
    "$TREE/tests/tools/make-machine" intel-hwp-laptop-6.12 "$root"
    mkdir -p "$root/sys/class/dmi/id" "$root/etc/modprobe.d"
    for name in product_serial product_uuid board_serial chassis_asset_tag; do
        echo SECRET-dmi > "$root/sys/class/dmi/id/$name"
    done
    echo SECRET-host > "$root/etc/hostname"
    echo "ro root=UUID=SECRET-uuid ip=:::::eth0:SECRET-mac rd.luks.name=SECRET-luks intel_pstate=passive" \
        > "$root/proc/cmdline"
    printf 'Serial\t\t: SECRET-cpu\n' >> "$root/proc/cpuinfo"
    printf '# SECRET-comment\noptions wifi key=SECRET-key\nblacklist pcc_cpufreq\n' \
        > "$root/etc/modprobe.d/x.conf"
    echo 5a1e0000-0000-4000-8000-5EC2E7000000 > "$root/proc/sys/kernel/random/boot_id"
    collect "$root"
    try grep -rE 'SECRET|5EC2E7' "$BATS_TEST_TMPDIR/capture"
    is "$status" 1 "$out"
    # ... and what matters stays.
    has "$(cat "$BATS_TEST_TMPDIR/capture/proc/cmdline")" "intel_pstate=passive"
    is "$(sed -n 3p "$BATS_TEST_TMPDIR/capture/etc/modprobe.d/x.conf")" "blacklist pcc_cpufreq"
}

@test "a capture says what it could not read" {
    root=$BATS_TEST_TMPDIR/bare
    "$TREE/tests/tools/make-machine" guest-none-6.1 "$root"
    rm -rf "$root"/usr/lib/modules
    collect "$root"
    has "$out" "Missed"
    has "$out" "modules.dep.bin"
}

@test "a capture unpacks the kernel's configuration where /proc alone has it" {
    root=$BATS_TEST_TMPDIR/packed
    "$TREE/tests/tools/make-machine" amd-pstate-6.12 "$root"
    release=$(cat "$root/proc/sys/kernel/osrelease")
    rm -f "$root/boot/config-$release"
    printf 'CONFIG_X86_AMD_PSTATE_DEFAULT_MODE=1\nCONFIG_LOCALVERSION="-x"\n' | gzip -n > "$root/proc/config.gz"
    try "$PROGRAM" explain --predict --json --root "$root"
    here=$out
    collect "$root"
    is "$(cat "$BATS_TEST_TMPDIR/capture/boot/config-$release")" "CONFIG_X86_AMD_PSTATE_DEFAULT_MODE=1"
    try "$PROGRAM" explain --predict --json --root "$BATS_TEST_TMPDIR/capture"
    is "$out" "$here"
    has "$out" '"driver": "acpi-cpufreq"'
}
