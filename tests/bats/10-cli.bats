#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Verbs, options, exit codes, and what goes where.

load helpers

VERBS=(explain status facts drivers apply)
JSON_VERBS=(explain status facts drivers)

setup() {
    machine
}

# on_root VERB: the options that a verb takes to look at the machine of this test
on_root() {
    [[ $1 == drivers ]] || printf '%s\n' --root "$root"
}

@test "every verb answers on standard output and exits with 0" {
    for verb in "${VERBS[@]}"; do
        mapfile -t options < <(on_root "$verb")
        cli "$verb" "${options[@]}"
        is "$status" 0 "$verb"
        if [[ $verb == apply ]]; then
            is "$out" "" "apply has no answer but its files"
            has "$err" "cpufreq-resolve: "
        else
            [[ -n $out ]] || fail "$verb says nothing"
            is "$err" "" "$verb has nothing to log"
        fi
    done
}

@test "explain is the default" {
    cli explain --root "$root"
    local expected=$out
    cli --root "$root"
    is "$status" 0
    is "$out" "$expected"
}

@test "explain names every driver of the table, in its order" {
    cli drivers
    local expected
    expected=$(awk '{ print $1 }' <<< "$out")
    cli explain --root "$root"
    is "$(sed '1,/^DRIVER/d' <<< "$out" | awk '{ print $1 }')" "$expected"
    has "$out" "acpi_cpufreq       chosen"
}

@test "options may stand before and behind the verb" {
    cli --json --root "$root" facts
    local expected=$out
    cli facts --root "$root" --json
    is "$out" "$expected"
    cli --json --root "$root" -- facts
    is "$out" "$expected"
    cli facts "--root=$root" --json
    is "$out" "$expected"
}

@test "JSON: a real parser reads it, of every verb that has it" {
    for verb in "${JSON_VERBS[@]}"; do
        mapfile -t options < <(on_root "$verb")
        cli "$verb" --json "${options[@]}"
        is "$status" 0 "$verb"
        is "$err" "" "$verb"
        jq -e . "$BATS_TEST_TMPDIR/out" > /dev/null || fail "$verb: not JSON" "$out"
        is "$(jq -s length "$BATS_TEST_TMPDIR/out")" 1 "$verb: one value"
    done
}

@test "JSON: explain" {
    cli explain --json --root "$root"
    is "$(jq -r '.outcome, .next, .driver, .kernel' <<< "$out")" \
        $'try\nacpi_cpufreq\nnull\n6.1.0-57-amd64'
    is "$(jq -c '.drivers[] | select(.name == "acpi_cpufreq") | [.verdict, .offered_for, .module, .live]' <<< "$out")" \
        '["chosen",["cpu","acpi"],true,false]'
    is "$(jq -c '.settings | [.enable, .driver, .policy, .sources]' <<< "$out")" '[true,null,"blacklist",[]]'
    is "$(jq '[.drivers[] | keys] | unique | length' <<< "$out")" 1 "every row has the same keys"
}

@test "JSON: facts are true, false or null, and as many as in the text" {
    cli facts --json --root "$root"
    is "$(jq -c '.facts | [.intel, .amd]' <<< "$out")" '[true,false]'
    is "$(jq -c '[.facts[] | type] | unique' <<< "$out")" '["boolean","null"]'
    local json text
    json=$(jq -r '.facts | keys_unsorted[]' <<< "$out")
    cli facts --root "$root"
    text=$(awk '$2 ~ /^(yes|no|unknown)$/ && $1 !~ /^(kernel|processor|driver)$/ { print $1 }' <<< "$out")
    is "$json" "$text"
}

@test "JSON: drivers" {
    cli drivers --json
    is "$(jq -r '.[] | select(.name == "pcc_cpufreq") | .needs | join(" ")' <<< "$out")" "x86 acpi pcch"
    is "$(jq '[.[].name] | length == (unique | length)' <<< "$out")" true
}

@test "JSON: status before and after apply" {
    cli status --json --root "$root"
    is "$(jq -c '[.decided, .outcome, .has_file, .agrees]' <<< "$out")" '[false,null,false,false]'
    cli apply --root "$root"
    cli status --json --root "$root"
    is "$(jq -c '[.decided, .outcome, .has_file, .agrees]' <<< "$out")" '[true,"try",true,true]'
}

@test "JSON: odd bytes in what the administrator wrote" {
    put etc/modprobe.d/x.conf $'options cpufreq_resolve driver=a"b\\\\c\x01\xc3\xa4 x="y"'
    put proc/cmdline $'cpufreq_resolve.policy=\x1b[31m\xff'
    cli explain --json --root "$root"
    is "$status" 0
    jq -e . "$BATS_TEST_TMPDIR/out" > /dev/null || fail "not JSON" "$out"
    is "$(jq -r '.settings.sources | length' <<< "$out")" 3
    has "$(jq -r '.settings.driver' <<< "$out")" 'a"b'
    cli explain --root "$root"
    is "$(tr -d '\n -~' < "$BATS_TEST_TMPDIR/out" | wc -c)" 0 "bytes that a terminal could take for a command"
}

@test "--help fits a terminal of 80x24 and has every verb and option" {
    for option in --help -h; do
        cli "$option"
        is "$status" 0
        is "$err" ""
        (($(wc -l <<< "$out") <= 24)) || fail "$(wc -l <<< "$out") lines"
        is "$(awk 'length > 80' <<< "$out")" "" "lines of more than 80 columns"
        for word in "${VERBS[@]}" --root --json --dry-run --late --quiet --verbose --version --help; do
            has "$out" "$word"
        done
    done
}

@test "--version" {
    cli --version
    is "$status" 0
    is "$err" ""
    is "$out" "cpufreq-resolve $(sed -n "s/^  version: '\(.*\)',/\1/p" "$TREE/meson.build")"
}

@test "usage errors: exit 2, nothing on standard output, a hint" {
    local cases=(
        "nonsense" "explain facts" "--nonsense" "--root" "-x" "apply --json" "drivers --root /"
        "explain --dry-run" "facts --late" "status --late" "--json=1" "--dry-run" "''"
    )
    for case in "${cases[@]}"; do
        eval "cli $case"
        is "$status" 2 "$case"
        is "$out" "" "$case"
        [[ -n $err ]] || fail "$case: no message"
    done
    cli nonsense
    is "$err" "cpufreq-resolve: no such verb: nonsense; try --help"
    cli apply --json
    is "$err" "cpufreq-resolve: --json does not go with this verb; try --help"
    cli facts more
    is "$err" "cpufreq-resolve: too many words: more; try --help"
}

@test "an option for usage errors is no reason to write anything" {
    local before
    before=$(snapshot)
    cli apply --nonsense --root "$root"
    cli apply --root "$root" --json
    is "$(snapshot)" "$before"
}

@test "a full disk is not an answer" {
    for verb in "${JSON_VERBS[@]}"; do
        mapfile -t options < <(on_root "$verb")
        status=0
        "$PROGRAM" "$verb" "${options[@]}" > /dev/full 2> "$BATS_TEST_TMPDIR/err" || status=$?
        is "$status" 1 "$verb"
        is "$(cat "$BATS_TEST_TMPDIR/err")" "cpufreq-resolve: standard output: No space left on device" "$verb"
        status=0
        "$PROGRAM" "$verb" --json "${options[@]}" > /dev/full 2> /dev/null || status=$?
        is "$status" 1 "$verb --json"
    done
    for option in --help --version; do
        status=0
        "$PROGRAM" "$option" > /dev/full 2> /dev/null || status=$?
        is "$status" 1 "$option"
    done
    status=0
    "$PROGRAM" apply --dry-run --root "$root" > /dev/full 2> /dev/null || status=$?
    is "$status" 1 "apply --dry-run"
}

@test "a closed standard output is not an answer either" {
    status=0
    "$PROGRAM" drivers >&- 2> /dev/null || status=$?
    is "$status" 1
}

@test "a root that is not there, or no directory" {
    for verb in explain status facts apply; do
        cli "$verb" --root "$root/nothing"
        is "$status" 1 "$verb"
        is "$out" "" "$verb"
        is "$err" "cpufreq-resolve: $root/nothing: No such file or directory; expected a root directory" "$verb"
        cli "$verb" --root "$root/proc/cmdline"
        is "$status" 1 "$verb"
        has "$err" "Not a directory"
        cli "$verb" --root ""
        is "$status" 1 "$verb"
    done
}

@test "an empty root: not known, and no error" {
    root=$BATS_TEST_TMPDIR/empty
    mkdir "$root"
    for verb in explain status facts; do
        cli "$verb" --root "$root"
        is "$status" 0 "$verb"
        cli "$verb" --json --root "$root"
        is "$status" 0 "$verb"
        jq -e . <<< "$out" > /dev/null || fail "$verb: not JSON"
    done
    cli explain --root "$root"
    has "$out" "answer    not known, so nothing is done: /proc/cmdline: No such file or directory; expected"
}

@test "a root with a relative path and one with a slash at its end" {
    cli explain --root "$root"
    local expected=$out
    cd "$root"
    cli explain --root .
    is "$out" "$expected"
    cli explain --root "$root/"
    is "$out" "$expected"
}

@test "--quiet: no log; --verbose: every driver" {
    cli apply --quiet --root "$root"
    is "$status" 0
    is "$err" ""
    cli apply -q --root "$root"
    is "$err" ""
    cli apply --verbose --root "$root"
    is "$(grep -c '' <<< "$err")" $(($("$PROGRAM" drivers | wc -l) + 1))
    has "$err" "cpufreq-resolve: pcc_cpufreq: in line: "
    is "$out" ""
}

@test "the log: one line an event, each with the program's name" {
    put etc/modprobe.d/x.conf "options cpufreq_resolve driver=nonsense policy=maybe"
    cli apply --root "$root"
    is "$status" 0
    has "$err" "policy=maybe: not understood, expected blacklist or softdep"
    has "$err" "driver=nonsense is not a driver that the table has"
    is "$(grep -v '^cpufreq-resolve: ' <<< "$err")" "" "lines that do not say who speaks"
}

@test "settings: explain shows the losers and where each stands" {
    put etc/modprobe.d/a.conf "options cpufreq_resolve driver=pcc_cpufreq" "options cpufreq_resolve enabel=0"
    put proc/cmdline "cpufreq-resolve.driver=acpi-cpufreq"
    cli explain --root "$root"
    has "$out" "setting   /etc/modprobe.d/a.conf:1: driver=pcc_cpufreq (overridden)"
    has "$out" "setting   /etc/modprobe.d/a.conf:2: enabel=0 (not understood: expected enable=, driver=, policy= or scope=)"
    has "$out" "setting   kernel command line: driver=acpi-cpufreq"
    has "$out" "acpi_cpufreq is to be asked for once"
}
