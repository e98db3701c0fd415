#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Roots that somebody built to hurt whoever looks at them: docs/security.md. What needs no devices and no
# mounts is in tests/fixtures-bad. For root, as who alone one can make these.

load helpers

setup() {
    machine
    outside=$BATS_TEST_TMPDIR/outside
    mkdir -p "$outside/modprobe.d" "$outside/run"
    echo "blacklist acpi_cpufreq" > "$outside/modprobe.d/secret.conf"
    echo "secret" > "$outside/run/state"
}

# What stands outside, with what tells that it was touched.
outside() {
    (cd "$outside" && find . -printf '%p %y %i %s %m %T@ %l\n' | sort)
}

# looked COMMAND...: run it, and fail if any file below $outside was opened, or anything there has changed.
looked() {
    local before
    before=$(outside)
    try timeout 30 strace -f -y -qq -e trace=open,openat,openat2,mkdirat,unlinkat,renameat,renameat2 \
        -o "$BATS_TEST_TMPDIR/calls" "$@"
    grep -q openat2 "$BATS_TEST_TMPDIR/calls" || fail "strace saw nothing"
    ! grep -E "= [0-9]+<$outside" "$BATS_TEST_TMPDIR/calls" || fail "opened outside of the root"
    is "$(outside)" "$before" "outside"
}

# ended: no crash, no hang, and exit codes that are documented.
ended() {
    ((status <= 1)) || fail "exit $status" "$err"
}

every_verb() {
    local verb
    for verb in explain "explain --predict" "explain --scope=cpu" facts status check-config "apply --dry-run" apply; do
        # shellcheck disable=SC2086 # a verb and its option
        "$@" "$PROGRAM" $verb --root "$root"
        ended
    done
}

@test "links that lead out of the root, by ways of all kinds, are not followed" {
    local target up=../../../../../../../../../..
    for target in "$outside" "$up$outside" "/proc/self/root$outside" "/$up/$up$outside/." "loop"; do
        for path in etc/modprobe.d run/modprobe.d run/cpufreq-resolve run; do
            rm -rf "${root:?}/$path"
            mkdir -p "$root/${path%/*}"
            case $path in
                *modprobe.d) ln -s "$target/modprobe.d" "$root/$path" ;;
                run) ln -s "$target/run" "$root/$path" ;;
                *) ln -s "$target" "$root/$path" ;;
            esac
            looked "$PROGRAM" apply --root "$root"
            ended
            [[ $err != *secret* ]] || fail "$err"
            rm -rf "${root:?}/$path"
            mkdir -p "$root/$path"
        done
    done
}

@test "magic links of a procfs that is mounted in the root are not followed" {
    rm -rf "$root/etc/modprobe.d"
    ln -s "/proc/self/root$outside/modprobe.d" "$root/etc/modprobe.d"
    # shellcheck disable=SC2016 # for the inner shell
    looked unshare -m sh -c 'mount -t proc proc "$1/proc" && shift && exec "$@"' sh "$root" \
        "$PROGRAM" explain --root "$root"
    ended
    grep -q 'openat2(.*"etc/modprobe.d".* = -1 ELOOP' "$BATS_TEST_TMPDIR/calls" || fail "not looked at, or followed"
}

@test "devices in the place of files are not read" {
    local path
    for path in proc/cpuinfo proc/cmdline etc/modprobe.d/zero.conf run/cpufreq-resolve/state \
        sys/devices/system/cpu/modalias proc/sys/kernel/osrelease; do
        mkdir -p "$root/${path%/*}"
        rm -f "$root/$path"
        mknod "$root/$path" c 1 5
    done
    every_verb try timeout 30
}

# With a quarter of a gibibyte for all it has, and far less is enough.
sparing() {
    try timeout 30 prlimit --as=268435456 -- "$@"
    [[ $out$err != *"out of memory"* && $out$err != *"annot allocate"* ]] || fail "$out" "$err"
}

@test "a file of a tebibyte is not read to its end, nor is memory taken for it" {
    local path
    for path in proc/cpuinfo proc/cmdline etc/modprobe.d/big.conf usr/lib/modules-load.d/big.conf \
        run/cpufreq-resolve/state "$BOOT_CONF" run/cpufreq-resolve/refused sys/devices/system/cpu/modalias \
        proc/sys/kernel/osrelease sys/devices/system/cpu/cpufreq/policy0/scaling_driver; do
        machine_again
        mkdir -p "$root/${path%/*}"
        rm -f "$root/$path"
        truncate -s 1T "$root/$path"
        every_verb sparing
    done
}

machine_again() {
    rm -rf "$root"
    machine
}

# st_size says 0 of what is in procfs, and 4096 of a line in sysfs.
@test "files that lie about their size are read as long as they are" {
    local path
    echo "# a line of a file whose size is known" > "$root/etc/modprobe.d/lie.conf"
    for path in etc/modprobe.d/lie.conf proc/cpuinfo; do
        # shellcheck disable=SC2016 # for the inner shell
        try timeout 30 unshare -m sh -c 'mount --bind /proc/self/limits "$1" && shift && exec "$@"' sh \
            "$root/$path" "$PROGRAM" facts --root "$root"
        ended
        # shellcheck disable=SC2016
        try timeout 30 unshare -m sh -c 'mount --bind /sys/kernel/mm/transparent_hugepage/enabled "$1" || exit 9
            shift && exec "$@"' sh "$root/$path" "$PROGRAM" apply --dry-run --root "$root"
        ended
    done
}

# A folder that is a link and a folder by turns, while we look into it and write into it.
@test "a folder that is swapped for a link out of the root while we run" {
    local before swapper i
    before=$(outside)
    mkdir -p "$root/run/cpufreq-resolve" "$root/run/modprobe.d" "$root/etc/modprobe.d"
    touch "$root/go"
    python3 - "$root" "$outside" << 'SWAP' &
import ctypes, os, sys
root, outside = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, RENAME_EXCHANGE = -100, 2
paths = [os.path.join(root, p) for p in ("run/cpufreq-resolve", "run/modprobe.d", "etc/modprobe.d")]
for p, to in zip(paths, ("run", "modprobe.d", "modprobe.d")):
    os.symlink(os.path.join(outside, to), p + ".link")
while os.path.exists(os.path.join(root, "go")):
    for p in paths:
        if libc.renameat2(AT_FDCWD, p.encode(), AT_FDCWD, (p + ".link").encode(), RENAME_EXCHANGE) != 0:
            sys.exit(os.strerror(ctypes.get_errno()))
SWAP
    swapper=$!
    for i in {1..150}; do
        # Another answer each time, so that there is something to write.
        echo "options cpufreq_resolve policy=$( ((i % 2)) && echo softdep || echo blacklist)" \
            > "$root/usr/lib/modprobe.d/turn.conf"
        try timeout 30 "$PROGRAM" apply --root "$root"
        [[ $err != *secret* ]] || fail "$err"
        ended
        kill -0 "$swapper" || fail "the swapper is gone"
    done
    rm "$root/go"
    wait "$swapper"
    is "$(outside)" "$before" "outside"
}
