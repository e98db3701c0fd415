# SPDX-License-Identifier: GPL-2.0-or-later
set -l verbs explain status facts drivers check-config apply load
set -l no_verb "not __fish_seen_subcommand_from $verbs"

complete -c cpufreq-resolve -f
complete -c cpufreq-resolve -n "$no_verb" -a explain -d 'What becomes of every driver, and why'
complete -c cpufreq-resolve -n "$no_verb" -a status -d 'What was decided in this boot'
complete -c cpufreq-resolve -n "$no_verb" -a facts -d 'What is known of this machine'
complete -c cpufreq-resolve -n "$no_verb" -a drivers -d 'The table of drivers'
complete -c cpufreq-resolve -n "$no_verb" -a check-config -d 'Mistakes in modprobe.d and modules-load.d'
complete -c cpufreq-resolve -n "$no_verb" -a apply -d 'Load the right driver once, deny the others'
complete -c cpufreq-resolve -n "$no_verb" -a load -d 'For our udev rule: ask once for what a CPU offers'
complete -c cpufreq-resolve -l root -r -a '(__fish_complete_directories)' -d 'Look at another root folder'
complete -c cpufreq-resolve -l json -d 'Print JSON'
complete -c cpufreq-resolve -l predict -n 'not __fish_seen_subcommand_from status facts drivers check-config apply load' \
    -d 'Which driver this kernel would end with'
complete -c cpufreq-resolve -l scope -x -a 'cpu cpufreq' \
    -n 'not __fish_seen_subcommand_from status facts drivers check-config apply load' \
    -d 'The modules that CPUs ask for'
complete -c cpufreq-resolve -l dry-run -n '__fish_seen_subcommand_from apply' -d 'Print what would be done'
complete -c cpufreq-resolve -l late -n '__fish_seen_subcommand_from apply' -d 'Ask once more for what was refused'
complete -c cpufreq-resolve -s q -l quiet -d 'No log'
complete -c cpufreq-resolve -s v -l verbose -d 'Say more'
complete -c cpufreq-resolve -l version -d 'Print the version'
complete -c cpufreq-resolve -s h -l help -d 'Print the options'
