#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is known of the image after switch-root, whichever generator made it.
# shellcheck disable=SC2154 # variables of the helpers

bats_require_minimum_version 1.5.0
load helpers

setup() {
    machine
}

@test "an image of dracut and one of initramfs-tools are both the initramfs" {
    local marker
    for marker in etc/initrd-release conf/initramfs.conf; do
        put "$marker"
        cli --root "$root" apply
        is "$status" 0
        has "$(cat "$root/$STATE")" "IMAGE_VERSION=" "$marker"
        rm -r "${root:?}/$marker" "${root:?}/$STATE"
    done
    cli --root "$root" apply
    [[ $(cat "$root/$STATE") != *IMAGE_VERSION=* ]] || fail "a host is no image"
}

@test "status says when the image was made with another version, and keeps saying so" {
    put etc/initrd-release
    cli --root "$root" apply
    rm "$root/etc/initrd-release"
    cli --root "$root" status
    [[ $out != *"rebuild the initramfs"* ]] || fail "$out"
    sed -i 's/^IMAGE_VERSION=.*/IMAGE_VERSION=0.0.9/' "$root/$STATE"
    # The host's own run writes the state anew.
    put etc/modprobe.d/a.conf "blacklist acpi_cpufreq"
    cli --root "$root" apply
    is "$status" 0
    cli --root "$root" status
    has "$out" "image     made with version 0.0.9, this is"
    has "$out" "rebuild the initramfs"
    cli --root "$root" status --json
    is "$(jq -r .image_version <<< "$out")" 0.0.9
}
