# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# bash completion of cpufreq-resolve(8). One verb; options anywhere.

_cpufreq_resolve() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} word verb='' i
    local verbs='explain status facts drivers check-config apply load'
    local options='--root --json --predict --scope --dry-run --late --quiet -q --verbose -v --version --help -h'

    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        [[ ${COMP_WORDS[i - 1]} != --root && " $verbs " == *" $word "* ]] && verb=$word
    done
    if [[ $prev == --root ]]; then
        compopt -o filenames 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    elif [[ $prev == --scope ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'cpu cpufreq' -- "$cur")
    elif [[ $cur == -* ]]; then
        case $verb in
            '' ) ;;
            apply) options=${options/ --predict --scope/} options=${options/ --json/} ;;
            explain) options=${options/ --dry-run --late/} ;;
            *) options=${options/ --predict --scope --dry-run --late/} ;;
        esac
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    elif [[ -z $verb ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$cur")
    fi
}
complete -F _cpufreq_resolve cpufreq-resolve
