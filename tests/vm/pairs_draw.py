# SPDX-License-Identifier: GPL-2.0-or-later
"""One case of tests/vm/pairs: the machine, the administrator's words and the fault of a pair; drawn by seed and number.

A case is a dictionary that goes into the results as it is: kernel (suite), cpus, cpu (QEMU's model), table, append,
snippet (of modprobe.d) and where it is ("both" image and host, or "host" alone), stages, fault (a name, or None).
"""

import random

import pairs_faults
import pairs_machine

INTEL = "max,vendor=GenuineIntel,family=6,model=85,stepping=4,+acpi,-erms,-fsrm"
AMD = "EPYC-v1,+acpi"

KERNELS = (("bookworm", 5), ("trixie", 3), ("sid", 2))
CPUS = ((1, 3), (2, 6), (3, 3), (4, 4), (6, 1), (8, 1))
MODELS = (
    (INTEL, 5), (AMD, 4), ("qemu64", 1), ("kvm64", 1), ("Nehalem", 1), ("Skylake-Server", 1), ("core2duo", 1), ("phenom", 1),
    ("Opteron_G3", 1), ("EPYC-Milan,+acpi", 1), ("max", 1), ("max,vendor=CentaurHauls,family=7,model=59,+acpi", 1),
    ("max,vendor=AuthenticAMD,family=25,model=1,+acpi,-erms,-fsrm", 2), ("max,vendor=GenuineIntel,family=15,model=6,+acpi,-erms", 1),
    ("max,vendor=SomebodyElse,-erms", 1), (INTEL + ",-hypervisor", 2), (AMD + ",-hypervisor", 1),
)  # fmt: skip
ALL_TABLES = [(kind, {"none": 6, "pss": 6, "cpc": 4}.get(kind, 1)) for kind in pairs_machine.TABLES]
STAGES = (("image host", 7), ("host", 3))

WORDS = (
    "intel_pstate=disable intel_pstate=passive intel_pstate=active intel_pstate=no_hwp intel_pstate=force "
    "amd_pstate=disable amd_pstate=passive amd_pstate=active amd_pstate=guided cpufreq.off=1 cpufreq.off=0 "
    "cpufreq.default_governor=ondemand cpufreq.default_governor=powersave cpufreq.default_governor=nonsense "
    "module_blacklist=acpi_cpufreq module_blacklist=pcc_cpufreq,acpi_cpufreq module_blacklist=cpufreq_ondemand "
    "modprobe.blacklist=acpi_cpufreq modprobe.blacklist=acpi-cpufreq,pcc_cpufreq rd.driver.blacklist=acpi_cpufreq "
    "rd.driver.pre=acpi_cpufreq initcall_blacklist=acpi_cpufreq_init initcall_blacklist=intel_pstate_init "
    "cpufreq_resolve.enable=0 cpufreq_resolve.enable=1 cpufreq_resolve.enable=perhaps cpufreq_resolve.enable "
    "cpufreq_resolve.driver=acpi_cpufreq cpufreq_resolve.driver=pcc_cpufreq cpufreq_resolve.driver=powernow-k8 "
    "cpufreq_resolve.driver=p4_clockmod cpufreq_resolve.driver=cpufreq_ondemand cpufreq_resolve.driver=../../bin/sh "
    "cpufreq_resolve.driver= cpufreq_resolve.scope=cpu cpufreq_resolve.scope=cpu cpufreq_resolve.scope=everything "
    "cpufreq_resolve.policy=softdep cpufreq_resolve.policy=blacklist cpufreq-resolve.enable=0 cpufreq_resolve.=1 "
    "acpi_cpufreq.acpi_pstate_strict=1 acpi_cpufreq.bogus=1 processor.ignore_ppc=1 noapic nolapic nox2apic nopat "
    "= \"open 0 - -- \\ cpufreq_resolve cpufreq_resolve.driver=%s%n$(reboot) processor.nocst=1"
).split(" ")
LONG = ("x" * 700, "cpufreq_resolve.driver=" + "y" * 600, "module_blacklist=" + ",".join(f"m{i}" for i in range(120)))

SNIPPETS = (
    "blacklist acpi_cpufreq\n", "blacklist acpi-cpufreq\nblacklist pcc-cpufreq\n", "blacklist pcc_cpufreq\n",
    "install acpi_cpufreq /bin/false\n", "install acpi_cpufreq /usr/sbin/modprobe --ignore-install acpi_cpufreq\n",
    "install pcc_cpufreq /bin/true\n", "options acpi_cpufreq acpi_pstate_strict=1\n", "options acpi_cpufreq bogus=1\n",
    "softdep acpi_cpufreq pre: pcc_cpufreq\n", "softdep pcc_cpufreq pre: acpi_cpufreq post: cpufreq_ondemand\n",
    "softdep acpi_cpufreq pre: no_such_module\n", "softdep acpi_cpufreq pre: pcc_cpufreq\nsoftdep pcc_cpufreq pre: acpi_cpufreq\n",
    "options cpufreq_resolve enable=0\n", "options cpufreq_resolve scope=cpu\n", "options cpufreq_resolve policy=softdep\n",
    "options cpufreq_resolve driver=acpi_cpufreq\n", "options cpufreq_resolve driver=pcc_cpufreq scope=cpu\n",
    "options cpufreq_resolve driver=powernow_k8\n", "options cpufreq-resolve enable=0\n", "options cpufreq_resolve\n",
    "alias acpi_cpufreq pcc_cpufreq\n", "alias cpu:type:x86,ven*fam*mod*:feature:*0016* p4_clockmod\n",
    "remove acpi_cpufreq /bin/false\n", "blacklist\noptions\ninstall\nsoftdep\n", "blacklist acpi_cpufreq \\\n", "\\\n\\\n\\\n",
    "no such command\n", "# only a comment, without an end", "blacklist " + "z" * 9000 + "\n", "\u00ff\u0001\u007f\n" * 40,
)  # fmt: skip


def weighted(rng, choices):
    return rng.choices([c for c, _ in choices], [w for _, w in choices])[0]


def plain(fault=None):
    """The machine on which the faults are tried one by one: acpi_cpufreq is right, and a storm to end."""
    return {"kernel": "bookworm", "cpus": 2, "cpu": INTEL, "table": "pss", "append": "", "snippet": "", "where": "both", "stages": "image host", "fault": fault}


def draw(seed, index):
    """The case of this seed and number; the same as long as the lists here and the faults do not change."""
    rng = random.Random(f"{seed}/{index}")
    case = {"kernel": weighted(rng, KERNELS), "cpus": weighted(rng, CPUS), "cpu": weighted(rng, MODELS), "table": weighted(rng, ALL_TABLES)}
    words = rng.sample(WORDS, rng.choice((0, 0, 1, 1, 1, 2, 3)))
    if rng.random() < 0.05:
        words.append(rng.choice(LONG))
    case["append"] = " ".join(words)
    case["snippet"] = rng.choice(SNIPPETS) if rng.random() < 0.4 else ""
    case["where"] = rng.choice(("both", "host"))
    case["stages"] = weighted(rng, STAGES)
    names = [name for name, fault in pairs_faults.faults().items() if fault.drawn]
    case["fault"] = rng.choice(names) if rng.random() < 0.35 else None
    return case
