#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The host's units, in a root of their own, read by systemd itself.

bats_require_minimum_version 1.5.0

UNITS="cpufreq-resolve.service cpufreq-resolve-late.service cpufreq-resolve-late.timer"

setup_file() {
    local source root
    source=$(cd "$BATS_TEST_DIRNAME/../../packaging/systemd" && pwd)
    export R=$BATS_FILE_TMPDIR/root
    root=$R/usr/lib/systemd
    mkdir -p "$root/system" "$root/system-preset" "$R"/usr/{bin,sbin} "$R/etc/systemd/system"
    ln -s usr/lib usr/bin usr/sbin "$R/"
    cp -r /usr/lib/systemd/system/. "$root/system/"
    # systemd looks whether the programs of all units are there.
    grep -rhoE '^Exec[A-Za-z]*=[-@:+!]*/[^ ]+' "$root/system" | sed 's/^[^/]*//' | sort -u | while read -r program; do
        mkdir -p "$R${program%/*}"
        install -m 755 /dev/null "$R$program"
    done
    install -m 755 /dev/null "$R/usr/bin/cpufreq-resolve"

    local unit
    for unit in cpufreq-resolve.service cpufreq-resolve-late.service; do
        sed 's,@BINDIR@,/usr/bin,' "$source/$unit.in" > "$root/system/$unit"
    done
    cp "$source/cpufreq-resolve-late.timer" "$root/system/"
    cp "$source/90-cpufreq-resolve.preset" "$root/system-preset/"
    # Where no preset speaks of a unit it would be enabled all the same.
    echo "disable *" > "$root/system-preset/99-nothing-else.preset"
    # shellcheck disable=SC2086 # a list
    systemctl -q --root="$R" preset $UNITS
}

setup() {
    export R=$BATS_FILE_TMPDIR/root
}

fail() {
    printf '%s\n' "$@" >&2
    return 1
}

# equal EXPECTED GOT
equal() {
    [[ $1 == "$2" ]] || fail "expected: $1" "got: $2"
}

# verify UNIT...: what systemd says of them and of all that they pull in.
verify() {
    run -0 systemd-analyze verify --man=no --root="$R" "$@"
}

# value KEY UNIT
value() {
    sed -n "s/^$1=//p" "$R/usr/lib/systemd/system/$2"
}

@test "the preset enables what starts at boot" {
    [[ -L $R/etc/systemd/system/sysinit.target.wants/cpufreq-resolve.service ]]
    [[ -L $R/etc/systemd/system/multi-user.target.wants/cpufreq-resolve-late.timer ]]
    # the service of the timer is started by that alone
    run -0 find "$R/etc/systemd/system" -name '*cpufreq-resolve-late.service'
    [[ -z $output ]]
}

@test "systemd finds no fault in the units, and no cycle in a boot with them" {
    # shellcheck disable=SC2086
    verify $UNITS
    [[ $output != *cpufreq-resolve* ]] || fail "$output"
    verify multi-user.target graphical.target sysinit.target timers.target
    [[ $output != *cpufreq-resolve* && $output != *cycle* ]] || fail "$output"
}

@test "that a cycle would be found" {
    mkdir "$R/etc/systemd/system/cpufreq-resolve.service.d"
    printf '[Unit]\nAfter=basic.target\n' > "$R/etc/systemd/system/cpufreq-resolve.service.d/cycle.conf"
    verify multi-user.target
    rm -r "$R/etc/systemd/system/cpufreq-resolve.service.d"
    [[ $output == *cycle* ]] || fail "$output"
}

@test "the host's unit is before all that asks for modules, and nothing waits for the late one" {
    local before unit
    before=" $(value Before cpufreq-resolve.service | tr '\n' ' ') "
    for unit in systemd-udevd.service systemd-udev-trigger.service systemd-modules-load.service sysinit.target; do
        [[ $before == *" $unit "* ]] || fail "not before $unit"
    done
    # Device nodes, and so most file systems, wait for udevd: whoever waits for them and is before it
    # never starts.
    [[ -z $(value After cpufreq-resolve.service) ]]
    [[ $(value Before cpufreq-resolve-late.timer) == shutdown.target ]]
    [[ -z $(value Before cpufreq-resolve-late.service) ]]
    run ! grep -r settle "$R"/usr/lib/systemd/system/cpufreq-resolve*
}

@test "a soft reboot stops what it is to start again" {
    # systemd-soft-reboot.service is after shutdown.target and stops no unit by itself; a unit that stays active is not
    # started by the next sysinit.target. /run stays as it is, and so do our files in it.
    local unit
    for unit in cpufreq-resolve.service cpufreq-resolve-late.timer; do
        [[ $(value Conflicts $unit) == shutdown.target ]] || fail "$unit"
        [[ " $(value Before $unit | tr '\n' ' ') " == *" shutdown.target "* ]] || fail "$unit"
    done
    equal yes "$(value RemainAfterExit cpufreq-resolve.service)"
    equal yes "$(value RuntimeDirectoryPreserve cpufreq-resolve.service)"
}

@test "what a container, a crash kernel and an initramfs have nothing to do with is not run there" {
    local unit
    for unit in cpufreq-resolve.service cpufreq-resolve-late.timer; do
        [[ $(value ConditionVirtualization $unit) == '!container' ]]
        [[ $(value ConditionCapability $unit) == CAP_SYS_MODULE ]]
    done
    run -0 value ConditionPathExists cpufreq-resolve.service
    [[ $output == *'!/etc/initrd-release'* && $output == *'!/proc/vmcore'* ]]
}

@test "unit of the host and unit of the image have the same limits" {
    local key image=$BATS_TEST_DIRNAME/../../dracut-module/50cpufreq-resolve/cpufreq-resolve-initrd.service
    for key in ExecStart TimeoutStartSec TimeoutStopSec RuntimeDirectory RuntimeDirectoryPreserve; do
        [[ -n $(value $key cpufreq-resolve.service) ]]
        [[ $(value $key cpufreq-resolve.service) == "$(sed -n "s/^$key=//p" "$image")" ]] || fail "$key"
    done
}
