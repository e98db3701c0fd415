# SPDX-License-Identifier: GPL-2.0-or-later
"""The nearest to a boot without an initramfs: Debian's kernels have no driver for a root disk built in, so an image
loads that and starts the host's init. No udev runs in it, and nothing of ours is in it."""

import os
import shutil

import lean
import vmlib
from vmlib import say

MODULES = "virtio_pci virtio_blk ext4".split()
PROGRAMS = "usr/bin/kmod usr/bin/busybox".split()
INIT = """#!/usr/bin/busybox sh
export PATH=/usr/sbin:/usr/bin
busybox mount -t devtmpfs devtmpfs /dev
busybox mount -t proc proc /proc
busybox mount -t sysfs sysfs /sys
modprobe -a MODULES
while ! busybox mount -t ext4 "$(busybox findfs LABEL=vmroot 2>/dev/null || echo /none)" /root 2>/dev/null; do
    busybox sleep 0.2
done
busybox umount /sys /proc
exec busybox switch_root /root /sbin/init
"""


def files(base_root, release):
    top = os.path.join(base_root, "usr/lib/modules", release)
    depends = lean.dependencies(top)
    wanted = set()
    for name, needs in depends.items():
        if lean.stem(name) in MODULES:
            wanted.update([name, *needs])
    # ext4 asks for its checksum by name, which modules.dep does not tell.
    wanted.update(n for n in depends if os.path.basename(n).startswith(("crc32c_generic.", "crc32c-cryptoapi.", "libcrc32c.")))
    return wanted


def image(base, release):
    with open(__file__, "rb") as file:
        key = vmlib.key_of(os.path.basename(base), file.read())

    def make(folder):
        say("bare image")
        root, base_root = os.path.join(folder, "root"), os.path.join(base, "root")
        for name in "proc sys dev root usr/bin usr/sbin usr/lib usr/lib64".split():
            os.makedirs(os.path.join(root, name))
        for name in ("bin", "sbin", "lib", "lib64"):
            os.symlink("usr/" + name, os.path.join(root, name))
        for program in PROGRAMS:
            for path in [program, *lean.libraries(base_root, program)]:
                lean.install(base_root, root, path)
        for library in lean.OPENED_LATER:
            for path in [library, *lean.libraries(base_root, library)]:
                lean.install(base_root, root, path)
        os.symlink("../bin/kmod", os.path.join(root, "usr/sbin/modprobe"))
        for name in [*files(base_root, release), "modules.builtin", "modules.builtin.modinfo", "modules.order"]:
            lean.install(base_root, root, os.path.join("usr/lib/modules", release, name))
        vmlib.call(["depmod", "-b", root, release])
        vmlib.put_file(root, "init", INIT.replace("MODULES", " ".join(MODULES)), 0o755)
        with open(os.path.join(folder, "initrd.img"), "wb") as out:
            vmlib.call(["sh", "-c", "find . | cpio -o -H newc --quiet"], cwd=root, stdout=out)
        shutil.rmtree(root)

    return os.path.join(vmlib.cached(f"bare-{key}", make), "initrd.img")
