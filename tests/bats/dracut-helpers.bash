# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Builds real images with the host's dracut and this tree's module, and unpacks them.

TREE=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
MODULE=$TREE/dracut-module/50cpufreq-resolve
MODSET=debian-6.1.0-57-amd64

fail() {
    printf '%s\n' "$@" >&2
    return 1
}

# equal EXPECTED GOT [WHAT]
equal() {
    [[ $1 == "$2" ]] || fail "${3-}" "expected:" "$1" "got:" "$2"
}

# The host's program, and the small one that goes into the images: the built ones, else some that link to
# the same library. $T is their prefix.
make_program() {
    SMALL=$T/libexec/cpufreq-resolve/cpufreq-resolve-image
    export SMALL
    mkdir -p "$T/bin" "${SMALL%/*}"
    if [[ -n ${CPUFREQ_RESOLVE-} ]]; then
        cp "$CPUFREQ_RESOLVE" "$T/bin/cpufreq-resolve"
        cp "$CPUFREQ_RESOLVE-image" "$SMALL"
    else
        cc -x c -o "$T/bin/cpufreq-resolve" - -lkmod << 'STUB'
#include <stddef.h>
#include <libkmod.h>
int main(void) { return !kmod_new("/", NULL); }
STUB
        echo 'int main(void) { return 0; }' | cc -x c -Wl,--no-as-needed -o "$SMALL" - -lkmod
    fi
}

build_id() {
    readelf -n "$1" | sed -n 's/.*Build ID: //p' | grep .
}

# make_shadow NAME [MODULE...]: a dracut with our module, and of its own only those that are given, else
# all. dracut takes its folder from dracutbasedir.
make_shadow() {
    local name=$1 dir
    shift
    cp -rs /usr/lib/dracut/. "$T/$name"
    if (($#)); then
        for dir in "$T/$name"/modules.d/*; do
            [[ " $* " == *" ${dir##*/??} "* ]] || rm -r "$dir"
        done
    fi
    cp -r "$MODULE" "$T/$name/modules.d/"

    # Modules of others by whose names we go; only the names matter.
    for dir in 99kdumpbase 99kdump 99earlykdump; do
        mkdir "$T/$name/modules.d/$dir"
        printf '#!/bin/bash\ncheck() {\n    return 255\n}\n' > "$T/$name/modules.d/$dir/module-setup.sh"
    done
}

# A kernel's modules, some of them compressed. Not out of the cache: those are links, not to be touched.
make_module_tree() {
    local dir
    "$TREE/tests/tools/make-modules" --no-cache "$MODSET" "$T/modules"
    KVER=$("$TREE/tests/tools/make-modules" --release "$MODSET")
    export KVER
    dir=$T/modules/lib/modules/$KVER/kernel/drivers/cpufreq
    xz --check=crc32 "$dir/pcc-cpufreq.ko" "$dir/cpufreq_ondemand.ko"
    zstd -q --rm "$dir/powernow-k8.ko"
    depmod -b "$T/modules" "$KVER"
}

# build NAME dracut's options: the image, unpacked into $T/NAME. By the dracut SHADOW, else "shadow",
# with no configuration of this host.
build() {
    local name=$1
    shift
    mkdir -p "$T/no.conf.d"
    # dracut makes no host-only image where /run is not a mount, as in a plain chroot.
    local -a with_run=()
    findmnt --target /run > /dev/null \
        || with_run=(unshare --mount --propagation unchanged
            sh -c 'mount -t tmpfs tmpfs /run && trap "umount -l /run" EXIT && "$@"' sh)
    "${with_run[@]}" env dracutbasedir="$T/${SHADOW-shadow}" DRACUT_PATH="$T/bin /sbin /bin /usr/sbin /usr/bin" \
        PATH="$T/bin:$PATH:/usr/sbin:/sbin" DRACUT_NO_MKNOD=1 \
        dracut --conf /dev/null --confdir "$T/no.conf.d" --tmpdir "$T" --no-compress --no-early-microcode \
        "$@" "$T/$name.img" > "$T/$name.log" 2>&1 || fail "dracut failed:" "$(cat "$T/$name.log")" || return 1
    mkdir "$T/$name"
    (cd "$T/$name" && cpio -id --quiet < "$T/$name.img") || fail "cpio failed"
}

with_kernel() {
    build "$@" --kver "$KVER" --kmoddir "$T/modules/lib/modules/$KVER"
}

# Every path in an image.
files_in() {
    cpio -it --quiet < "$T/$1.img"
}

# Names with underscores of the modules in $1 (a lib/modules/RELEASE), below drivers/cpufreq.
modules_in() {
    find "$1/" -path '*/drivers/cpufreq/*' -name '*.ko*' -printf '%f\n' | sed 's/\.ko.*//; s/-/_/g' | LC_ALL=C sort
}

drivers_in() {
    modules_in "$1" | grep -v '^cpufreq_'
}

denied_in() {
    sed -n 's/^blacklist //p' "$T/$1/lib/modprobe.d/cpufreq-resolve-image.conf" | LC_ALL=C sort
}
