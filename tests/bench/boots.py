# SPDX-License-Identifier: GPL-2.0-or-later
"""Lean boots (tests/vm) of one machine under several regimes, in pairs: one boot of each variant a round, so that what
else the machine does falls on all of them. A boot that was made is in the cache and is not made again."""

import json
import os
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests/vm"))
import scope  # noqa: E402
import vmlib  # noqa: E402

KERNELS = {"6.1": "bookworm", "6.12": "trixie", "7.2": "sid"}
CPUS = (4, 16, 64)
# 64 vCPUs so many times are as many announcements as a coldplug of 1,536 and of 4,096 CPUs.
COLDPLUGS = {24: 1536, 64: 4096}
# Where the time of the three that are close to each other is compared, in so many interleaved rounds. Elsewhere each
# variant is booted once, for the counts.
PAIRS = (("6.1", 16),)
PAIRED = ("bare rule", "scope=cpu", "floor")
ROUNDS = 9

RULE = "/etc/udev/rules.d/79-bare.rules"
STATIC = "blacklist acpi_cpufreq\nblacklist pcc_cpufreq\n"


def rule_of(suite):
    if suite != "sid":
        return ["--image-and-host-file", f"{RULE}={scope.BARE_RULE}"]
    return ["--image-and-host-file", f"{RULE}={scope.IMPORT_RULE}", "--image-and-host-file", f"{scope.IMPORT_FILE}={scope.IMPORT_TEXT}\\n"]


def variants(suite):
    """{name: (words for tests/vm/run, with us)}"""
    return {
        "nothing": ([], False),
        "static blacklist": (["--image-and-host-file", f"/etc/modprobe.d/static.conf={STATIC}"], False),
        "bare rule": (rule_of(suite), False),
        "scope=cpufreq": ([], True),
        "scope=cpu": (scope.settings("scope=cpu"), True),
        "floor": (["--lean-modules", "none"], False),
    }


def modules_of_cpus(document):
    """Attempts for what CPUs ask for, all phases."""
    total = 0
    for name in document["run"]["modules_for_cpus"]:
        phases = document["modules"].get(name, {}).get("attempts", {}).values()
        total += sum(phase.get("total", 0) for phase in phases)
    return total


def figures(document):
    milestones = document["milestones"]
    return {
        "attempts": modules_of_cpus(document),
        "finit_module": document["attempts"],
        "udev_cpu_s": document["udev_ticks"] / 100 if document["udev_ticks"] is not None else None,
        "coldplug_s": round(milestones["coldplug"] - milestones["trigger"], 2),
        "all_s": round(milestones["settled"] - milestones["trigger"] - 1, 2),
        "before_udev_s": round(milestones["trigger"] - (milestones["init"] or milestones["trigger"]), 2),
    }


class Boots:
    def __init__(self, runner, matrix):
        self.runner, self.matrix = runner, matrix
        self.tree = None
        self.folder = os.path.join(vmlib.cache_dir(), "bench")
        os.makedirs(self.folder, exist_ok=True)

    def product(self):
        if self.tree is None:
            self.tree = self.matrix.product()
        return self.tree

    def one(self, kernel, cpus, name, coldplugs, number):
        """The figures of one boot, from the cache if it was made before with the same harness and product."""
        suite = KERNELS[kernel]
        words, ours = variants(suite)[name]
        words = ["--kind", "lean", "--suite", suite, "--lean-modules", "cpu", *words, "--cpus", str(cpus), "--timeout", "1800"]
        words += ["--append", f"vm.coldplugs={coldplugs}"] if coldplugs > 1 else []
        key = vmlib.key_of(self.matrix.harness_key(), words, vmlib.key_of_tree(self.product()) if ours else "", number)
        path = os.path.join(self.folder, key + ".json")
        if not os.path.exists(path):
            words += ["--with", self.product()] if ours else []
            document = self.runner.run(self.runner.arguments(words))
            if not document["booted"]:
                # As in tests/vm/matrix: an emulated machine dies in the kernel's own start at times.
                print(f"bench: {name}, {cpus} CPUs, {kernel}: the guest wrote no records; booted once more", *document["serial_tail"], sep="\n", flush=True)
                document = self.runner.run(self.runner.arguments(words))
            if not document["complete"]:
                raise SystemExit(f"bench: {name}, {cpus} CPUs, {kernel}: {document['incomplete_because']}\n" + "\n".join(document["serial_tail"]))
            with open(path + ".part", "w", encoding="utf-8") as file:
                json.dump({"kernel": kernel, "cpus": cpus, "variant": name, "coldplugs": coldplugs, "number": number,
                           "day": time.strftime("%Y-%m-%d"), **figures(document)}, file)
            os.rename(path + ".part", path)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def summary(boots):
    """Median, least and most of each figure over the boots of one variant."""
    names = [k for k in boots[0] if k in ("attempts", "finit_module") or k.endswith("_s")]
    found = {}
    for name in names:
        values = [boot[name] for boot in boots if boot[name] is not None]
        found[name] = [statistics.median(values), min(values), max(values)] if values else None
    return found


def measure(runner, matrix, kernels=tuple(KERNELS), cpus=CPUS, rounds=ROUNDS, only=None, coldplugs=tuple(COLDPLUGS)):
    """A row for each kernel, number of CPUs, variant and number of coldplugs; its boots are interleaved."""
    boots = Boots(runner, matrix)
    for kernel in kernels:
        points = [(n, 1) for n in cpus] + [(max(CPUS), times) for times in coldplugs]
        for n, times in points:
            names = [name for name in variants(KERNELS[kernel]) if only is None or name in only]
            made = {name: [] for name in names}
            is_paired = (kernel, n) in PAIRS and times == 1
            for number in range(rounds if is_paired else 1):
                for name in names:
                    if number == 0 or name in PAIRED:
                        made[name].append(boots.one(kernel, n, name, times, number))
            # A row is held against the floor of its own run: one measured later, on a busier host, says nothing of it.
            floor = summary(made["floor"])["all_s"][0] if "floor" in made else None
            for name in names:
                yield {"kernel": kernel, "cpus": n, "coldplugs": times, "variant": name, "boots": len(made[name]), "floor_s": floor,
                       "day": max(boot["day"] for boot in made[name]), **summary(made[name])}


KEY = ("kernel", "cpus", "coldplugs", "variant")


def merged(old, new):
    """Rows of earlier runs, but for those that were measured anew."""
    rows = {tuple(row[k] for k in KEY): row for row in [*old, *new]}
    order = list(KERNELS)
    names = list(variants("bookworm"))
    return sorted(rows.values(), key=lambda r: (order.index(r["kernel"]), r["cpus"] * r["coldplugs"], names.index(r["variant"])))
