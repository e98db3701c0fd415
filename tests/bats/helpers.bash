# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
# Runs the program on small machines that are made for the test.

TREE=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
PROGRAM=${CPUFREQ_RESOLVE:-$TREE/build/src/cpufreq-resolve}
SPEC=$TREE/tests/unit/apply.machine
BOOT_CONF=run/modprobe.d/cpufreq-resolve-boot.conf
STATE=run/cpufreq-resolve/state
export LC_ALL=C

fail() {
    printf '%s\n' "$@" >&2
    return 1
}

# is GOT EXPECTED [WHAT]: both sides are shown where they differ.
is() {
    [[ $1 == "$2" ]] || fail "${3:-these differ}:" "  got:      $1" "  expected: $2"
}

# has TEXT PART [WHAT]
has() {
    [[ $1 == *"$2"* ]] || fail "${3:-not found}:" "  looked for: $2" "  in:         $1"
}

# try COMMAND...: sets status, out and err. Every command goes into the log that bats shows of a
# failed test.
try() {
    printf '$' >&2
    printf ' %q' "$@" >&2
    status=0
    "$@" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err" < /dev/null || status=$?
    out=$(cat "$BATS_TEST_TMPDIR/out")
    err=$(cat "$BATS_TEST_TMPDIR/err")
    printf '\n  exit %s\n' "$status" >&2
    [[ -z $err ]] || printf '%s\n' "$err" | sed 's/^/  stderr: /' >&2
}

# cli ARGUMENT...: the program, on the machine of this test unless another root is given.
cli() {
    try "$PROGRAM" "$@"
}

# machine [--set KEY=VALUE]...: makes $root.
machine() {
    root=$BATS_TEST_TMPDIR/root
    "$TREE/tests/tools/make-machine" "$@" "$SPEC" "$root"
}

# put PATH [LINE]...: a file of the machine.
put() {
    mkdir -p "$(dirname "$root/$1")"
    if (($# > 1)); then
        printf '%s\n' "${@:2}" > "$root/$1"
    else
        : > "$root/$1"
    fi
}

# Everything below the root with what tells that it was touched.
snapshot() {
    (cd "$root" && find . -printf '%p %y %i %s %m %T@ %l\n' | LC_ALL=C sort)
}

# The same of the files alone, for what shall be left as it is while others come.
files() {
    (cd "$root" && find . -type f,l -printf '%p %i %s %m %T@ %l\n' | LC_ALL=C sort)
}
