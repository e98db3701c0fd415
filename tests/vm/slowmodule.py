# SPDX-License-Identifier: GPL-2.0-or-later
"""A candidate module whose init takes long or never returns, built for the guest's kernel in the guest's own suite."""

import os
import shutil

import vmlib
from vmlib import HERE, load_script, say

INSTALL = """
set -e
apt-get update -q
apt-get -y -q --no-install-recommends -o Dir::Cache::archives=/debs install "linux-headers-$1" make
cd /module
make -C "/usr/lib/modules/$1/build" M=/module KCFLAGS="-DSECONDS=$2" modules
"""


def build(suite, release, seconds):
    """Path of the module; seconds 0: its init never returns. suite: the one that the kernel is from."""
    packages = load_script("base").packages(suite)
    source = os.path.join(HERE, "module", "acpi-cpufreq.c")
    with open(source, "rb") as file:
        key = vmlib.key_of(file.read(), INSTALL, release, os.path.basename(packages), seconds)

    def make(folder):
        say(f"building a module whose init takes {seconds or 'for ever'}")
        root = os.path.join(folder, "root")
        # A real copy: package scripts may write through a hard link.
        vmlib.call(["cp", "-a", os.path.join(packages, "root"), root])
        for name in ("etc/resolv.conf", "etc/hosts"):
            if os.path.exists("/" + name):
                with open("/" + name, "rb") as file:
                    vmlib.put_file(root, name, file.read())
        with open(source, "rb") as file:
            vmlib.put_file(root, "module/acpi-cpufreq.c", file.read())
        vmlib.put_file(root, "module/Makefile", "obj-m := acpi-cpufreq.o\n")
        debs = vmlib.debs_dir(suite)
        log = os.path.join(folder, "log")
        vmlib.chroot(root, ["sh", "-c", INSTALL, "sh", release, str(seconds)], log=log, bind=[(debs, "/debs")])
        shutil.copy2(os.path.join(root, "module/acpi-cpufreq.ko"), folder)
        shutil.rmtree(root)

    return os.path.join(vmlib.cached(f"module-{key}", make), "acpi-cpufreq.ko")
