#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What the programs need, what they are built with, what they may start: docs/security.md.

bats_require_minimum_version 1.5.0
load helpers

NOBODY=65534

setup_file() {
    # Where everybody may go, whatever the tree's own folder is.
    DIR=$(mktemp -d)
    export DIR
    chmod 755 "$DIR"
    source "$BATS_TEST_DIRNAME/helpers.bash"
    cp "$PROGRAM" "$DIR/program"
    chmod 755 "$DIR/program"
}

teardown_file() {
    rm -rf "$DIR"
}

programs() {
    local build=${PROGRAM%/*}
    printf '%s\n' "$PROGRAM" "$build/cpufreq-resolve-image" "$build/analyze/cpufreq-resolve-analyze"
}

# As somebody who has no right of any kind.
nobody() {
    try setpriv --reuid="$NOBODY" --regid="$NOBODY" --clear-groups --bounding-set=-all --inh-caps=-all \
        --no-new-privs "$DIR/program" "$@"
}

@test "the verbs that only read need no right of any kind" {
    local verb expected
    root=$DIR/root
    "$TREE/tests/tools/make-machine" "$SPEC" "$root"
    "$PROGRAM" apply --quiet --root "$root"
    for verb in status "status --json" check-config "apply --dry-run" "explain --scope=cpu"; do
        # shellcheck disable=SC2086 # a verb and its option
        cli $verb --root "$root"
        is "$status" 0 "$verb, root"
        expected=$out
        [[ -n $expected || $verb == check-config ]] || fail "$verb says nothing"
        # shellcheck disable=SC2086
        nobody $verb --root "$root"
        is "$status" 0 "$verb, nobody"
        is "$out" "$expected" "$verb"
    done
    # ACPI tables are root's, so nobody knows less of the reasons, but the same of the verdicts.
    cli explain --root "$root"
    expected=$(cut -c 1-31 <<< "$out")
    nobody explain --root "$root"
    is "$status" 0 "explain, nobody"
    is "$(cut -c 1-31 <<< "$out")" "$expected"
    for verb in facts "facts --json" "explain --json" "explain --predict"; do
        # shellcheck disable=SC2086
        nobody $verb --root "$root"
        is "$status" 0 "$verb, nobody"
        [[ -n $out && -z $err ]] || fail "$verb: $err"
    done
    nobody drivers
    is "$status" 0 "drivers, nobody"
}

@test "apply without a right on the tree says so, and writes nothing" {
    local before
    root=$DIR/other
    "$TREE/tests/tools/make-machine" "$SPEC" "$root"
    before=$(snapshot)
    nobody apply --root "$root"
    is "$status" 1
    has "$err" "Permission denied"
    is "$(snapshot)" "$before"
}

# A shell would make of a module's name, a file's name or a modalias a command. The programs start nothing
# at all: two children are forks that go on in the same program. libkmod alone runs `install` lines, as
# modprobe does, of modules that ours depends on.
@test "no shell, and no other program, is started by our code" {
    local program found
    run ! grep -rnE '\b(system|popen|posix_spawnp?|exec(l|v|ve|lp|vp|le|vpe|veat)|wordexp)\(' "$TREE/src"
    while read -r program; do
        found=$(nm -D --undefined-only "$program" | grep -E ' (system|popen|posix_spawnp?|f?exec[a-z]+|wordexp)(@|$)' || :)
        is "$found" "" "$program calls"
    done < <(programs)
}

# What is linked in by dlopen() is named here: the zlib of the system, in the host's program alone.
@test "the image's program loads no library by name" {
    is "$(nm -D --undefined-only "${PROGRAM%/*}/cpufreq-resolve-image" | grep -c dlopen)" 0
    is "$(grep -rhoE 'dlopen\("[^"]*"' "$TREE/src")" 'dlopen("libz.so.1"'
}

# _FORTIFY_SOURCE is the packager's, who says so by his flags; Debian's C library has no IBT in its startup
# files, so none of its programs has all of it.
@test "the programs are hardened" {
    local program
    while read -r program; do
        try hardening-check --nofortify --nocfprotection "$program"
        is "$status" 0 "$program: $out"
        has "$out" "Position Independent Executable: yes" "$program"
        has "$out" "Stack protected: yes" "$program"
        has "$out" "Read-only relocations: yes" "$program"
        has "$out" "Immediate binding: yes" "$program"
        # No part of it may be written and run.
        is "$(readelf -lW "$program" | grep -cE 'GNU_STACK .* RWE |LOAD .* RWE ')" 0 "$program: writable and executable"
        is "$(readelf -lW "$program" | grep -c 'GNU_STACK .* RW ')" 1 "$program: its stack"
    done < <(programs)
}

@test "whatever the umask, the files are for all to read and for root to write" {
    local mask
    for mask in 000 077 777; do
        rm -rf "$BATS_TEST_TMPDIR/root"
        machine
        (umask "$mask" && "$PROGRAM" apply --quiet --root "$root") || fail "umask $mask"
        is "$(stat -c '%a %n' "$root/$BOOT_CONF" "$root/$STATE" "$root/run/modprobe.d" "$root/run/cpufreq-resolve" |
            sed "s, $root/,  ,")" "644  $BOOT_CONF
644  $STATE
755  run/modprobe.d
755  run/cpufreq-resolve" "umask $mask"
    done
}

UNITS="packaging/systemd/cpufreq-resolve.service.in packaging/systemd/cpufreq-resolve-late.service.in
    dracut-module/50cpufreq-resolve/cpufreq-resolve-initrd.service"

# allowed FILTER: the system calls of a set, and of the sets in it.
allowed() {
    local line
    while read -r line; do
        case $line in
            '#'* | '') ;;
            @*) [[ $line == "$1" ]] || allowed "$line" ;;
            *) echo "$line" ;;
        esac
    done < <(systemd-analyze --no-pager syscall-filter "$1")
}

# A unit that cannot be set up does not start. What is there is what systemd-udevd has, which runs at the same
# time of the boot, and needs neither a mount nor a user namespace.
@test "the units are confined as far as systemd-udevd is, and by nothing that could keep them from starting" {
    local unit name
    for unit in $UNITS; do
        run ! grep -E '^(Protect|Private|ReadOnly|ReadWrite|Inaccessible|Bind|Root|Temporary|Dynamic|User|NoNew|RestrictNamespaces|IPAddress)' \
            "$TREE/$unit"
        name=$(basename "${unit%.in}")
        sed 's,@BINDIR@,/usr/bin,; s,^ExecStart=[^ ]*,ExecStart=/bin/true,' "$TREE/$unit" > "$BATS_TEST_TMPDIR/$name"
        try systemd-analyze --no-pager security --offline=true --threshold=80 "$BATS_TEST_TMPDIR/$name"
        is "$status" 0 "$name: $(tail -n 1 <<< "$out")"
    done
}

@test "what apply calls is within the filter of its units" {
    local filter calls call
    for unit in $UNITS; do
        is "$(sed -n 's/^SystemCallFilter=//p' "$TREE/$unit")" $'@system-service @module @raw-io bpf\n~@clock' "$unit"
    done
    filter=$(for set in @system-service @module @raw-io; do allowed "$set"; done | sort -u |
        grep -vxFf <(allowed @clock))
    machine
    strace -f -qq -o "$BATS_TEST_TMPDIR/calls" "$PROGRAM" apply --root "$root"
    # With the right to load there come these (guard.c, libkmod).
    calls=$(sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' "$BATS_TEST_TMPDIR/calls"
        printf '%s\n' capget flock alarm finit_module init_module delete_module)
    has "$calls" openat2
    for call in $(sort -u <<< "$calls"); do
        grep -qx "$call" <<< "$filter" || fail "$call is not in the filter"
    done
}
