#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The rule of scope=cpu, read by this machine's own udev: for its real first CPU, in a /run of its own.

bats_require_minimum_version 1.5.0
load helpers

RULE=79-cpufreq-resolve-boot.rules
CPU=/sys/devices/system/cpu/cpu0

setup() {
    grep -q '^MODALIAS=cpu:type:' "$CPU/uevent" || fail "this machine's CPUs have no MODALIAS: $(cat "$CPU/uevent")"
    machine
    put etc/modprobe.d/x.conf "options cpufreq_resolve scope=cpu"
}

# rule FIRST [MODALIAS]: as apply makes it where FIRST is the first CPU.
rule() {
    local cpus=$root/sys/devices/system/cpu
    rm -rf "$cpus"/cpu[0-9]* "$root/run/udev"
    put "sys/devices/system/cpu/present" "${1#cpu}"
    put "sys/devices/system/cpu/$1/uevent" "${2:-$(grep MODALIAS "$CPU/uevent")}"
    cli apply --root "$root"
    is "$status" 0
}

# udev ACTION EXIT: what udev would do on an event of cpu0; our program is one that ends with EXIT.
udev() {
    printf '#!/bin/sh\nexit %s\n' "$2" > "$BATS_TEST_TMPDIR/program"
    chmod +x "$BATS_TEST_TMPDIR/program"
    sed -i "s,PROGRAM==\"[^ ]* load\",PROGRAM==\"$BATS_TEST_TMPDIR/program load\"," "$root/run/udev/rules.d/$RULE"
    run unshare --mount --propagation unchanged sh -c '
        mount -t tmpfs tmpfs /run && mkdir -p /run/udev/rules.d /run/cpufreq-resolve &&
        cp "$1/run/udev/rules.d/"* /run/udev/rules.d/ && cp "$1/run/cpufreq-resolve/"* /run/cpufreq-resolve/ &&
        udevadm test --action="$2" /sys/devices/system/cpu/cpu0 2>&1
        umount /run' sh "$root" "$1"
    [[ $output == *"$RULE"* ]] || fail "udev did not read the rule:" "$output"
    [[ ! $output =~ $RULE:[0-9]+\ (Invalid|Failed|.*gnoring) ]] || fail "udev finds fault with the rule:" "$output"
}

# The commands that are queued, as udevadm of systemd 252 and of later ones lists them.
loads() {
    grep -E "^(run: '?| *RUN\{builtin\} *: *)kmod load" <<< "$output" || :
}

has_modalias() {
    grep -q '^ *\(E: \)\?MODALIAS=cpu:type:' <<< "$output"
}

@test "the first CPU's event: our program in the place of udev's own load" {
    rule cpu0
    udev add 0
    is "$(loads)" ""
    run ! has_modalias
}

@test "our program fails: udev loads as it always did" {
    rule cpu0
    udev add 1
    has "$(loads)" "kmod load"
    has_modalias
}

@test "what the rule imports is not there: udev loads as it always did" {
    rule cpu4711
    rm "$root/run/cpufreq-resolve/no-modalias"
    udev add 0
    has "$(loads)" "kmod load"
    has_modalias
}

@test "another CPU's event with that MODALIAS: nobody loads, whatever our program would say" {
    rule cpu4711
    udev add 1
    is "$(loads)" ""
    run ! has_modalias
}

@test "a CPU with another MODALIAS asks for itself" {
    rule cpu4711 "MODALIAS=cpu:type:x86,ven0000fam0006mod0055:feature:,0000"
    udev add 1
    has "$(loads)" "kmod load"
    has_modalias
}

@test "other events keep their MODALIAS" {
    rule cpu4711
    for action in change online offline; do
        udev "$action" 0
        has_modalias || fail "$action:" "$output"
    done
}
