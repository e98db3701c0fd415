# SPDX-License-Identifier: GPL-2.0-or-later
"""ACPI tables that give QEMU's q35 processors P-states (_PSS) or CPPC (_CPC)."""

import os
import subprocess

# pc-testdev latches what is written to this port, so a status read matches the last request.
PORT = 0xE0


def pss(cpu):
    register = f"ResourceTemplate () {{ Register (SystemIO, 8, 0, 0x{PORT:X}) }}"
    states = ",\n".join(
        f"            Package (6) {{ {mhz}, {milliwatt}, 10, 10, 0x{control:X}, 0x{control:X} }}"
        for mhz, milliwatt, control in ((2400, 20000, 0x10), (1800, 15000, 0x11), (1200, 10000, 0x12))
    )
    return f"""        Name (_PCT, Package (2) {{ {register}, {register} }})
        Name (_PPC, 0)
        Name (_PSS, Package (3) {{
{states} }})
        Name (_PSD, Package (1) {{ Package (5) {{ 5, 0, {cpu}, 0xFC, 1 }} }})
"""


def cpc(cpu):
    # Access size 3 (dword), or the kernel says that the object is not there; the enable register
    # (entry 16) must be a real one, or amd_pstate fails to enable.
    register = f"ResourceTemplate () {{ Register (SystemIO, 32, 0, 0x{PORT:X}, 3) }}"
    none = "ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }"
    entries = [23, 3, 100, 80, 30, 10, none, register, none, none, none, none]
    entries += [none, register, register, none, register, none, none, none, 100, 800, 2400]
    inner = ", ".join(str(e) for e in entries)
    return f"""        Name (_CPC, Package (23) {{ {inner} }})
        Name (_PSD, Package (1) {{ Package (5) {{ 5, 0, {cpu}, 0xFC, 1 }} }})
"""


def source(kind, cpus):
    names = [f"\\_SB.CPUS.C{cpu:03X}" for cpu in range(cpus)]
    text = 'DefinitionBlock ("", "SSDT", 2, "VMTEST", "CPUFREQ ", 1)\n{\n'
    text += "".join(f"    External ({name}, DeviceObj)\n" for name in names)
    if kind == "cpc":
        # QEMU has no _OSC, and without one that grants CPPC the kernel doesn't look at _CPC.
        text += "    Scope (\\_SB) { Method (_OSC, 4) { Return (Arg3) } }\n"
    body = {"pss": pss, "cpc": cpc}[kind]
    for cpu, name in enumerate(names):
        text += f"    Scope ({name})\n    {{\n{body(cpu)}    }}\n"
    return text + "}\n"


def compile_table(kind, cpus, folder):
    """Returns the path of the compiled table."""
    asl = os.path.join(folder, f"{kind}-{cpus}.asl")
    with open(asl, "w", encoding="ascii") as file:
        file.write(source(kind, cpus))
    done = subprocess.run(
        ["iasl", "-p", asl[:-4], asl], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise SystemExit(f"iasl failed:\n{done.stdout}")
    return asl[:-4] + ".aml"
