#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The program for images does what the host's does, and has no other verbs.
# shellcheck disable=SC2154 # variables of the helpers

load helpers

# An installed one is where packages put it.
SMALL=$PROGRAM-image
[[ -x $SMALL ]] || SMALL=/usr/libexec/cpufreq-resolve/cpufreq-resolve-image

setup() {
    machine
}

# made NAME PROGRAM ARGUMENT...: run it on the machine as it was, keep what it said and wrote.
made() {
    local name=$1
    shift
    rm -rf "$root/run"
    mkdir "$root/run"
    [[ ! -d $BATS_TEST_TMPDIR/run ]] || cp -a "$BATS_TEST_TMPDIR/run/." "$root/run"
    try "$@" --root "$root"
    {
        printf 'exit %s\n' "$status"
        printf '%s\n-- stderr\n%s\n' "$out" "$err"
        (cd "$root" && find run -printf '%p %y %m\n' | LC_ALL=C sort)
        find "$root/run" -type f -exec sh -c 'echo "-- $1"; cat "$1"' sh {} \;
    } > "$BATS_TEST_TMPDIR/$name"
}

# same ARGUMENT...: both programs, and what came of it once more.
same() {
    made full "$PROGRAM" "$@"
    made small "$SMALL" "$@"
    diff "$BATS_TEST_TMPDIR/full" "$BATS_TEST_TMPDIR/small" >&2 || fail "they differ: $*"
    grep -q "${WORD-}" "$BATS_TEST_TMPDIR/small" || fail "no \"$WORD\":" "$(cat "$BATS_TEST_TMPDIR/small")"
}

# calls NAME PROGRAM ARGUMENT...: the system calls of both processes from the root on, without what is chance.
calls() {
    local name=$1 file
    shift
    rm -rf "$root/run" "$BATS_TEST_TMPDIR/trace".*
    strace -ff -qq -o "$BATS_TEST_TMPDIR/trace" "$@" --root "$root" 2> /dev/null
    for file in "$BATS_TEST_TMPDIR/trace".*; do
        sed -n "\|\"$root\", O_|,\$p" "$file" > "$file.part"
        [[ -s $file.part ]] || cp "$file" "$file.part"
        sed -E 's/0x[0-9a-f]+/ADDRESS/g; /^getrandom/d; /si_pid/d; s/^(clone|clone3|wait4)(\(.*)/\1/' "$file.part"
    done > "$BATS_TEST_TMPDIR/$name"
}

@test "apply says and writes the same" {
    WORD="acpi_cpufreq is to be asked for once" same apply
    WORD="would load acpi_cpufreq" same apply --dry-run
    WORD= same apply --quiet
    WORD="ATTEMPTS=" same apply --late
    put etc/modprobe.d/scope.conf "options cpufreq_resolve scope=cpu driver=powernow_k9 what=1"
    WORD="PROGRAM==\"/usr/bin/cpufreq-resolve load\"" same apply
    WORD="what=1: not understood" same apply
    put etc/initrd-release
    WORD="IMAGE_VERSION=" same apply
    put etc/modprobe.d/scope.conf "options cpufreq_resolve enable=0"
    WORD="switched off: enable=0" same apply
}

@test "a second run finds the same, too" {
    "$PROGRAM" apply --quiet --root "$root"
    cp -a "$root/run" "$BATS_TEST_TMPDIR/run"
    WORD="acpi_cpufreq" same apply --verbose --quiet
    mkdir -p "$root/sys/devices/system/cpu/cpufreq/policy0"
    put sys/devices/system/cpu/cpufreq/policy0/scaling_driver acpi-cpufreq
    WORD="acpi-cpufreq is in charge" same apply
}

@test "apply makes the same system calls" {
    command -v strace > /dev/null || fail "strace is not installed"
    calls full "$PROGRAM" apply
    calls small "$SMALL" apply
    [[ $(wc -l < "$BATS_TEST_TMPDIR/full") -gt 100 ]]
    grep -q 'cpuinfo' "$BATS_TEST_TMPDIR/small"
    diff "$BATS_TEST_TMPDIR/full" "$BATS_TEST_TMPDIR/small" >&2 || fail "they differ"
}

@test "load says the same" {
    local which
    for which in "$PROGRAM" "$SMALL"; do
        try "$which" load
        is "$status" 1 "$which"
        has "$err" "expected MODALIAS and DEVPATH"
    done
}

@test "the other verbs are on the host, and it says so" {
    local verb
    for verb in explain status facts drivers check-config; do
        try "$SMALL" "$verb"
        is "$status" 2 "$verb"
        is "$err" "cpufreq-resolve: no such verb in an initramfs, where there are apply and load alone: $verb; try --help"
    done
    try "$SMALL"
    is "$status" 2
    has "$err" "expected a verb"
    try "$SMALL" --help
    is "$status" 0
    has "$out" "all other verbs are on the host"
    is "$(grep -cE '^  (apply|load) ' <<< "$out")" 2
    [[ $out != *--json* && $out != *--predict* && $out != *--scope* ]] || fail "options of no verb:" "$out"
    try "$SMALL" --version
    is "$out" "$("$PROGRAM" --version)"
}

@test "options of no verb are refused" {
    try "$SMALL" apply --json
    is "$status" 2
    has "$err" "--json does not go with this verb"
}
