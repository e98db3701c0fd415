# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What the hooks of initramfs-tools and mkinitcpio share: what goes into an image, and what it must not
# make worse. dracut's module has its own, in dracut's words. Sourced; POSIX sh; the reasons are in
# dracut-module/README.md of the source.

# Module file names, as in src/drivers.c: every driver that can be a module on a machine we know.
cpufreq_resolve_drivers="acpi-cpufreq pcc-cpufreq powernow-k8 powernow-k7 powernow-k6
speedstep-centrino speedstep-ich speedstep-smi speedstep-lib p4-clockmod
longhaul longrun e_powersaver gx-suspmod cpufreq-nforce2 cppc_cpufreq
powernv-cpufreq loongson3_cpufreq"

# The kernel asks for the default governor when a driver registers.
cpufreq_resolve_governors="cpufreq_ondemand cpufreq_conservative cpufreq_powersave cpufreq_userspace cpufreq_performance"

# Where configuration comes from, the strongest first. Without /run: that is of this boot only.
cpufreq_resolve_confdirs="etc usr/local/lib usr/lib lib"

# cpufreq_resolve_pick FILE...: the drivers that the files name, one a line each, with
# underscores. Options behind a name don't matter, nor do comments.
cpufreq_resolve_pick() {
    cat "$@" | tr -- '-\t' '_ ' | while read -r _name _; do
        case " $(echo "$cpufreq_resolve_drivers" | tr -- '-\n' '_ ') " in
            *" $_name "*) [ -z "$_name" ] || echo "$_name" ;;
        esac
    done
}

# cpufreq_resolve_named ROOT: the drivers that modules-load.d below ROOT names. Of two files of one name
# the stronger counts.
cpufreq_resolve_named() {
    _seen=" "
    for _dir in $cpufreq_resolve_confdirs; do
        for _file in "$1/$_dir"/modules-load.d/*.conf; do
            [ -e "$_file" ] || continue
            case $_seen in *" ${_file##*/} "*) continue ;; esac
            _seen="$_seen${_file##*/} "
            [ ! -f "$_file" ] || cpufreq_resolve_pick "$_file"
        done
    done
}

# cpufreq_resolve_modprobe ROOT IMAGE: bring the files of modprobe.d that speak of us or of a driver, with
# every file of the same name: one in /etc replaces its namesake, be it by saying nothing.
cpufreq_resolve_modprobe() {
    _words=$(echo "$cpufreq_resolve_drivers $cpufreq_resolve_governors cpufreq_resolve intel_pstate amd_pstate" \
        | sed 's/[-_]/[-_]/g' | tr -s ' \n' '|' | sed 's/|$//')
    _names=" "
    for _dir in $cpufreq_resolve_confdirs; do
        for _file in "$1/$_dir"/modprobe.d/*.conf; do
            case ${_file##*/} in
                cpufreq-resolve*) _is_ours=yes ;;
                *) _is_ours= ;;
            esac
            if [ "$_is_ours" ] || { [ -f "$_file" ] && grep -Eqs "$_words" "$_file"; }; then
                _names="$_names${_file##*/} "
            fi
        done
    done
    for _dir in $cpufreq_resolve_confdirs; do
        for _name in $_names; do
            _file=$1/$_dir/modprobe.d/$_name
            if [ ! -e "$_file" ] || [ -d "$_file" ]; then continue; fi
            [ ! -e "$2/$_dir/modprobe.d/$_name" ] || continue
            # A link into /run says what holds in this boot.
            case $(readlink -f "$_file") in "$1"/run/*) continue ;; esac
            mkdir -p "$2/$_dir/modprobe.d"
            if [ -s "$_file" ]; then
                cp -p "$(readlink -f "$_file")" "$2/$_dir/modprobe.d/$_name"
            else
                # Empty or a link to /dev/null: a mask.
                ln -sfn /dev/null "$2/$_dir/modprobe.d/$_name"
            fi
        done
    done
}

# cpufreq_resolve_modules_load IMAGE NAME...: tell the program in the image which drivers somebody asks for
# by name. It never denies those.
cpufreq_resolve_modules_load() {
    _image=$1
    shift
    [ $# -gt 0 ] || return 0
    mkdir -p "$_image/etc/modules-load.d"
    {
        echo "# Made for this image by cpufreq-resolve: drivers that are asked for by name."
        printf '%s\n' "$@"
    } > "$_image/etc/modules-load.d/cpufreq-resolve-image.conf"
}

# cpufreq_resolve_deny IMAGE MODULES NAME...: images without us hold no driver, so no udev in one ever asked
# for any. Deny those below MODULES (the lib/modules/RELEASE that they come from) to udev, for this image only; but not
# the NAMEs, which something in the image asks for. /lib: kmod before 32 reads no other place.
cpufreq_resolve_deny() {
    _image=$1 _modules=$2
    shift 2
    _named=" $* "
    _lines=
    for _name in $cpufreq_resolve_drivers; do
        [ "$(find "$_modules/" \( -name "$_name.ko" -o -name "$_name.ko.*" \) 2> /dev/null)" ] || continue
        _name=$(echo "$_name" | tr - _)
        case $_named in
            *" $_name "*) ;;
            *) _lines="${_lines}blacklist $_name
" ;;
        esac
    done
    [ "$_lines" ] || return 0
    mkdir -p "$_image/lib/modprobe.d"
    {
        echo "# Made for this image by cpufreq-resolve: udev leaves these alone, cpufreq-resolve loads the right"
        echo "# one by its name."
        printf '%s' "$_lines"
    } > "$_image/lib/modprobe.d/cpufreq-resolve-image.conf"
}
