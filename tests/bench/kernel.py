# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel layer beside what an administrator can do: the guest of kernel-patches/measure, whose kernels have a small
configuration of their own, so that these figures go with each other and not with those of boots.py."""

import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests/vm"))
sys.path.insert(0, os.path.join(TOP, "kernel-patches"))
import klib  # noqa: E402
import scope  # noqa: E402
import vmlib  # noqa: E402

LINES = ("6.1", "7.2")
CPUS = (4, 16, 64)
INDEX = ("modules.alias.bin", "modules.dep.bin", "modules.symbols.bin")


def rule(folder, _release):
    path = os.path.join(folder, "rule")
    klib.write(path, scope.BARE_RULE.replace("\\n", "\n"))
    return {"usr/lib/udev/rules.d/79-bare.rules": path}


def no_modules(folder, release):
    """The index of a machine that has none: udev finds nothing to ask for."""
    modules = os.path.join(folder, "lib/modules", release)
    os.makedirs(modules)
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        klib.write(os.path.join(modules, name), "")
    klib.must(["depmod", "-b", folder, release])
    return {f"usr/lib/modules/{release}/{name}": os.path.join(modules, name) for name in INDEX}


# {name: (patched, what gives {path in the guest: path here})}
VARIANTS = {
    "nothing": (False, None),
    "bare rule": (False, rule),
    "our kernel patches": (True, None),
    "floor": (False, no_modules),
}


def measure(lines=LINES, cpus=CPUS):
    """A row for each kernel, number of CPUs and variant; one boot each."""
    guest = vmlib.load_script("measure", os.path.join(TOP, "kernel-patches"))
    for line in lines:
        release = klib.read(guest.kernel_tree(line, False, ""), "build/include/config/kernel.release").strip()
        for number in cpus:
            for name, (patched, files) in VARIANTS.items():
                with tempfile.TemporaryDirectory() as folder:
                    boot = guest.Boot(f"bench-{name.replace(' ', '-')}-{number}", "coldplug,verdict", number, {}, lines=(line,),
                                      files=files(folder, release) if files else None)
                    document = guest.result(boot, line, patched, False)
                f = document["figures"]
                most = f["none_most_inits_of_one"].split()
                yield {"kernel": line, "cpus": number, "variant": name, "day": document["date"], "requests": int(f["none_requests"]),
                       "inits": int(f["none_all_inits"]), "most": int(most[0]) if most else 0, "s": int(f["none_ms"]) / 1000}
