# SPDX-License-Identifier: GPL-2.0-or-later
"""The faults of tests/vm/pairs: what is done to a boot, to both of a pair or to the one with us, and what is expected."""

import os
import random
import subprocess

import pairs_machine as machine
import pairs_module

STATE = "/run/cpufreq-resolve/state"
CONF = "/run/modprobe.d/cpufreq-resolve-boot.conf"
# Of the image, and of the host.
PROGRAMS = ("usr/bin/cpufreq-resolve", "pair/host/usr/bin/cpufreq-resolve")


class Fault:
    """One fault.

    script: shell that redefines functions of pairs-guest/init; files(context): what is put over the image, as for newc();
    both: the boot without us has it, too (a fault of the machine, not of us). machine: changes of the boot's dictionary.
    log: a regular expression that one of our lines, or one of the hook's, must match; exits: what the host's `apply`
    must have ended with, or None. drawn: it may be drawn in a random pair. settles: False when the machine never comes to
    rest, so that which modules are live is a matter of the moment. shows: what must be found in the record of each boot
    that has it, or the fault was none: a regular expression over the lines of pairs_judge.lines().
    """

    def __init__(self, name, what, *, script="", files=None, both=False, change=None, log=None, exits="0", drawn=True, settles=True, shows=None):
        self.name, self.what, self.script, self.files, self.both = name, what, script, files, both
        self.change, self.log, self.exits, self.drawn = change or {}, log, exits, drawn
        self.settles, self.shows = settles, shows


class Context:
    """What a fault's files are made from: folders of the base and of its image, the files of ours, other bases."""

    def __init__(self, root, release, our_files, other):
        self.root, self.release, self.our_files, self.other = root, release, our_files, other
        self.modules = f"usr/lib/modules/{release}"

    def read(self, path):
        with open(os.path.join(self.root, path), "rb") as file:
            return file.read()

    def module(self, name):
        """Path and contents."""
        path = f"{self.modules}/kernel/drivers/cpufreq/{name}.ko"
        return path, self.read(path)


def binary(change, mode=0o755):
    """The image's program and the host's, both changed."""

    def files(context):
        found = {}
        for path in PROGRAMS:
            data = context.our_files[path][0]
            found[path] = (change(data), mode)
            if found[path] == (data, 0o755):
                raise ValueError("the program is not as this fault expects it")
        return found

    return files


def instead(text):
    return binary(lambda data: text.encode())


def index(name, change):
    def files(context):
        path = f"{context.modules}/{name}"
        return {path: (change(context.read(path)), 0o644)}

    return files


def garbage(data):
    return random.Random(len(data)).randbytes(len(data))


def noise_inside(data):
    """The head stays, so that it is taken for an index."""
    return data[:16] + garbage(data[16:])


def other_index(context):
    """The index of another kernel: names and aliases that are not these modules'."""
    root, release = context.other
    found = {}
    for name in ("modules.dep.bin", "modules.alias.bin", "modules.symbols.bin", "modules.softdep", "modules.dep", "modules.alias"):
        with open(os.path.join(root, "usr/lib/modules", release, name), "rb") as file:
            found[f"{context.modules}/{name}"] = (file.read(), 0o644)
    return found


def module(change):
    def files(context):
        path, data = context.module("acpi-cpufreq")
        return {path: (change(data), 0o644)}

    return files


def changed_init(data, code):
    # A signature that does not fit is refused; none at all is not.
    return pairs_module.with_init(pairs_module.without_signature(data) if data.endswith(b"appended~\n") else data, code)


def other_module(context):
    path, _ = context.module("acpi-cpufreq")
    root, release = context.other
    with open(os.path.join(root, path.replace(context.release, release)), "rb") as file:
        return {path: (file.read(), 0o644)}


def limited(words):
    """The program behind a limit: found before it in PATH, and then in its place."""
    return lambda context: {"pair/bin/cpufreq-resolve": (f"#!/bin/sh\n{words}\nexec /usr/bin/cpufreq-resolve \"$@\"\n".encode(), 0o755)}


CGROUP = """mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p /sys/fs/cgroup/us && echo 131072 >/sys/fs/cgroup/us/memory.max && echo $$ >/sys/fs/cgroup/us/cgroup.procs"""


def at(*stages, do, undo=""):
    """Shell: do before our turn in these stages, undo before the coldplug."""
    lines = [f"before_{stage}() {{\n{do}\n}}\n" for stage in stages]
    return "".join(lines) + (f"before_coldplug() {{\n{undo}\n}}\n" if undo else "")


NO_RUN = at("image", "host", do="umount -l /run; rmdir /run && pair no-run", undo="mkdir -p /run; busybox mountpoint -q /run || mount -t tmpfs tmpfs /run")
READ_ONLY = at("image", "host", do="mount -o remount,ro /run", undo="mount -o remount,rw /run")
FULL = at(
    "image", "host", do="mkdir -p /run/cpufreq-resolve /run/modprobe.d\nmount -o remount,size=16k /run\ndd if=/dev/zero of=/run/full bs=1k 2>/dev/null",
    undo="mount -o remount,size=50% /run; rm -f /run/full",
)  # fmt: skip
STALE_ID = "01234567-89ab-cdef-0123-456789abcdef"
STALE = """mkdir -p /run/cpufreq-resolve /run/modprobe.d
printf 'FORMAT=1\\nVERSION=0\\nBOOT_ID={id}\\nKERNEL=%s\\nOUTCOME=none\\nDRIVER=\\nREASON="made up"\\nATTEMPTS="acpi_cpufreq:initrd:19"\\n' "$(uname -r)" >{state}
printf '# boot {id}\\nblacklist acpi_cpufreq\\nblacklist pcc_cpufreq\\n' >{conf} && pair stale-run"""
NEWER = """mkdir -p /run/cpufreq-resolve
printf 'FORMAT=99\\nVERSION=99\\nBOOT_ID=%s\\nKERNEL=%s\\nSHAPE="of a later version"\\n' \\
    "$(cat /proc/sys/kernel/random/boot_id)" "$(uname -r)" >{state}"""
TWO = """for n in 1 2 3; do cpufreq-resolve apply 2>/dev/kmsg & done"""

KEXEC = """at_begin() {
    # Once: the second kernel has the word on its command line.
    grep -q pair.second /proc/cmdline && return
    [ ! "$with_us" ] || unit cpufreq-resolve apply
    pair first "$(cat /proc/sys/kernel/random/boot_id)"
    /pair/again /pair/vmlinuz /pair/initrd "$(cat /proc/cmdline) pair.second"
    pair kexec failed
}
"""


def faults():
    """{name: Fault}, in the order of the table."""
    table = [
        # Of us alone: without us the same machine without it.
        Fault("no-library", "the program's libkmod is not in the image", files=binary(lambda d: d.replace(b"libkmod.so.2\0", b"libkmod.so.9\0")), log="ended with status 127", exits="127", shows=r"log .*libkmod.so.9"),
        Fault("no-loader", "the program's dynamic loader is not in the image", files=binary(lambda d: d.replace(b"/lib64/ld-linux-x86-64.so.2\0", b"/lib64/ld-linux-x86-64.so.9\0")), log="ended with status 127|not in this image", exits="127"),
        Fault("no-program", "the program is not in the image", script='[ ! "$with_us" ] || rm -f /usr/bin/cpufreq-resolve /pair/host/usr/bin/cpufreq-resolve\n', log="not in this image", exits="127"),
        Fault("no-right", "the program's file may not be executed", files=binary(lambda d: d, 0o644), log="ended with status 126", exits="126"),
        Fault("cut-program", "the program's file is cut after 12 kB", files=binary(lambda d: d[:12288]), log="ended with status [1-9]", exits="[1-9].*"),
        Fault("hangs", "the program hangs: 10 s, and the boot goes on", files=instead("#!/bin/sh\nwhile :; do sleep 1000; done\n"), log="no answer within 10 s", exits="timeout", shows=r"hook 1[0-9]"),
        Fault("hangs-deaf", "the program hangs and hears no signal that can be ignored", files=instead("#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1000; done\n"), log="no answer within 10 s", exits="timeout", drawn=False, shows=r"hook 1[0-9]"),
        Fault("crashes", "the program crashes", files=instead("#!/bin/sh\nkill -SEGV $$\n"), log="ended with status 139", exits="139"),
        Fault("memory-limit", "the program may map so much (ulimit -v) that its loader has enough, and itself not", files=limited("ulimit -v 8320"), exits="[01]", log="cpufreq-resolve: ", shows=r"log .*(memory|Cannot allocate)"),
        Fault("memory-tiny", "the program may map 3 MB and no more: the loader fails", files=limited("ulimit -v 3000"), exits="[1-9].*", log="ended with status", shows=r"log .*failed to map"),
        Fault("memory-cgroup", "a cgroup of 128 kB for the program: the kernel's OOM killer ends it", files=limited(CGROUP), exits="[01]|137", log="cpufreq-resolve: ", shows=r"log Memory cgroup out of memory"),
        Fault("no-files", "the program may open 4 files and no more (ulimit -n)", files=limited("ulimit -n 4"), exits="[1-9].*|0", log="cpufreq-resolve: ", shows=r"log .*Too many open files"),
        Fault("no-run", "no /run", script=NO_RUN, shows=r"said no-run"),
        Fault("read-only-run", "/run is read-only", script=READ_ONLY, exits="1", log="cannot write|Read-only"),
        Fault("full-run", "/run is full", script=FULL, exits="1", log="No space left"),
        Fault("stale-run", "files of ours of another boot in /run, which deny all", script=at("image", do=STALE.format(id=STALE_ID, state=STATE, conf=CONF)), shows=r"said stale-run"),
        Fault("newer-state", "a state file of a later version, of this boot", script=at("image", do=NEWER.format(state=STATE)), exits="[01]", log="version|state|format", shows=r"file /run/cpufreq-resolve/state FORMAT=99"),
        Fault("two-at-once", "four of us at once", script=at("image", "host", do=TWO), shows=r"log .*another cpufreq-resolve is at work"),
        # Somebody in the shell of the initramfs (break=, an emergency) acts on his own.
        Fault("by-hand-before", "somebody loads the driver by hand before us", script=at("image", do="modprobe acpi_cpufreq && pair by-hand"), shows="said by-hand"),
        Fault("by-hand-after", "somebody takes out the driver that we loaded", script='before_coldplug() {\n[ "$1" != image ] || { rmmod acpi_cpufreq && pair by-hand; }\n}\n', shows="said by-hand", drawn=False),
        Fault("by-hand-other", "somebody tries the other driver by hand, and runs us again twice", script='before_coldplug() {\nmodprobe pcc_cpufreq; cpufreq-resolve apply; cpufreq-resolve apply\npair by-hand\n}\n', shows="said by-hand"),
        # Of the machine: without us it has it, too.
        Fault("memory-small", "a machine of 192 MB", both=True, change={"memory": "192M"}, shows=r"said memory 1[0-9]{5}$"),
        Fault("one-cpu", "one CPU", both=True, change={"cpus": 1}, shows=r"cpus 1$"),
        Fault("maxcpus", "four CPUs, of which maxcpus=1 starts one", both=True, change={"cpus": 4, "append": "maxcpus=1"}, shows=r"cpus 1$"),
        Fault("nosmp", "four CPUs and nosmp", both=True, change={"cpus": 4, "append": "nosmp"}, drawn=False, shows=r"cpus 1$"),
        Fault("nomodule", "nomodule: the kernel loads none", both=True, change={"append": "nomodule"}, shows=r"said modules_disabled 1"),
        Fault("acpi-off", "acpi=off", both=True, change={"append": "acpi=off"}, drawn=False, shows=r"said acpi-off"),
        Fault("clock-1970", "the clock stands at 1970", both=True, change={"qemu": ["-rtc", "base=1970-01-01T00:00:01"]}, shows=r"said year (1970|2026)"),
        Fault("clock-2060", "the clock stands at 2060", both=True, change={"qemu": ["-rtc", "base=2060-02-29T23:59:50"]}, shows=r"said year 2060"),
        Fault("dep-garbage", "modules.dep.bin is garbage", both=True, files=index("modules.dep.bin", garbage)),
        Fault("dep-noise", "modules.dep.bin has a right head and garbage behind it", both=True, files=index("modules.dep.bin", noise_inside)),
        Fault("dep-cut", "modules.dep.bin is cut in the middle", both=True, files=index("modules.dep.bin", lambda d: d[: len(d) // 2])),
        Fault("dep-empty", "modules.dep.bin is empty", both=True, files=index("modules.dep.bin", lambda d: b"")),
        Fault("alias-garbage", "modules.alias.bin is garbage", both=True, files=index("modules.alias.bin", garbage)),
        Fault("alias-noise", "modules.alias.bin has a right head and garbage behind it", both=True, files=index("modules.alias.bin", noise_inside)),
        Fault("alias-cut", "modules.alias.bin is cut in the middle", both=True, files=index("modules.alias.bin", lambda d: d[: len(d) // 2])),
        Fault("alias-empty", "modules.alias.bin is empty", both=True, files=index("modules.alias.bin", lambda d: b"")),
        Fault("other-index", "the module index of another kernel", both=True, files=other_index),
        Fault("module-cut", "acpi-cpufreq's file is cut in the middle", both=True, files=module(lambda d: d[: len(d) // 2]), shows=r"try acpi_cpufreq .* ENOEXEC"),
        Fault("module-empty", "acpi-cpufreq's file is empty", both=True, files=module(lambda d: b"")),
        Fault("module-other", "acpi-cpufreq is that of another kernel", both=True, files=other_module, shows=r"try acpi_cpufreq .* ENOEXEC"),
        Fault("module-unsigned", "acpi-cpufreq is not signed, lockdown=integrity", both=True, files=module(pairs_module.without_signature), change={"append": "lockdown=integrity"}, shows=r"try acpi_cpufreq .* EPERM"),
        Fault("module-enforced", "acpi-cpufreq is not signed, module.sig_enforce=1", both=True, files=module(pairs_module.without_signature), change={"append": "module.sig_enforce=1"}, shows=r"try acpi_cpufreq .* EKEYREJECTED"),
        Fault("init-oops", "acpi-cpufreq's init oopses", both=True, files=module(lambda d: changed_init(d, pairs_module.OOPS)), drawn=False, settles=False, shows=r"splat .*invalid opcode"),
        Fault("init-hangs", "acpi-cpufreq's init never returns", both=True, files=module(lambda d: changed_init(d, pairs_module.HANGS)), exits="0", log="no answer within 10 s", change={"settle": 20, "cpus": 4}, drawn=False, settles=False, shows=r"try acpi_cpufreq .* unfinished"),
        Fault("init-30s", "acpi-cpufreq's init takes 30 s and refuses", both=True, files=module(lambda d: changed_init(d, pairs_module.takes(30 * 250))), log="no answer within 10 s", change={"cpus": 2, "settle": 120}, drawn=False, settles=False, shows=r"try acpi_cpufreq .* ENODEV"),
        Fault("kexec", "after a kexec of the same kernel", both=True, script=KEXEC, change={"memory": "1G", "kexec": True}, drawn=False, shows=r"said first "),
    ]  # fmt: skip
    return {fault.name: fault for fault in table}


def again_program(folder):
    """The guest's kexec: kexec_file_load() and reboot(), as a static program."""
    path = os.path.join(folder, "again")
    if not os.path.exists(path):
        source = os.path.join(machine.GUEST, "again.c")
        subprocess.run(["gcc", "-O2", "-Wall", "-static", source, "-o", path + f".{os.getpid()}"], check=True)
        os.rename(path + f".{os.getpid()}", path)
    with open(path, "rb") as file:
        return file.read()
