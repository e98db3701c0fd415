# SPDX-License-Identifier: GPL-2.0-or-later
"""The lean guest: an initramfs with busybox, the base's own systemd-udevd and kmod, and a few modules."""

import os
import shutil
import subprocess

import vmlib
from vmlib import HERE, say

PROGRAM = "usr/bin/cpufreq-resolve"
IMAGE_PROGRAM = "usr/libexec/cpufreq-resolve/cpufreq-resolve-image"
PROGRAMS = "usr/lib/systemd/systemd-udevd usr/bin/udevadm usr/bin/kmod usr/bin/busybox".split()
# What newer ones of them open at run time only, so that ldd doesn't know; all but the first are for compressed modules.
OPENED_LATER = [f"usr/lib/x86_64-linux-gnu/{name}" for name in ("libkmod.so.2", "liblzma.so.5", "libzstd.so.1", "libz.so.1")]
RULES = ("50-udev-default.rules", "80-drivers.rules")
APPLETS = (
    "sh mount cat echo ls sleep mkdir cp mv rm sed grep dmesg uname stat tar dd true false printf ln sync"
).split()
# All of cpufreq, and what the results disk needs. Modules of other CPU features are left out unless asked for: they are
# loaded in the same storm, but take most of the time.
MODULES = ("kernel/drivers/cpufreq", "virtio_pci", "virtio_blk")


def libraries(root, program):
    """The shared libraries of a program of the base, by the base's own ldd."""
    done = subprocess.run(
        ["chroot", root, "ldd", "/" + program], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return [w for w in done.stdout.split() if w.startswith("/")]


def install(base_root, root, path):
    """Copy a file of the base, links followed, to the same place."""
    source = os.path.join(base_root, path.lstrip("/"))
    target = os.path.join(root, path.lstrip("/"))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not os.path.exists(target):
        # Absolute links would leave the base: those of Debian's libraries are relative.
        shutil.copy2(os.path.realpath(source), target)


def stem(path):
    return os.path.basename(path).partition(".")[0].replace("-", "_")


def dependencies(top):
    with open(os.path.join(top, "modules.dep"), encoding="ascii") as file:
        pairs = (line.split(":") for line in file)
        return {name: needs.split() for name, needs in pairs}


def with_cpu_alias(top):
    """The modules that udev asks for because of a CPU or an ACPI processor."""
    with open(os.path.join(top, "modules.alias"), encoding="ascii") as file:
        words = [line.split() for line in file]
    kinds = ("cpu:type:", "acpi*:ACPI0007:", "acpi*:LNXCPU:")
    return {w[2] for w in words if len(w) == 3 and w[0] == "alias" and w[1].startswith(kinds)}


def asked_for_cpus(top):
    """The same, with what they depend on."""
    found = set(with_cpu_alias(top))
    for name, needs in dependencies(top).items():
        if stem(name) in found:
            found.update(stem(need) for need in needs)
    return sorted(found)


def module_files(base_root, release, which):
    """The modules wanted and what they depend on, below lib/modules/RELEASE."""
    top = os.path.join(base_root, "usr/lib/modules", release)
    depends = dependencies(top)
    wanted, others = set(), with_cpu_alias(top) if which == "cpu" else ()
    for name, needs in depends.items():
        is_cpufreq = name.startswith(MODULES[0] + "/") and which != "none"
        if is_cpufreq or stem(name) in MODULES[1:] or stem(name) in others:
            wanted.update([name, *needs])
    return top, sorted(wanted)


def fill(root, options, base, release, tree):
    base_root = os.path.join(base, "root")
    for folder in "proc sys dev run tmp etc/udev usr/bin usr/sbin usr/lib/udev/rules.d usr/lib64 vm".split():
        os.makedirs(os.path.join(root, folder))
    for name in ("bin", "sbin", "lib", "lib64"):
        os.symlink("usr/" + name, os.path.join(root, name))
    for program in PROGRAMS:
        install(base_root, root, program)
        for library in libraries(base_root, program):
            install(base_root, root, library)
    for library in OPENED_LATER:
        for needed in [library, *libraries(base_root, library)]:
            install(base_root, root, needed)
    for applet in APPLETS:
        os.symlink("busybox", os.path.join(root, "usr/bin", applet))
    # By the kernel and by name: busybox's own modprobe would load a refused module twice.
    for name in ("modprobe", "rmmod", "insmod", "lsmod"):
        os.symlink("../bin/kmod", os.path.join(root, "usr/sbin", name))
    for rule in RULES:
        install(base_root, root, "usr/lib/udev/rules.d/" + rule)
    top, names = module_files(base_root, release, options.lean_modules)
    for name in names + ["modules.builtin", "modules.builtin.modinfo", "modules.order"]:
        install(base_root, root, os.path.join("usr/lib/modules", release, name))
    vmlib.put_file(root, "etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
    vmlib.put_file(root, "etc/group", "root:x:0:\n")
    vmlib.put_file(root, "etc/initrd-release", "ID=lean\n")
    shutil.copy2(os.path.join(HERE, "guest/lean/init"), os.path.join(root, "init"))
    shutil.copy2(os.path.join(HERE, "guest/root/usr/lib/vm/records"), os.path.join(root, "vm/records"))
    if options.tree and not options.no_initramfs_of_ours:
        vmlib.overlay(root, tree)
        # As the generators do it; the other verbs, of which init asks two, are the host's.
        os.rename(os.path.join(root, PROGRAM), os.path.join(root, "vm/cpufreq-resolve"))
        os.rename(os.path.join(root, IMAGE_PROGRAM), os.path.join(root, PROGRAM))
    for path, content in options.image_and_host_file:
        vmlib.put_file(root, path, content)
    vmlib.call(["depmod", "-b", root, release])


def image(options, base, release, tree):
    with open(__file__, "rb") as file:
        key = vmlib.key_of(
            os.path.basename(base), file.read(), vmlib.key_of_tree(os.path.join(HERE, "guest")), vmlib.key_of_tree(tree),
            bool(options.tree), options.no_initramfs_of_ours, options.image_and_host_file, options.lean_modules,
        )

    def make(folder):
        say("lean image")
        root = os.path.join(folder, "root")
        os.makedirs(root)
        fill(root, options, base, release, tree)
        with open(os.path.join(folder, "initrd.img"), "wb") as out:
            vmlib.call(["sh", "-c", "find . | cpio -o -H newc --quiet"], cwd=root, stdout=out)
        shutil.rmtree(root)

    return os.path.join(vmlib.cached(f"lean-{key}", make), "initrd.img")
