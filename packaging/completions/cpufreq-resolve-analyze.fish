# SPDX-License-Identifier: GPL-2.0-or-later
set -l verbs forecast journal metrics cpu-up
set -l no_verb "not __fish_seen_subcommand_from $verbs"

complete -c cpufreq-resolve-analyze -f
complete -c cpufreq-resolve-analyze -n "$no_verb" -a forecast -d 'Count what a coldplug will ask for'
complete -c cpufreq-resolve-analyze -n "$no_verb" -a journal -d 'Count what it has asked for, from a log'
complete -c cpufreq-resolve-analyze -n "$no_verb" -a metrics -d 'This boot as OpenMetrics'
complete -c cpufreq-resolve-analyze -n "$no_verb" -a cpu-up -d 'Where the time went when CPUs came up'
complete -c cpufreq-resolve-analyze -n '__fish_seen_subcommand_from journal cpu-up' -F
complete -c cpufreq-resolve-analyze -l root -r -a '(__fish_complete_directories)' -d 'Look at another root folder'
complete -c cpufreq-resolve-analyze -l all -d 'Every module'
complete -c cpufreq-resolve-analyze -l json -d 'Print JSON'
complete -c cpufreq-resolve-analyze -l compare -n '__fish_seen_subcommand_from journal' -d 'Two logs side by side'
complete -c cpufreq-resolve-analyze -l boot -x -d 'Of several boots, this one'
complete -c cpufreq-resolve-analyze -l host -x -d 'Of several machines, this one'
complete -c cpufreq-resolve-analyze -l plot -d 'Draw the boot'
complete -c cpufreq-resolve-analyze -l output -r -F -d 'Write there'
complete -c cpufreq-resolve-analyze -l version -d 'Print the version'
complete -c cpufreq-resolve-analyze -s h -l help -d 'Print the options'
