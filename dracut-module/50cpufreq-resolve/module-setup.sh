#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Puts cpufreq-resolve, and the modules that it chooses from, into the image.
# Needs dracut 059; uses only what is the same in later ones (the folder of the hooks is not).
# shellcheck disable=SC2154 # variables of dracut

# Every driver that can be a module on a machine we know; module file names, as in src/drivers.c.
_cpufreq_resolve_drivers=(
    acpi-cpufreq pcc-cpufreq powernow-k8 powernow-k7 powernow-k6
    speedstep-centrino speedstep-ich speedstep-smi speedstep-lib p4-clockmod
    longhaul longrun e_powersaver gx-suspmod cpufreq-nforce2 cppc_cpufreq
    powernv-cpufreq loongson3_cpufreq
)

# The kernel asks for the default governor when a driver registers. Were it not here, a driver that
# is loaded early would start with another one than without us.
_cpufreq_resolve_governors=(
    cpufreq_ondemand cpufreq_conservative cpufreq_powersave cpufreq_userspace cpufreq_performance
)

# Where configuration comes from, the strongest first. Without /run: that is of this boot only, and
# our own file is there.
_cpufreq_resolve_confdirs=(etc usr/local/lib usr/lib lib)

# A crash kernel has other worries, and an image that must stay small. It tells itself by:
#   IN_KDUMP=1 and the module kdumpbase  Fedora, RHEL  (github.com/rhkdump/kdump-utils: mkdumprd)
#   the module kdump                     SUSE          (github.com/openSUSE/kdump: init/mkdumprd)
# Debian's kdump-tools has no dracut module of its own; there /proc/vmcore tells at run time.
# Not meant: earlykdump, which is in ordinary images.
_cpufreq_resolve_in_kdump() {
    [[ -n ${IN_KDUMP-} ]] || [[ $(_cpufreq_resolve_requested) == *" kdump"* ]]
}

_cpufreq_resolve_requested() {
    echo " ${dracutmodules-} ${add_dracutmodules-} ${force_add_dracutmodules-} "
}

# The drivers that the modules-load.d files below $1 name, one a line, with underscores.
_cpufreq_resolve_named() {
    local dir file line
    local -A seen=()
    local drivers=" ${_cpufreq_resolve_drivers[*]//-/_} "

    for dir in "${_cpufreq_resolve_confdirs[@]}"; do
        for file in "$1/$dir"/modules-load.d/*.conf; do
            [[ -e $file && ! -d $file && ! ${seen[${file##*/}]-} ]] || continue
            seen[${file##*/}]=1
            while read -r line || [[ -n $line ]]; do
                line=${line//-/_}
                [[ -n $line && $drivers == *" $line "* ]] && echo "$line"
            done < "$file"
        done
    done
}

# dracut leaves /etc/modprobe.d out of generic images and /usr/local/lib out of all. What is said
# there of us or of a driver must hold in the initramfs too. The whole file, and every file of the
# same name: one in /etc replaces its namesake in /usr/lib, be it by saying nothing.
_cpufreq_resolve_inst_modprobe() {
    local dir file name words
    local root=${dracutsysrootdir-}
    local -A names=()

    printf -v words '%s|' "${_cpufreq_resolve_drivers[@]}" "${_cpufreq_resolve_governors[@]}"
    words=${words//[-_]/[-_]}'cpufreq[-_]resolve|(intel|amd)[-_]pstate'

    for dir in "${_cpufreq_resolve_confdirs[@]}"; do
        for file in "$root/$dir"/modprobe.d/*.conf; do
            name=${file##*/}
            if [[ $name == cpufreq-resolve*.conf ]] || { [[ -f $file ]] && grep -Eqs "$words" "$file"; }; then
                names[$name]=1
            fi
        done
    done

    for dir in "${_cpufreq_resolve_confdirs[@]}"; do
        for name in "${!names[@]}"; do
            file=/$dir/modprobe.d/$name
            [[ -e $root$file && ! -d $root$file && ! -e $initdir$file ]] || continue
            # A link into /run says what holds in this boot.
            [[ $(readlink -f "$root$file") == "$root"/run/* ]] && continue
            if [[ ! -s $root$file ]]; then
                # Empty or a link to /dev/null: a mask. dracut-install would copy the device.
                mkdir -p "$initdir${file%/*}"
                ln -sfn /dev/null "$initdir$file"
            elif [[ $dir == etc && -n ${hostonly-} ]]; then
                inst_multiple -H -o "$file"
            else
                inst_multiple -o "$file"
            fi
        done
    done
}

# The same for modules-load.d, but only the lines that matter: the other modules that such a file
# names are not in a generic image, and systemd-modules-load.service would fail there.
_cpufreq_resolve_inst_modules_load() {
    local name
    local -a missing=()
    local here

    here=" $(_cpufreq_resolve_named "$initdir" | tr '\n' ' ') "
    while read -r name; do
        [[ $here == *" $name "* ]] || missing+=("$name")
    done < <(_cpufreq_resolve_named "${dracutsysrootdir-}")
    ((${#missing[@]})) || return 0

    mkdir -p "$initdir/etc/modules-load.d"
    {
        echo "# Made by the dracut module cpufreq-resolve: what the host's modules-load.d says of drivers."
        printf '%s\n' "${missing[@]}"
    } > "$initdir/etc/modules-load.d/cpufreq-resolve-image.conf"
}

# Of udev's rules dracut copies those it knows. A file of the name that ours has in /run masks it, and
# that must hold in the initramfs too.
_cpufreq_resolve_inst_rule_mask() {
    local file=/etc/udev/rules.d/79-cpufreq-resolve-boot.rules

    [[ -e ${dracutsysrootdir-}$file || -L ${dracutsysrootdir-}$file ]] || return 0
    mkdir -p "$initdir${file%/*}"
    ln -sfn /dev/null "$initdir$file"
}

# libkmod since 34 may dlopen() its decompressors, and a library that is only dlopen()ed is not
# copied with it. Whether it wants the one for $1 can be read in it: the name is there either way.
_cpufreq_resolve_inst_decompressor() {
    local dir file
    local -A soname=([gz]=libz.so.1 [xz]=liblzma.so.5 [zst]=libzstd.so.1)

    for dir in $libdirs; do
        for file in "$initdir$dir"/libkmod.so.*; do
            if [[ -f $file ]] && grep -qF "${soname[$1]}" "$file"; then
                inst_libdir_file "${soname[$1]}*"
                return 0
            fi
        done
    done
}

# What goes into the image is not the host's program but the small one, which has no more than a boot
# needs. It lies beside: PREFIX/bin/cpufreq-resolve, PREFIX/libexec/cpufreq-resolve/cpufreq-resolve-image.
_cpufreq_resolve_program() {
    local program dir
    program=$(find_binary cpufreq-resolve) || return 1
    for dir in "${program%/*bin/*}"/{libexec,lib} /usr/{libexec,lib}; do
        [[ -x ${dracutsysrootdir-}$dir/cpufreq-resolve/cpufreq-resolve-image ]] || continue
        echo "$dir/cpufreq-resolve/cpufreq-resolve-image"
        return 0
    done
    return 1
}

# called by dracut
check() {
    require_binaries cpufreq-resolve || return 1
    if ! _cpufreq_resolve_program > /dev/null; then
        dwarning "cpufreq-resolve: libexec/cpufreq-resolve/cpufreq-resolve-image is not there; the image is made without us"
        return 1
    fi
    # A module that is asked for by name and refuses ends dracut: then come along, empty.
    if _cpufreq_resolve_in_kdump; then
        [[ $(_cpufreq_resolve_requested) == *" cpufreq-resolve "* ]] || return 1
    fi
    return 0
}

# called by dracut
depends() {
    return 0
}

# called by dracut
installkernel() {
    local file name line
    local -A present=() named=() packed=()

    _cpufreq_resolve_in_kdump && return 0

    # A host-only image would get those that are loaded here and now: at most one of them.
    hostonly='' instmods "${_cpufreq_resolve_drivers[@]}" "${_cpufreq_resolve_governors[@]}"

    while read -r file; do
        name=${file##*/}
        name=${name%%.ko*}
        present[${name//-/_}]=1
        case $file in
            *.gz | *.xz | *.zst) packed[${file##*.}]=1 ;;
        esac
    done < <(find "$initdir/lib/modules/$kernel/" -name '*.ko*' 2> /dev/null)

    for name in "${!packed[@]}"; do
        _cpufreq_resolve_inst_decompressor "$name"
    done

    # systemd-modules-load obeys a blacklist even for names, so what it is to load stays out of ours.
    if [[ -n ${systemdutildir-} && -e $initdir$systemdutildir/systemd-modules-load ]]; then
        while read -r name; do
            named[$name]=1
        done < <(_cpufreq_resolve_named "$initdir")
    fi

    # Without us no such module is in an initramfs. So here, and only here, udev must not ask for
    # them, also when the program is switched off or broken. /lib, because kmod before 32 reads no
    # other one; where /usr is merged it is the same folder.
    line=
    for name in "${_cpufreq_resolve_drivers[@]//-/_}"; do
        [[ ${present[$name]-} && ! ${named[$name]-} ]] && line+="blacklist $name"$'\n'
    done
    if [[ -n $line ]]; then
        mkdir -p "$initdir/lib/modprobe.d"
        {
            echo "# Made by the dracut module cpufreq-resolve, for this image only: udev leaves these alone,"
            echo "# cpufreq-resolve loads the right one by its name."
            printf '%s' "$line"
        } > "$initdir/lib/modprobe.d/cpufreq-resolve-image.conf"
    fi

    # A driver that this kernel has not is no reason for dracut to give up.
    return 0
}

# called by dracut
install() {
    _cpufreq_resolve_in_kdump && return 0

    # One place, whatever the prefix on the host: the unit names it, and it is in dracut's PATH.
    inst_binary "$(_cpufreq_resolve_program)" /usr/bin/cpufreq-resolve

    if dracut_module_included "systemd"; then
        inst_simple "$moddir/cpufreq-resolve-initrd.service" \
            "$systemdsystemunitdir/cpufreq-resolve-initrd.service"
        $SYSTEMCTL -q --root "$initdir" add-wants sysinit.target cpufreq-resolve-initrd.service
    else
        inst_multiple mkdir sleep
        inst_hook pre-udev 10 "$moddir/cpufreq-resolve.sh"
    fi

    _cpufreq_resolve_inst_modprobe
    _cpufreq_resolve_inst_modules_load
    _cpufreq_resolve_inst_rule_mask
}
