#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# explain --predict on trees of a few files: what is said of what is not known.

load helpers.bash

setup() {
    root=$BATS_TEST_TMPDIR/root
    mkdir -p "$root/proc/sys/kernel" "$root/boot" "$root/etc/modules-load.d"
}

# processor VENDOR FAMILY MODEL FLAGS
processor() {
    printf 'processor\t: 0\nvendor_id\t: %s\ncpu family\t: %s\nmodel\t\t: %s\nstepping\t: 0\nflags\t\t: fpu %s\n\n' \
        "$1" "$2" "$3" "$4" > "$root/proc/cpuinfo"
}

# A Ryzen with CPPC for all CPUs, as of release $1.
ryzen() {
    processor AuthenticAMD 25 80 "hw_pstate cppc"
    echo "$1" > "$root/proc/sys/kernel/osrelease"
    mkdir -p "$root/sys/devices/system/cpu/cpu0/acpi_cppc"
    echo 0 > "$root/sys/devices/system/cpu/present"
    : > "$root/sys/devices/system/cpu/cpu0/uevent"
}

# An arm board whose compatible is the arguments; with a first CPU that has no operating points.
board() {
    base=$root/sys/firmware/devicetree/base
    printf 'processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n\n' > "$root/proc/cpuinfo"
    rm -rf "$base"
    mkdir -p "$base/cpus/cpu@0"
    printf '%s\0' "$@" > "$base/compatible"
}

predict() {
    try "$PROGRAM" explain --predict --json --root "$root"
    is "$status" 0
    driver=$(printf '%s' "$out" | sed -n 's/^ *"driver": \(.*\),$/\1/p')
    decided=$(printf '%s' "$out" | sed -n 's/^ *"decided": \(.*\),$/\1/p')
}

@test "without a command line no mode of amd_pstate is decided, and that is what is missing" {
    ryzen 6.8.7
    try "$PROGRAM" explain --predict --root "$root"
    has "$out" "prediction  depends: amd-pstate-epp or amd-pstate or "
    has "$out" "missing     amd_asked      amd_pstate=active, passive or guided on the kernel command line"
    has "$out" "missing     amd_disable    amd_pstate=disable on the kernel command line"
    has "$out" "assumed no  cpufreq_off    cpufreq.off= on the kernel command line"
    mkdir -p "$root/sys/firmware/acpi"
    echo 2 > "$root/sys/firmware/acpi/pm_profile"
    for word in active:amd-pstate-epp passive:amd-pstate guided:amd-pstate :amd-pstate-epp; do
        echo "ro amd_pstate=${word%%:*}" > "$root/proc/cmdline"
        predict
        is "$driver" "\"${word#*:}\"" "amd_pstate=${word%%:*}"
    done
}

@test "amd_pstate as a module is loaded by its name" {
    ryzen 5.19.0-28-generic
    echo CONFIG_X86_AMD_PSTATE=m > "$root/boot/config-5.19.0-28-generic"
    echo "ro initcall_blacklist=acpi_cpufreq_init" > "$root/proc/cmdline"
    predict
    is "$decided $driver" "true null"
    echo amd_pstate > "$root/etc/modules-load.d/x.conf"
    predict
    is "$driver" '"amd-pstate"'
    rm "$root/etc/modules-load.d/x.conf"
    echo "ro initcall_blacklist=acpi_cpufreq_init modules_load=amd_pstate" > "$root/proc/cmdline"
    predict
    is "$driver" '"amd-pstate"'
}

@test "without operating points cpufreq-dt binds only where a driver makes them" {
    for names in "cznic,turris-omnia marvell,armada385" "radxa,rock-5b rockchip,rk3588" "x starfive,jh7100" \
        "xunlong,orangepi-zero2 allwinner,sun50i-h616" "some,board some,soc"; do
        # shellcheck disable=SC2086
        board $names
        predict
        is "$decided $driver" "true null" "$names"
    done
    for names in "raspberrypi,4-model-b brcm,bcm2711" "x marvell,armada3720" "x nvidia,tegra210"; do
        # shellcheck disable=SC2086
        board $names
        predict
        is "$driver" '"cpufreq-dt"' "$names"
    done
    board radxa,rock-5b rockchip,rk3588
    : > "$base/cpus/cpu@0/operating-points-v2"
    predict
    is "$driver" '"cpufreq-dt"'
    # They are there although the table knows of none: what is there counts.
    board ti,j721e-evm ti,j721e
    : > "$base/cpus/cpu@0/operating-points-v2"
    predict
    is "$driver" '"cpufreq-dt"'
    # The drivers of single SoCs have their own ways.
    board google,tomato mediatek,mt8195
    predict
    is "$driver" '"mtk-cpufreq-hw"'
}

@test "cpuinfo with lines that end in CR LF says the same" {
    processor GenuineIntel 6 140 "est hwp hwp_epp"
    echo 6.1.0 > "$root/proc/sys/kernel/osrelease"
    echo ro > "$root/proc/cmdline"
    predict
    is "$driver" '"intel_pstate"'
    sed -i 's/$/\r/' "$root/proc/cpuinfo"
    before=$out
    predict
    is "$out" "$before"
}

@test "the modules of --scope=cpu cannot be told without an index, and which that is" {
    ryzen 6.8.7
    echo ro > "$root/proc/cmdline"
    try "$PROGRAM" explain --scope=cpu --root "$root"
    is "$status" 1
    is "$out" ""
    has "$err" "/usr/lib/modules/6.8.7: No such file or directory; expected the module indexes that depmod makes"
    rm "$root/proc/sys/kernel/osrelease"
    try "$PROGRAM" explain --scope=cpu --root "$root"
    is "$status" 1
    has "$err" "/proc/sys/kernel/osrelease: No such file or directory; expected the kernel's release"
}

@test "--predict and --scope=cpu do not go together" {
    try "$PROGRAM" explain --predict --scope=cpu --root "$root"
    is "$status" 2
    has "$err" "--predict does not go with --scope=cpu"
}

# alternatives: of what predict printed, in one line.
alternatives() {
    printf '%s' "$out" | tr -d ' \n' | sed 's/.*"alternatives":\[\([^]]*\)\].*/\1/'
}

@test "where next to nothing is known every driver that is possible is named, and none is left out" {
    processor AuthenticAMD 25 80 "hw_pstate cppc"
    predict
    is "$(alternatives)" '"amd-pstate-epp","amd-pstate","acpi-cpufreq"'
    has "$out" '"leaves_out_none": true'
    has "$out" '"amd_asked"'
    cli explain --predict --root "$root"
    has "$out" "left out    none, which would be one answer more"
    # ... and each fact that is given leaves fewer
    echo ro > "$root/proc/cmdline"
    echo 6.12.0 > "$root/proc/sys/kernel/osrelease"
    predict
    is "$(alternatives)" '"amd-pstate-epp","acpi-cpufreq",null'
    has "$out" '"leaves_out_none": false'
    rm -r "$root/proc"
    mkdir -p "$root/proc/sys/kernel" "$root/sys/class/dmi/id"
    processor GenuineIntel 6 85 ""
    sed -i /flags/d "$root/proc/cpuinfo"
    echo ro > "$root/proc/cmdline"
    echo 6.1.0 > "$root/proc/sys/kernel/osrelease"
    echo HPE > "$root/sys/class/dmi/id/sys_vendor"
    echo "ProLiant DL380 Gen10" > "$root/sys/class/dmi/id/product_name"
    predict
    is "$(alternatives)" '"intel_pstate","intel_cpufreq","acpi-cpufreq","pcc-cpufreq"'
}
