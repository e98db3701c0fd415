#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Images and systems that are not the common ones: rescue images, more than one kernel, a split or a read-only /usr.
# shellcheck disable=SC2154 # variables of the helpers

bats_require_minimum_version 1.5.0
load dracut-helpers

PLAIN="dash base kernel-modules cpufreq-resolve"

setup_file() {
    export T=$BATS_FILE_TMPDIR
    make_program
    make_module_tree
    make_shadow shadow
    with_kernel plain --no-hostonly --modules "$PLAIN"
}

setup() {
    export T=$BATS_FILE_TMPDIR
}

@test "a rescue image has us and every driver, and denies them" {
    # As Fedora's 51-dracut-rescue.install calls it.
    with_kernel rescue --no-hostonly --add rescue
    [[ -x $T/rescue/usr/bin/cpufreq-resolve ]]
    equal "$(drivers_in "$T/plain/lib/modules/$KVER")" "$(drivers_in "$T/rescue/lib/modules/$KVER")"
    # fsck of the rescue module: that it is such an image.
    run -0 lsinitrd "$T/rescue.img"
    [[ $output == *$'\n'rescue$'\n'* ]] || fail "$output"
    equal "$(drivers_in "$T/rescue/lib/modules/$KVER")" "$(denied_in rescue)"
}

@test "another kernel's image has that kernel's drivers, and denies these" {
    local other=debian-6.12.117-amd64 release
    "$TREE/tests/tools/make-modules" --no-cache "$other" "$T/other"
    release=$("$TREE/tests/tools/make-modules" --release "$other")
    [[ $release != "$KVER" ]]
    build other-image --no-hostonly --kver "$release" --kmoddir "$T/other/lib/modules/$release" --modules "$PLAIN"
    [[ -x $T/other-image/usr/bin/cpufreq-resolve && ! -e $T/other-image/lib/modules/$KVER ]]
    equal "$(drivers_in "$T/other/lib/modules/$release" | grep -v '^amd_freq_sensitivity$')" "$(denied_in other-image)"
    [[ $(denied_in other-image) == *acpi_cpufreq* ]]
}

@test "a kernel without modules.builtin gets its image all the same" {
    cp -r "$T/modules" "$T/no-builtin"
    rm "$T/no-builtin/lib/modules/$KVER"/modules.builtin*
    build no-builtin-image --no-hostonly --kver "$KVER" --kmoddir "$T/no-builtin/lib/modules/$KVER" --modules "$PLAIN"
    [[ -x $T/no-builtin-image/usr/bin/cpufreq-resolve ]]
    equal "$(denied_in plain)" "$(denied_in no-builtin-image)"
}

@test "where /lib is no link into /usr, kmod of the image still reads the deny list" {
    local image=$T/split name
    [[ -L $T/plain/lib ]]
    cp -a "$T/plain" "$image"
    rm "$image/lib"
    mkdir "$image/lib"
    for name in "$image"/usr/lib/*; do
        ln -s "../usr/lib/${name##*/}" "$image/lib/"
    done
    # What the image holds in /lib/modprobe.d is there alone.
    rm "$image/lib/modprobe.d"
    mkdir "$image/lib/modprobe.d"
    mv "$image/usr/lib/modprobe.d/cpufreq-resolve-image.conf" "$image/lib/modprobe.d/"
    run -0 chroot "$image" /sbin/modprobe -S "$KVER" --dry-run --verbose acpi_cpufreq
    [[ $output == *acpi-cpufreq.ko* ]] || fail "$output"
    run -0 chroot "$image" /sbin/modprobe -S "$KVER" --dry-run --verbose acpi:ACPI0007:
    equal "" "$output"
    # Without it the alias leads to the drivers.
    rm "$image/lib/modprobe.d/cpufreq-resolve-image.conf"
    run -0 chroot "$image" /sbin/modprobe -S "$KVER" --dry-run --verbose acpi:ACPI0007:
    [[ $output == *-cpufreq.ko* ]] || fail "$output"
}

@test "the module writes the deny list into /lib, wherever that leads" {
    # With a split /usr dracut leaves /lib of the image a folder of its own.
    local initdir=$T/split-initdir moddir=$MODULE kernel=1 libdirs=/usr/lib
    mkdir -p "$initdir"/{lib/modules/1,usr/lib}
    : > "$initdir/lib/modules/1/acpi-cpufreq.ko"
    instmods() { :; }
    # shellcheck disable=SC1091 # the module itself
    . "$MODULE/module-setup.sh"
    installkernel
    grep -qx 'blacklist acpi_cpufreq' "$initdir/lib/modprobe.d/cpufreq-resolve-image.conf"
    [[ ! -e $initdir/usr/lib/modprobe.d ]]
}

@test "with all but /run read-only the program does the same" {
    local root=$T/ro done=$T/ro-done
    "$TREE/tests/tools/make-machine" "$TREE/tests/unit/apply.machine" "$root"
    mkdir -p "$root/run"
    cp -a "$root" "$done"
    "$T/bin/cpufreq-resolve" --root "$done" apply
    [[ -s $done/run/modprobe.d/cpufreq-resolve-boot.conf ]]
    local -a propagation=()
    unshare --mount true 2> /dev/null || propagation=(--propagation unchanged)
    run -0 unshare --mount "${propagation[@]}" sh -ec 'trap "umount -l \"$1/run\" \"$1\"" EXIT
        mount --bind "$1" "$1"
        mount -o remount,bind,ro "$1"
        mount -t tmpfs tmpfs "$1/run"
        ! touch "$1/etc/x" 2> /dev/null
        "$2" --root "$1" apply
        cat "$1/run/modprobe.d/cpufreq-resolve-boot.conf"' sh "$root" "$T/bin/cpufreq-resolve"
    equal "$(cat "$done/run/modprobe.d/cpufreq-resolve-boot.conf")" "$(grep -v '^cpufreq-resolve: ' <<< "$output")"
}
