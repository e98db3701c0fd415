#compdef cpufreq-resolve-analyze
# SPDX-License-Identifier: GPL-2.0-or-later

_arguments \
    '--root[look at another root folder]:folder:_directories' \
    '--all[every module]' \
    '--json[print JSON]' \
    '--compare[journal: two logs side by side]' \
    '--boot[of a log with several boots, this one]:number' \
    '--host[of a log of several machines, this one]:name' \
    '--plot[draw the boot]' \
    '--output[write there]:file:_files' \
    '(- *)--version[print the version]' \
    '(- *)'{-h,--help}'[print the options]' \
    '1:verb:((forecast\:"count what a coldplug will ask for"
        journal\:"count what it has asked for, from a log"
        metrics\:"print this boot as OpenMetrics"
        cpu-up\:"say where the time went when CPUs were brought up"))' \
    '*:file:_files'
