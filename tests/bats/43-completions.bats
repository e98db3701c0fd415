#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The completions in their own shells: what they offer is what the programs take.
# shellcheck disable=SC2016 # text for another shell

bats_require_minimum_version 1.5.0
load dracut-helpers

DIR=$TREE/packaging/completions
BUILD=$(dirname "${CPUFREQ_RESOLVE:-$TREE/build/src/cpufreq-resolve}")
export LC_ALL=C

# options_of PROGRAM, verbs_of PROGRAM: from its --help, one a line. -q, --quiet are two.
program() {
    case $1 in
        cpufreq-resolve) "$BUILD/$1" --help ;;
        *) "$BUILD/analyze/$1" --help ;;
    esac
}
options_of() {
    program "$1" | sed -nE 's/^  ((-[a-z]), )?(--[a-z-]+).*/\2\n\3/p' | sed '/^$/d' | sort
}
verbs_of() {
    program "$1" | sed -n '/^  -/q; s/^  \([a-z][a-z-]*\).*/\1/p' | sort
}

# bash_offers PROGRAM WORD...: what bash offers for the last word.
bash_offers() {
    bash -c '. "$1/$2.bash"; name=$2; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        "_${name//-/_}"; printf "%s\n" "${COMPREPLY[@]}"' bash "$DIR" "$@" | sed '/^$/d' | sort
}

fish_offers() {
    fish --no-config -c "source $DIR/$1.fish; complete -C '$*'" | cut -f 1 | sort
}

@test "every option and verb of --help is offered, and nothing else: bash" {
    local name
    for name in cpufreq-resolve cpufreq-resolve-analyze; do
        (($(options_of "$name" | wc -l) > 5 && $(verbs_of "$name" | wc -l) > 3))
        equal "$(options_of "$name")" "$(bash_offers "$name" -)" "$name"
        equal "$(verbs_of "$name")" "$(bash_offers "$name" '')" "$name"
    done
}

@test "bash: an option of one verb is not offered with another, a folder after --root, nothing after a verb" {
    bash_offers cpufreq-resolve apply -- | grep -qx -e --dry-run
    run ! grep -x -e --dry-run <(bash_offers cpufreq-resolve status --)
    run ! grep -x -e --predict <(bash_offers cpufreq-resolve apply --)
    equal "" "$(bash_offers cpufreq-resolve status '')"
    mkdir "$BATS_TEST_TMPDIR/captured"
    equal "$BATS_TEST_TMPDIR/captured" "$(bash_offers cpufreq-resolve --root "$BATS_TEST_TMPDIR/cap")"
    # What follows --root is a folder, be it called like a verb.
    equal "$(verbs_of cpufreq-resolve)" "$(bash_offers cpufreq-resolve --root status '')"
    : > "$BATS_TEST_TMPDIR/boot.log"
    equal "$BATS_TEST_TMPDIR/boot.log" "$(bash_offers cpufreq-resolve-analyze journal "$BATS_TEST_TMPDIR/boot")"
}

@test "every option and verb of --help is offered, and nothing else: fish" {
    local name
    for name in cpufreq-resolve cpufreq-resolve-analyze; do
        equal "$(verbs_of "$name")" "$(fish_offers "$name" '')" "$name"
    done
    # Those of one verb are offered with it.
    equal "$(options_of cpufreq-resolve)" "$( (fish_offers cpufreq-resolve -; fish_offers cpufreq-resolve apply -) | sort -u)"
    equal "$(options_of cpufreq-resolve-analyze)" \
        "$( (fish_offers cpufreq-resolve-analyze -; fish_offers cpufreq-resolve-analyze journal -) | sort -u)"
}

@test "every option and verb of --help is offered, and nothing else: zsh" {
    local name
    for name in cpufreq-resolve cpufreq-resolve-analyze; do
        zsh -n "$DIR/$name.zsh"
        equal "#compdef $name" "$(head -n 1 "$DIR/$name.zsh")"
        # _arguments itself needs a terminal; what it is given does not.
        zsh -f -c '_arguments() { print -rl -- "$@" }; source "$1"' zsh "$DIR/$name.zsh" > "$BATS_TEST_TMPDIR/$name"
        equal "$(options_of "$name")" "$(sed -nE 's/^(\([^)]*\))?(-[a-z]|--[a-z-]+)\[.*/\2/p' "$BATS_TEST_TMPDIR/$name" | sort)" "$name"
        equal "$(verbs_of "$name")" "$(grep -oE '[a-z-]+\\:"' "$BATS_TEST_TMPDIR/$name" | tr -d '\\:"' | sort)" "$name"
    done
}

@test "--help fits a screen, and has every verb and option of the man page" {
    local name page
    for name in cpufreq-resolve cpufreq-resolve-analyze; do
        (($(program "$name" | wc -l) <= 24)) || fail "$name: $(program "$name" | wc -l) lines"
        run ! grep -E '.{81}' <(program "$name")
        page=$TREE/docs/$name.8.scd
        # In scdoc - is written plainly or escaped.
        for word in $(options_of "$name") $(verbs_of "$name"); do
            sed 's/\\//g' "$page" | grep -qF -e "$word" || fail "$name(8) says nothing of $word"
        done
    done
}

@test "the man page has every file that a run leaves behind" {
    local root=$BATS_TEST_TMPDIR/root page file number=0
    page=$(sed 's/\\//g' "$TREE/docs/cpufreq-resolve.8.scd")
    "$TREE/tests/tools/make-machine" "$TREE/tests/unit/apply.machine" "$root"
    (cd "$root" && find . -type f | sort) > "$BATS_TEST_TMPDIR/before"
    mkdir -p "$root/etc/modprobe.d"
    echo "options cpufreq_resolve scope=cpu" > "$root/etc/modprobe.d/x.conf"
    "$BUILD/cpufreq-resolve" --root "$root" --quiet apply
    while read -r file; do
        [[ $page == *"_${file#.}_"* ]] || fail "cpufreq-resolve(8) says nothing of ${file#.}"
        number=$((number + 1))
    done < <(cd "$root" && find ./run -type f | sort | comm -13 "$BATS_TEST_TMPDIR/before" -)
    ((number >= 3))
}
