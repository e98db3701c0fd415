#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The hooks of mkinitcpio against stand-ins of the functions that it documents; against its own where MKINITCPIO names
# the folder of its source. Nothing here boots: that is untested, see packaging/README.md.
# shellcheck disable=SC2154,SC2034,SC2016 # variables of mkinitcpio; text for another shell

bats_require_minimum_version 1.5.0
load dracut-helpers

PARTS=$TREE/packaging/mkinitcpio

setup_file() {
    export T=$BATS_FILE_TMPDIR
    make_program
    make_module_tree
    mkdir -p "$T/share"
    cp "$TREE/packaging/initramfs/image.sh" "$MODULE/cpufreq-resolve-initrd.service" "$T/share/"
    cp "$MODULE/cpufreq-resolve.sh" "$T/share/before-udev.sh"
}

setup() {
    export T=$BATS_FILE_TMPDIR
}

# build NAME: run the install hook as mkinitcpio does; the image's files are in $T/NAME, the hooks that run early in
# $T/NAME.early, what it said in $T/NAME.log.
build_hook() {
    local name=$1
    mkdir -p "$T/$name/usr/lib/modules/$KVER" "$T/install" "$T/hooks"
    ln -sfn usr/lib "$T/$name/lib"
    sed "s,@LIBEXECDIR@,$T/libexec,g; s,@SHAREDIR@,$T/share," "$PARTS/install.in" > "$T/install/cpufreq-resolve"
    chmod +x "$T/install/cpufreq-resolve"
    cp "$PARTS/hook" "$T/hooks/cpufreq-resolve"
    cat > "$T/$name.bash" << SCRIPT
set -E
shopt -s extglob
BUILDROOT=$T/$name KERNELVERSION=$KVER _d_kmoduledir=$T/modules/lib/modules/$KVER _optmoduleroot=$T/modules
_d_hooks=$T/hooks _d_install=$T/install _f_config=$T/$name.conf _optquiet=1
declare -A _runhooks _addedmodules _modpaths _autodetect_cache
_d_fwpath=(/lib/firmware) _builderrors=0
PATH=\$PATH:/usr/sbin:/sbin
if [[ -n "${MKINITCPIO-}" ]]; then
    . "${MKINITCPIO-}/functions"
else
    . "$TREE/tests/bats/mkinitcpio-functions.bash"
fi
run_build_hook cpufreq-resolve || exit 1
echo "\${_runhooks[early]# }" > "$T/$name.early"
printf '%s\n' "\${!_addedmodules[@]}" | LC_ALL=C sort > "$T/$name.modules"
SCRIPT
    [[ -e $T/$name.conf ]] || echo 'MODULES=()' > "$T/$name.conf"
    bash "$T/$name.bash" > "$T/$name.log" 2>&1 || fail "the hook failed:" "$(cat "$T/$name.log")"
}

@test "the run hook is POSIX, and both hooks are sourced without doing anything" {
    dash -n "$PARTS/hook"
    bash -n "$PARTS/install.in"
    run -0 dash -c '. "$1" && command -V run_earlyhook' sh "$PARTS/hook"
    run -0 bash -c '. "$1" && declare -F build help && help' bash "$PARTS/install.in"
    [[ $output == *"before \"udev\""* ]]
}

@test "without systemd: the program, the drivers, an early hook, the deny list" {
    build_hook plain
    [[ -x $T/plain/usr/bin/cpufreq-resolve && -e $T/plain/usr/share/cpufreq-resolve/before-udev.sh ]]
    equal cpufreq-resolve "$(cat "$T/plain.early")"
    [[ -e $T/plain/hooks/cpufreq-resolve && ! -e $T/plain/usr/lib/systemd ]]
    equal "$(drivers_in "$T/modules/lib/modules/$KVER" | grep -v '^amd_freq')" \
        "$(sed -n 's/^blacklist //p' "$T/plain/usr/lib/modprobe.d/cpufreq-resolve-image.conf" | LC_ALL=C sort)"
    grep -qx acpi_cpufreq "$T/plain.modules"
    grep -qx cpufreq_ondemand "$T/plain.modules"
}

@test "with systemd: the unit, wanted by sysinit.target, and no hook" {
    mkdir -p "$T/systemd/usr/lib/systemd"
    : > "$T/systemd/usr/lib/systemd/systemd"
    build_hook systemd
    equal "" "$(cat "$T/systemd.early")"
    cmp "$MODULE/cpufreq-resolve-initrd.service" "$T/systemd/usr/lib/systemd/system/cpufreq-resolve-initrd.service"
    [[ -L $T/systemd/usr/lib/systemd/system/sysinit.target.wants/cpufreq-resolve-initrd.service ]]
    # where the link leads: to the unit
    [[ -e $T/systemd/usr/lib/systemd/system/sysinit.target.wants/cpufreq-resolve-initrd.service ]]
}

@test "a module that mkinitcpio.conf names is not denied, and the program is told of it" {
    echo 'MODULES=(acpi-cpufreq? btrfs)' > "$T/named.conf"
    build_hook named
    run ! grep -x 'blacklist acpi_cpufreq' "$T/named/usr/lib/modprobe.d/cpufreq-resolve-image.conf"
    grep -qx 'blacklist pcc_cpufreq' "$T/named/usr/lib/modprobe.d/cpufreq-resolve-image.conf"
    grep -qx acpi_cpufreq "$T/named/etc/modules-load.d/cpufreq-resolve-image.conf"
}

@test "the early hook runs apply in busybox's shell" {
    mkdir -p "$T/early-bin"
    printf '#!/bin/sh\necho "did $*" >&2\n' > "$T/early-bin/cpufreq-resolve"
    chmod +x "$T/early-bin/cpufreq-resolve"
    sed "s,/run/,$T/early-run/,; s,/dev/kmsg,$T/early-kmsg," "$MODULE/cpufreq-resolve.sh" > "$T/early.sh"
    sed "s,/usr/share/cpufreq-resolve/before-udev.sh,$T/early.sh,; s,/dev/kmsg,$T/early-kmsg," "$PARTS/hook" > "$T/early-hook"
    PATH=$T/early-bin:/usr/bin:/bin busybox sh -c '. "$1"; run_earlyhook; type warn > /dev/null 2>&1 && echo left; true' sh "$T/early-hook" \
        > "$T/early-out"
    equal "did apply" "$(cat "$T/early-kmsg")"
    equal "" "$(cat "$T/early-out")"
    [[ -d $T/early-run/modprobe.d ]]
}
