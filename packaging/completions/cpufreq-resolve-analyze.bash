# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# bash completion of cpufreq-resolve-analyze(8). One verb, then its files.

_cpufreq_resolve_analyze() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} word verb='' i
    local verbs='forecast journal metrics cpu-up'
    local options='--root --all --json --compare --boot --host --plot --output --version --help -h'

    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case ${COMP_WORDS[i - 1]} in
            --root | --boot | --host | --output) ;;
            *) [[ -z $verb && " $verbs " == *" $word "* ]] && verb=$word ;;
        esac
    done
    case $prev in
        --root)
            compopt -o filenames 2> /dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$cur")
            return
            ;;
        --boot | --host) return ;;
        --output | --plot)
            compopt -o filenames 2> /dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return
            ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    elif [[ -z $verb ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$cur")
    elif [[ $verb == journal || $verb == cpu-up ]]; then
        compopt -o filenames 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _cpufreq_resolve_analyze cpufreq-resolve-analyze
