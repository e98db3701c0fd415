# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine of tests/vm/pairs: an initramfs as small as can be, a kernel that need not be unpacked, and one boot of it.

A boot is described by a dictionary (pairs_cases.py says which keys) and ends in a record, read from the lines "PAIR …"
that the guest writes to its console.
"""

import lzma
import os
import re
import shutil
import signal
import subprocess
import tempfile

import time

import acpi
import lean
import vmlib
from vmlib import HERE, TOP, load_script, say

runner = load_script("run")
GUEST = os.path.join(HERE, "pairs-guest")
APPLETS = (
    "sh mount umount cat echo ls sleep mkdir cp mv rm sed grep dmesg uname stat dd true false ln sync awk tr date kill rmdir "
    "chmod touch tail"
).split()
# A few of those that CPUs ask for besides cpufreq: which of them load depends on the CPU model.
OTHERS = ("rapl", "coretemp", "crc32_pclmul", "ghash_clmulni_intel", "intel_cstate")
WORDS = (
    "console=ttyS0 panic=-1 quiet loglevel=1 printk.devkmsg=on mitigations=off nowatchdog apparmor=0 audit=0 "
    "rcupdate.rcu_cpu_stall_suppress=1"
)

SILENT_CPU = 60  # seconds of CPU without a sign of life: the emulated kernel hangs in its own start at times
GUEST_LIMIT = 300  # seconds of the guest's clock from its first process on; by then it must have come to its end
WALL_LIMIT = 1800


def vmlinux(base):
    """Path of the kernel of a base, unpacked: emulated, unpacking takes longer than all else up to the first process."""
    with open(os.path.join(base, "vmlinuz"), "rb") as file:
        packed = file.read()

    def make(folder):
        for magic, words in ((b"\xfd7zXZ\0", ["xz", "-dc"]), (b"\x28\xb5\x2f\xfd", ["zstd", "-dcq"])):
            at = packed.find(magic)
            while at >= 0:
                done = subprocess.run(words, input=packed[at:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
                # What follows the kernel in the file makes the unpacker fail at the end.
                if done.stdout[:4] == b"\x7fELF":
                    with open(os.path.join(folder, "vmlinux"), "wb") as file:
                        file.write(done.stdout)
                    return
                at = packed.find(magic, at + 1)
        raise SystemExit("pairs: no kernel found in the base's vmlinuz")

    return os.path.join(vmlib.cached("vmlinux-" + vmlib.key_of(packed), make), "vmlinux")


def release_of(base):
    with open(os.path.join(base, "release"), encoding="ascii") as file:
        return file.read().strip()


def newc(files):
    """A cpio archive. files: {path: (bytes, mode)}; folders in between are made, a link is a mode of S_IFLNK."""
    out, seen = [], set()

    def entry(number, path, mode, data):
        name = path.encode() + b"\0"
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
        head = b"070701" + b"".join(b"%08X" % f for f in fields) + name
        out.append(head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4))

    number = 1
    for path, (data, mode) in sorted(files.items()):
        parts = vmlib.merged(path.strip("/")).split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in seen:
                seen.add(folder)
                entry(number, folder, 0o040755, b"")
                number += 1
        entry(number, "/".join(parts), mode if mode & 0o170000 else mode | 0o100000, data)
        number += 1
    entry(0, "TRAILER!!!", 0, b"")
    return b"".join(out)


def files_of(tree):
    """A tree as files for newc()."""
    found = {}
    for folder, folders, names in os.walk(tree):
        for name in names + [n for n in folders if os.path.islink(os.path.join(folder, n))]:
            path = os.path.join(folder, name)
            where = os.path.relpath(path, tree)
            if os.path.islink(path):
                found[where] = (os.readlink(path).encode(), 0o120777)
            else:
                with open(path, "rb") as file:
                    found[where] = (file.read(), os.stat(path).st_mode & 0o7777)
    return found


def fill(root, base):
    """What every guest of a base has: busybox, udevd, kmod, modules with their index. Nothing of ours."""
    base_root, release = os.path.join(base, "root"), release_of(base)
    for folder in "proc sys dev run tmp etc/udev etc/modprobe.d usr/bin usr/sbin usr/lib/udev/rules.d usr/lib/modprobe.d usr/lib64 pair/bin".split():
        os.makedirs(os.path.join(root, folder))
    for name in ("bin", "sbin", "lib", "lib64"):
        os.symlink("usr/" + name, os.path.join(root, name))
    for program in lean.PROGRAMS:
        for path in [program, *lean.libraries(base_root, program)]:
            lean.install(base_root, root, path)
    for library in lean.OPENED_LATER:
        for path in [library, *lean.libraries(base_root, library)]:
            lean.install(base_root, root, path)
    for applet in APPLETS:
        os.symlink("busybox", os.path.join(root, "usr/bin", applet))
    for name in ("modprobe", "rmmod", "insmod", "lsmod"):
        os.symlink("../bin/kmod", os.path.join(root, "usr/sbin", name))
    for rule in lean.RULES:
        lean.install(base_root, root, "usr/lib/udev/rules.d/" + rule)
    top = os.path.join(base_root, "usr/lib/modules", release)
    wanted = set()
    for name, needs in lean.dependencies(top).items():
        if name.startswith("kernel/drivers/cpufreq/") or lean.stem(name) in OTHERS:
            wanted.update([name, *needs])
    modules = os.path.join(root, "usr/lib/modules", release)
    for name in sorted(wanted):
        # Unpacked, as initramfs-tools has them: xz is slow to emulate.
        with open(os.path.join(top, name), "rb") as file:
            data = file.read()
        vmlib.put_file(modules, name.removesuffix(".xz"), lzma.decompress(data) if name.endswith(".xz") else data)
    for name in ("modules.builtin", "modules.builtin.modinfo"):
        lean.install(base_root, root, os.path.join("usr/lib/modules", release, name))
    with open(os.path.join(top, "modules.order"), encoding="ascii") as file:
        vmlib.put_file(modules, "modules.order", file.read().replace(".ko.xz", ".ko"))
    vmlib.put_file(root, "etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
    vmlib.put_file(root, "etc/group", "root:x:0:\n")
    probes = [p for p in runner.kprobes(release) if p.startswith(("p:vm/modfile", "p:vm/modwait"))]
    vmlib.put_file(root, "pair/kprobes", "".join(p.replace(",", " ") + "\n" for p in probes))
    for name in ("init", "tries.awk"):
        with open(os.path.join(GUEST, name), "rb") as file:
            vmlib.put_file(root, "init" if name == "init" else "pair/" + name, file.read(), 0o755)
    vmlib.call(["depmod", "-b", root, release])


def image(base):
    """The folder with the initramfs of a base (initrd.img) and its tree (root), from the cache or made now."""
    with open(__file__, "rb") as file:
        key = vmlib.key_of(os.path.basename(base), file.read(), vmlib.key_of_tree(GUEST), vmlib.key_of_tree(os.path.join(HERE, "lean.py")))

    def make(folder):
        say(f"image of {release_of(base)}")
        root = os.path.join(folder, "root")
        os.makedirs(root)
        fill(root, base)
        with open(os.path.join(folder, "initrd.img"), "wb") as out:
            vmlib.call(["sh", "-c", "find . | cpio -o -H newc --quiet"], cwd=root, stdout=out)

    return vmlib.cached(f"pairs-{key}", make)


IMAGE_CONF = """
. "$1/packaging/initramfs/image.sh"
cpufreq_resolve_deny "$2" "$3"
"""


def image_conf(root, release):
    """The deny list that the hook of initramfs-tools writes into an image with these modules."""
    with tempfile.TemporaryDirectory() as out:
        words = ["sh", "-c", IMAGE_CONF, "sh", TOP, out, os.path.join(root, "usr/lib/modules", release)]
        vmlib.call(words)
        with open(os.path.join(out, "lib/modprobe.d/cpufreq-resolve-image.conf"), "rb") as file:
            return file.read()


def ours(tree, root, release):
    """What an image with us has more: the small program, its hook of initramfs-tools, the shipped snippet, the deny list;
    and in /pair/host the program that is the host's."""
    files = {}
    for path, source in (
        ("usr/bin/cpufreq-resolve", "usr/libexec/cpufreq-resolve/cpufreq-resolve-image"),
        ("pair/host/usr/bin/cpufreq-resolve", "usr/bin/cpufreq-resolve"),
        ("usr/lib/modprobe.d/cpufreq-resolve.conf", "usr/lib/modprobe.d/cpufreq-resolve.conf"),
    ):
        with open(os.path.join(tree, source), "rb") as file:
            files[path] = (file.read(), 0o755 if "/bin/" in path else 0o644)
    for path, source in (
        ("usr/share/cpufreq-resolve/before-udev.sh", "dracut-module/50cpufreq-resolve/cpufreq-resolve.sh"),
        ("pair/init-top", "packaging/initramfs-tools/init-top"),
    ):
        with open(os.path.join(TOP, source), "rb") as file:
            files[path] = (file.read(), 0o755)
    files["pair/image.conf"] = (image_conf(root, release), 0o644)
    return files


# Tables that are odd or wrong, as changes of the right ones.
def table_source(kind, cpus):
    if kind in ("pss", "cpc"):
        return acpi.source(kind, cpus)
    if kind == "pss-zero":
        return re.sub(r"Package \(6\) \{ \d+, \d+, 10, 10,", "Package (6) { 0, 0, 0, 0,", acpi.source("pss", cpus))
    if kind == "pss-huge":
        return re.sub(r"Package \(6\) \{ \d+,", "Package (6) { 0xFFFFFFFF,", acpi.source("pss", cpus))
    if kind == "pss-upside-down":
        return acpi.source("pss", cpus).replace("2400, 20000", "600, 100").replace("Name (_PPC, 0)", "Name (_PPC, 99)")
    if kind == "pss-first-only":
        return acpi.source("pss", 1)
    if kind == "pss-no-pct":
        return acpi.source("pss", cpus).replace("_PCT", "_PCX")
    if kind == "pss-text":
        return acpi.source("pss", cpus).replace("Name (_PPC, 0)", 'Name (_PPC, "none")').replace("{ 2400,", '{ "fast",')
    if kind == "cpc-short":
        return re.sub(r"Package \(23\) \{ 23, 3,", "Package (23) { 9, 1,", acpi.source("cpc", cpus))
    if kind == "cpc-zero":
        return acpi.source("cpc", cpus).replace("100, 80, 30, 10", "0, 0, 0, 0")
    if kind == "pcch":
        return 'DefinitionBlock ("", "SSDT", 2, "VMTEST", "PCCH    ", 1)\n{\n    Scope (\\_SB) { Name (PCCH, Package () { 0 }) }\n}\n'
    raise ValueError(kind)


TABLES = "none pss cpc pss-zero pss-huge pss-upside-down pss-first-only pss-no-pct pss-text cpc-short cpc-zero pcch junk".split()


def tables(kind, cpus, folder):
    """QEMU's words for a kind of table."""
    if kind == "none":
        return []
    path = os.path.join(folder, "table")
    words = ["-device", "pc-testdev"] if kind.startswith(("pss", "cpc")) else []
    if kind == "junk":
        # A whole header with a right checksum (QEMU's), and bytes that are no AML.
        with open(path + ".junk", "wb") as file:
            file.write(bytes((7 * i * i + 13 * i + 91) & 0xFF for i in range(300)))
        return ["-acpitable", f"sig=SSDT,data={path}.junk"]
    with open(path + ".asl", "w", encoding="ascii") as file:
        file.write(table_source(kind, cpus))
    done = subprocess.run(["iasl", "-f", "-p", path, path + ".asl"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not os.path.exists(path + ".aml"):
        raise SystemExit(f"pairs: iasl makes no table {kind}:\n{done.stdout}")
    return [*words, "-acpitable", f"file={path}.aml"]


class Boot:
    """One start of QEMU. ended: how, "off", "silent", "limit" or the emulator's own death ("crashed")."""

    def __init__(self, argv, serial):
        self.argv, self.serial = argv, serial
        self.ended, self.cpu, self.seconds = None, 0.0, 0.0

    def console(self):
        with open(self.serial, "rb") as file:
            return file.read().decode(errors="replace")

    def used(self, pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                words = file.read().rsplit(")", 1)[1].split()
            return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            return self.cpu

    def run(self):
        if stopping:
            raise SystemExit("pairs: stopped")
        start, over = time.monotonic(), None
        # On a busy host it takes the emulator a while to make it.
        with open(self.serial, "wb"):
            pass
        with open(self.serial + ".qemu", "w", encoding="utf-8") as log:
            # A group of its own, so that a Ctrl-C comes to us alone and we end it.
            qemu = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        running.add(qemu)
        try:
            while True:
                try:
                    qemu.wait(0.25)
                    break
                except subprocess.TimeoutExpired:
                    pass
                self.cpu = self.used(qemu.pid)
                self.seconds = time.monotonic() - start
                if "PAIR end " in self.console():
                    # Without ACPI it can't switch itself off.
                    over = over or self.seconds
                    if self.seconds - over > 5:
                        self.ended = "off"
                elif self.cpu > SILENT_CPU and "PAIR begin" not in self.console():
                    self.ended = "silent"
                elif self.seconds > WALL_LIMIT:
                    self.ended = "limit"
                if self.ended:
                    qemu.send_signal(signal.SIGKILL)
                    qemu.wait()
                    break
        finally:
            running.discard(qemu)
            if qemu.poll() is None:
                qemu.kill()
                qemu.wait()
        if stopping:
            raise SystemExit("pairs: stopped")
        self.seconds = time.monotonic() - start
        if not self.ended:
            self.ended = "off" if qemu.returncode == 0 else "crashed"
        if qemu.returncode > 0 and self.ended == "crashed":
            with open(self.serial + ".qemu", encoding="utf-8", errors="replace") as log:
                raise SystemExit(f"pairs: QEMU ended with {qemu.returncode}: {log.read().strip()}")


running = set()
stopping = []


def end_all():
    """For the end of this process: no emulator stays behind, and none is started."""
    stopping.append(True)
    for qemu in list(running):
        if qemu.poll() is None:
            qemu.kill()


def parse(text):
    """A record, from a guest's console."""
    record = {"began": False, "ended": False, "hung": False, "policies": [], "live": {}, "tries": [], "files": {}, "sizes": {}}
    record.update({"log": [], "splats": [], "exits": [], "unsettled": [], "lost": [], "processes": [], "said": []})
    for line in text.replace("\r", "").split("\n"):
        # The firmware and a panic may stand before it on the line.
        at = line.find("PAIR ")
        if at < 0:
            continue
        kind, _, rest = line[at + 5 :].partition(" ")
        words = rest.split()
        if kind in ("begin", "end"):
            record["began" if kind == "begin" else "ended"] = True
            # What the kernel has to say at that moment may stand behind it.
            record[kind + "_at"] = int(re.match(r"\d*", rest)[0] or 0)
        elif kind == "hung":
            record["hung"] = True
        elif kind == "policy":
            record["policies"].append(rest.strip())
        elif kind == "live":
            record["live"][words[0]] = words[1]
        elif kind == "try":
            name = re.sub(r"\.ko.*$", "", words[0]).replace("-", "_")
            record["tries"].append([name, "ours" if words[1] == "cpufreq-resolve" else words[1], result(words[2]), int(words[3])])
        elif kind == "file":
            record["sizes"][words[0]] = int(words[1])
            record["files"].setdefault(words[0], "")
        elif kind == "text":
            path, _, content = rest.partition(" ")
            record["files"][path] = record["files"].get(path, "") + content + "\n"
        elif kind in ("release", "boot_id", "cpus", "hook"):
            record[kind] = rest.strip()
        elif kind == "exit":
            record["exits"].append(rest)
        elif kind in ("log", "splat", "process"):
            record[{"log": "log", "splat": "splats", "process": "processes"}[kind]].append(re.sub(r"^\[ *\d+\.\d+\] ", "", rest))
        elif kind in ("unsettled", "lost"):
            record[kind].append(rest)
        else:
            record["said"].append(line[at + 5 :])
    drivers = sorted({policy.split()[0] for policy in record["policies"]})
    record["driver"] = drivers[0] if len(drivers) == 1 else " and ".join(drivers) if drivers else "none"
    return record


def result(word):
    return "unfinished" if word == "none" else runner.report.result_name(word)


def initrd(folder, base, boot, files):
    """The image of the base with this boot's own files behind it, as one file."""
    conf = f"stages='{boot['stages']}'\nwith_us='{'yes' if boot['with_us'] else ''}'\n"
    conf += f"settle={boot.get('settle', 60)}\nlimit={GUEST_LIMIT}\n"
    files = {**files, "pair/conf": (conf.encode(), 0o644)}
    if boot.get("fault_script"):
        files["pair/fault"] = (boot["fault_script"].encode(), 0o644)
    path = os.path.join(folder, "initrd")
    with open(os.path.join(image(base), "initrd.img"), "rb") as file, open(path, "wb") as out:
        shutil.copyfileobj(file, out)
        out.write(newc(files))
    return path


def start(boot, base, files, folder):
    """Boot until it shows a sign of life, three times at most; the record. files: of this boot, as for newc()."""
    own = dict(boot)
    argv = ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-M", "q35", "-cpu", own["cpu"], "-smp", str(own["cpus"])]
    argv += ["-m", own.get("memory", "512M"), "-nographic", "-nodefaults", "-no-reboot"]
    serial = os.path.join(folder, "console")
    argv += ["-serial", f"file:{serial}", "-monitor", "none", "-kernel", vmlinux(base), "-initrd", initrd(folder, base, own, files)]
    words = f"{WORDS} {'clearcpuid=svm ' if 'GenuineIntel' in own['cpu'] else ''}{own.get('append', '')}".strip()
    argv += ["-append", words, *tables(own["table"], own["cpus"], folder), *own.get("qemu", [])]
    record = {}
    silent = crashed = 0
    cpu = 0.0
    while True:
        one = Boot(argv, serial)
        one.run()
        cpu += one.cpu
        record = parse(one.console())
        record["console"] = one.console().replace("\r", "").split("\n")[-400:]
        if one.ended == "crashed" and crashed < 2:
            crashed += 1
        elif not record["began"] and silent < 2:
            silent += 1
        else:
            break
    record.update({"silent": silent, "crashed": crashed, "cpu": round(cpu, 1), "seconds": round(one.seconds, 1), "how": one.ended})
    return record



