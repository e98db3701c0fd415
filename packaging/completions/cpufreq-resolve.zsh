#compdef cpufreq-resolve
# SPDX-License-Identifier: GPL-2.0-or-later

_arguments \
    '--root[look at another root folder; nothing is ever loaded then]:folder:_directories' \
    '--json[print JSON]' \
    '--predict[explain: say which driver this kernel would end with]' \
    '--scope[explain: list every module that the CPUs ask for]:scope:(cpu cpufreq)' \
    '(--late)--dry-run[apply: print what would be done, do nothing]' \
    '--late[apply: ask once more for what was refused]' \
    '(-q --quiet -v --verbose)'{-q,--quiet}'[no log on standard error]' \
    '(-q --quiet -v --verbose)'{-v,--verbose}'[say more]' \
    '(- *)--version[print the version]' \
    '(- *)'{-h,--help}'[print the options]' \
    '1:verb:((explain\:"say of every driver what becomes of it, and why"
        status\:"say what was decided in this boot"
        facts\:"list what is known of this machine"
        drivers\:"list the table of drivers"
        check-config\:"find mistakes in modprobe.d and modules-load.d"
        apply\:"load the right driver once, deny the others"
        load\:"for our udev rule: ask once for what a CPU offers"))'
