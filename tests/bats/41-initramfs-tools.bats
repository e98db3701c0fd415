#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A real image that mkinitramfs made with our hook, looked into; and the boot script, run.
# shellcheck disable=SC2154 # variables of the helpers

bats_require_minimum_version 1.5.0
load dracut-helpers

PARTS=$TREE/packaging/initramfs-tools

setup_file() {
    export T=$BATS_FILE_TMPDIR
    command -v mkinitramfs > /dev/null || fail "mkinitramfs is not installed"
    make_program
    make_module_tree
    share
    make_image plain
}

setup() {
    export T=$BATS_FILE_TMPDIR
}

share() {
    mkdir -p "$T/share"
    cp "$TREE/packaging/initramfs/image.sh" "$T/share/"
    cp "$MODULE/cpufreq-resolve.sh" "$T/share/before-udev.sh"
}

# The hook as meson installs it, but with the program and the files of this test.
configured() {
    sed "s,@LIBEXECDIR@,$T/libexec,; s,@SHAREDIR@,${1:-$T/share}," "$PARTS/hook.in"
}

# make_image NAME: the image, unpacked into $T/NAME. A mount namespace puts the test's kernel, our hook and the
# administrator's files ($T/NAME.host) where mkinitramfs looks; of this machine only mount points are made, if missing.
# $T/NAME.functions, where it is there, replaces hook functions.
make_image() {
    local name=$1 upper=$T/$1.host
    mkdir -p "$upper"/{modprobe.d,modules-load.d} "$T/$1.conf"/{hooks,scripts,conf.d} "$T/boot"
    cp -rn /etc/initramfs-tools/. "$T/$1.conf/" 2> /dev/null || true
    printf 'MODULES=list\nBUSYBOX=auto\nCOMPRESS=gzip\n' > "$T/$1.conf/initramfs.conf"
    [[ -e $T/$1.conf/modules ]] || : > "$T/$1.conf/modules"
    echo "CONFIG_RD_GZIP=y" > "$T/boot/config-$KVER"
    configured > "$T/its-hook"
    install -D "$T/its-hook" "$T/its/hooks/cpufreq-resolve"
    install -D "$PARTS/init-top" "$T/its/scripts/init-top/cpufreq-resolve"
    cat > "$T/$1.sh" << SCRIPT
set -e
mkdir -p /usr/lib/modules /boot /etc/modprobe.d /etc/modules-load.d
trap 'umount -l /usr/share/initramfs-tools /usr/lib/modules /boot /etc/modprobe.d /etc/modules-load.d 2> /dev/null' EXIT
mount --bind "$T/its.all" /usr/share/initramfs-tools
mount --bind "$T/modules/lib/modules" /usr/lib/modules
mount --bind "$T/boot" /boot
mount --bind "$upper/modprobe.d" /etc/modprobe.d
mount --bind "$upper/modules-load.d" /etc/modules-load.d
export PATH=$T/bin:/usr/sbin:/usr/bin:/sbin:/bin TMPDIR=$T
mkinitramfs -d "$T/$1.conf" -o "$T/$1.img" "$KVER"
SCRIPT
    rm -rf "$T/its.all"
    cp -r /usr/share/initramfs-tools "$T/its.all"
    cp -r "$T/its/." "$T/its.all/"
    [[ ! -e $T/$1.functions ]] || cat "$T/$1.functions" >> "$T/its.all/hook-functions"
    # In a plain chroot nothing can be made private; the script undoes what it mounts.
    local -a propagation=()
    unshare --mount true 2> /dev/null || propagation=(--propagation unchanged)
    unshare --mount "${propagation[@]}" sh "$T/$1.sh" > "$T/$1.log" 2>&1 || fail "mkinitramfs failed:" "$(cat "$T/$1.log")" || return 1
    unmkinitramfs "$T/$1.img" "$T/$1" || return 1
    [[ ! -d $T/$1/main ]] || { mv "$T/$1/main" "$T/$1.main" && rm -r "${T:?}/$1" && mv "$T/$1.main" "$T/$1"; }
}

@test "the scripts are POSIX, executable, and name no prerequisite" {
    local file
    for file in "$PARTS/hook.in" "$PARTS/init-top" "$TREE/packaging/initramfs/image.sh"; do
        dash -n "$file"
        bash --posix -n "$file"
    done
    for file in "$PARTS/hook.in" "$PARTS/init-top"; do
        run -0 sh "$file" prereqs
        equal "" "$output" "$file"
    done
}

@test "one list of drivers and of governors: dracut's, and the one of the others" {
    # shellcheck disable=SC1091 # only for its lists
    equal "$(. "$MODULE/module-setup.sh" && printf '%s\n' "${_cpufreq_resolve_drivers[@]}")" \
        "$(. "$TREE/packaging/initramfs/image.sh" && printf '%s\n' $cpufreq_resolve_drivers)"
    equal "$(. "$MODULE/module-setup.sh" && printf '%s\n' "${_cpufreq_resolve_governors[@]}")" \
        "$(. "$TREE/packaging/initramfs/image.sh" && printf '%s\n' $cpufreq_resolve_governors)"
}

@test "the program is in the image and starts there" {
    run -0 chroot "$T/plain" /usr/bin/cpufreq-resolve --version
    [[ $output == cpufreq-resolve* ]]
}

@test "the boot script runs before udev" {
    local ours udev
    ours=$(grep -n '^/scripts/init-top/cpufreq-resolve ' "$T/plain/scripts/init-top/ORDER" | cut -d : -f 1)
    udev=$(grep -n '^/scripts/init-top/udev ' "$T/plain/scripts/init-top/ORDER" | cut -d : -f 1)
    [[ -n $ours && -n $udev ]] || fail "$(cat "$T/plain/scripts/init-top/ORDER")"
    ((ours < udev)) || fail "$(cat "$T/plain/scripts/init-top/ORDER")"
}

@test "all drivers and governors of the kernel are in, and the image denies exactly the drivers" {
    local tree
    tree=$(modules_in "$T/modules/lib/modules/$KVER" | grep -v '^amd_freq_sensitivity$')
    equal "$tree" "$(modules_in "$T/plain/usr/lib/modules/$KVER")"
    equal "$(drivers_in "$T/plain/usr/lib/modules/$KVER")" \
        "$(sed -n 's/^blacklist //p' "$T/plain/usr/lib/modprobe.d/cpufreq-resolve-image.conf" | LC_ALL=C sort)"
}

@test "the image denies them, too, where modules are copied after the hooks" {
    # As initramfs-tools of Debian 13 does: the hooks only say what they want.
    echo 'manual_add_modules() { printf "%s\n" "$@" >> "$DESTDIR/wanted"; }' > "$T/later.functions"
    make_image later
    grep -qx acpi-cpufreq "$T/later/wanted"
    [[ -z $(drivers_in "$T/later/usr/lib/modules/$KVER") ]]
    equal "$(cat "$T/plain/usr/lib/modprobe.d/cpufreq-resolve-image.conf")" \
        "$(cat "$T/later/usr/lib/modprobe.d/cpufreq-resolve-image.conf")"
}

@test "what the administrator says is there, masks too, and what he loads by name is not denied" {
    local host=$T/admin.host
    mkdir -p "$host"/{modprobe.d,modules-load.d} "$T/admin.conf"
    echo "options cpufreq_resolve enable=0" > "$host/modprobe.d/admin.conf"
    ln -s /dev/null "$host/modprobe.d/cpufreq-resolve-boot.conf"
    printf '# p4_clockmod\npowernow-k8\nloop\n' > "$host/modules-load.d/admin.conf"
    printf 'acpi_cpufreq acpi_pstate_strict=1\n# pcc_cpufreq\n' > "$T/admin.conf/modules"
    make_image admin
    cmp "$host/modprobe.d/admin.conf" "$T/admin/etc/modprobe.d/admin.conf"
    equal /dev/null "$(readlink "$T/admin/etc/modprobe.d/cpufreq-resolve-boot.conf")"
    # The program must know both: neither is ever denied by it.
    equal "acpi_cpufreq powernow_k8" \
        "$(grep -v '^#' "$T/admin/etc/modules-load.d/cpufreq-resolve-image.conf" | paste -s -d ' ')"
    # Only initramfs-tools' own list is obeyed in the image.
    run ! grep -x 'blacklist acpi_cpufreq' "$T/admin/usr/lib/modprobe.d/cpufreq-resolve-image.conf"
    grep -qx 'blacklist powernow_k8' "$T/admin/usr/lib/modprobe.d/cpufreq-resolve-image.conf"
    grep -qx 'blacklist pcc_cpufreq' "$T/admin/usr/lib/modprobe.d/cpufreq-resolve-image.conf"
}

@test "an image for a crash kernel is made without us" {
    # The hook looks at the folder of its configuration; kdump-tools' is fixed.
    local DESTDIR=$T/kdump-dest
    mkdir -p "$DESTDIR"
    configured > "$T/kdump-hook"
    run -0 env CONFDIR=/var/lib/kdump/initramfs-tools DESTDIR="$DESTDIR" MODULESDIR=/lib/modules/1 version=1 verbose=n \
        sh "$T/kdump-hook"
    equal "" "$(find "$DESTDIR" -mindepth 1)"
}

@test "without the program, or without our files, the image is made all the same and says so" {
    local DESTDIR=$T/none
    mkdir -p "$DESTDIR"
    run -0 env CONFDIR=/etc/initramfs-tools DESTDIR="$DESTDIR" MODULESDIR=/lib/modules/1 version=1 verbose=n \
        sh <(configured "$T/no-such")
    [[ $output == *"W: cpufreq-resolve: $T/no-such/image.sh is not there"* ]] || fail "$output"
    equal "" "$(find "$DESTDIR" -mindepth 1)"
}

# boot_script: runs the image's script as init does, with its own places for /run and the kernel log.
boot_script() {
    sed "s,/run/,$T/boot-run/,; s,/dev/kmsg,$T/kmsg," "$MODULE/cpufreq-resolve.sh" > "$T/early.sh"
    sed "s,/usr/share/cpufreq-resolve/before-udev.sh,$T/early.sh,; s,/dev/kmsg,$T/kmsg," "$PARTS/init-top" > "$T/init-top"
    : > "$T/kmsg"
    PATH=$T/boot-bin:/usr/bin:/bin "$@" "$T/init-top"
}

@test "the boot script runs apply, and a failure is one line at the level of a warning" {
    local shell
    mkdir -p "$T/boot-bin"
    for shell in dash "busybox sh"; do
        printf '#!/bin/sh\necho "did $*" >&2\nexit ${FAIL:-0}\n' > "$T/boot-bin/cpufreq-resolve"
        chmod +x "$T/boot-bin/cpufreq-resolve"
        # shellcheck disable=SC2086 # a shell and its option
        boot_script $shell
        equal "did apply" "$(cat "$T/kmsg")" "$shell"
        # shellcheck disable=SC2086
        FAIL=1 boot_script $shell
        grep -q '^<4>cpufreq-resolve: ended with status 1' "$T/kmsg" || fail "$(cat "$T/kmsg")"
        rm "$T/boot-bin/cpufreq-resolve"
        # shellcheck disable=SC2086
        boot_script $shell
        grep -q '^<4>cpufreq-resolve: the program is not in this image' "$T/kmsg" || fail "$(cat "$T/kmsg")"
        [[ -d $T/boot-run/modprobe.d ]]
    done
}
