# SPDX-License-Identifier: GPL-2.0-or-later
"""The runner and the matrix with other parts, for arm64: QEMU's `virt` with ACPI. Nothing of that architecture runs on
this machine but under QEMU, so the packages are only unpacked, and the program is cross-built against them."""

import json
import os
import resource
import shutil
import subprocess
import time

import acpi
import lean
import vmlib
from vmlib import call, output, say

matrix = vmlib.load_script("matrix")
runner, debian = matrix.runner, matrix.debian

SUITES = ("bookworm", "sid")
TRIPLET = "aarch64-linux-gnu"
# With ACPI a kernel is started by UEFI alone.
FIRMWARE = "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"
# What the lean image holds, and what the program is built with.
PACKAGES = "udev kmod busybox-static liblzma5 libzstd1 zlib1g libkmod-dev libc6-dev"

# An apt of its own: of this machine's it has the addresses, the keys and the ways (proxy, dates), not the lists.
APT = """
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "{folder}/state";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
APT::Sandbox::User "root";
APT::Architecture "arm64";
#clear APT::Architectures;
APT::Architectures {{ "arm64"; }};
"""

# $1: the root to fill, $2: packages. Where there is no arm64 the update only says a word of it.
UNPACK = r"""
set -e
apt-get update -q -o APT::Update::Error-Mode=any
apt-cache show linux-image-arm64 >/dev/null 2>&1 || exit 77
apt-get -y -q --no-install-recommends --download-only install $2
needs() {
    apt-cache depends "$1" | sed -n 's/^ *Depends: \(linux-[a-z]*-[0-9].*\)/\1/p'
}
kernel=$(needs linux-image-arm64 | head -n 1)
cd cache/archives
apt-get -q download "$kernel" $(needs "$kernel")
mkdir -p "$1/usr/bin" "$1/usr/sbin" "$1/usr/lib"
for name in bin sbin lib; do ln -s "usr/$name" "$1/$name"; done
for deb in *.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -C "$1" -x --keep-directory-symlink
done
# An absolute link would be followed to this machine's file: systemd-udevd is one.
find "$1" -lname '/*' | while read -r link; do ln -sfnr "$1$(readlink "$link")" "$link"; done
for release in $(ls "$1/usr/lib/modules"); do depmod -b "$1" "$release"; done
"""


def make_base(folder, suite):
    """root/, vmlinuz, release and versions.json, as `base` makes them, but root/ is only unpacked."""
    own = debian.carried(suite, debian.mirrors(suite))
    keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
    by = f"[signed-by={keyring}] " if os.path.exists(keyring) else ""
    root, apt = os.path.join(folder, "root"), os.path.join(folder, "apt")
    for name in ("state/lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(apt, name))
    vmlib.put_file(apt, "sources.list", "".join(f"deb {by}{uri} {part} main\n" for part, uri in sorted(own.items())))
    vmlib.put_file(apt, "status", "")
    vmlib.put_file(apt, "apt.conf", APT.format(folder=apt))
    say(f"arm64 packages of {suite}")
    try:
        call(["sh", "-c", UNPACK, "sh", root, PACKAGES], cwd=apt, env={**os.environ, "APT_CONFIG": os.path.join(apt, "apt.conf")})
    except subprocess.CalledProcessError as error:
        if error.returncode == vmlib.SKIPPED:
            raise debian.NoSuite(f"the archive of this machine has no arm64 packages of {suite}") from None
        raise
    archives = os.path.join(apt, "cache/archives")
    versions = {}
    for name in os.listdir(archives):
        package = name.partition("_")[0]
        if package in ("udev", "kmod"):
            versions[package] = output(["dpkg-deb", "-f", os.path.join(archives, name), "Version"]).strip()
    shutil.rmtree(apt)
    with open(os.path.join(folder, "versions.json"), "w", encoding="ascii") as file:
        # udev is of systemd's source.
        json.dump({**versions, "systemd": versions["udev"]}, file)
    release = sorted(os.listdir(os.path.join(root, "usr/lib/modules")))[-1]
    with open(os.path.join(folder, "release"), "w", encoding="ascii") as file:
        file.write(release)
    kernels = [os.path.join(root, "boot/vmlinuz-" + release), os.path.join(root, "usr/lib/modules", release, "vmlinuz")]
    shutil.copy2(next(path for path in kernels if os.path.exists(path)), os.path.join(folder, "vmlinuz"))


def base_name(suite, _kernel_suite=None):
    return "arm64-" + vmlib.key_of(suite, PACKAGES, APT, UNPACK, sorted(debian.mirrors(suite).items()))


def base(suite, _kernel_suite=None):
    return vmlib.cached(base_name(suite), lambda folder: make_base(folder, suite))


def libraries(root, program):
    """The interpreter and the shared libraries of a program, by its ELF headers: this machine can't run its ldd."""
    folders = [f"usr/lib/{TRIPLET}", f"usr/lib/{TRIPLET}/systemd", "usr/lib"]
    found, open_ends = {}, [program]
    while open_ends:
        text = output(["readelf", "-d", os.path.join(root, open_ends.pop().lstrip("/"))], env={**os.environ, "LC_ALL": "C"})
        for line in text.splitlines():
            name = line.rpartition("[")[2].rstrip("]")
            if "(NEEDED)" not in line or name in found:
                continue
            path = next((f for f in (os.path.join(d, name) for d in folders) if os.path.exists(os.path.join(root, f))), None)
            if not path:
                raise SystemExit(f"arm64: {program} needs {name}, which is not in the packages")
            found[name] = "/" + path
            open_ends.append(path)
    # A static program has none of them; the others may have it as interpreter alone.
    return sorted({*found.values(), "/usr/lib/ld-linux-aarch64.so.1"}) if found else []


CROSS = """
[binaries]
c = '{triplet}-gcc'
ar = '{triplet}-gcc-ar'
strip = '{triplet}-strip'
pkgconfig = 'pkg-config'
[properties]
sys_root = '{root}'
pkg_config_libdir = '{root}/usr/lib/{triplet}/pkgconfig'
[built-in options]
c_args = ['--sysroot={root}']
c_link_args = ['--sysroot={root}']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
"""


def product():
    """The install tree of the program, cross-built with the oldest of the suites: what it links to is in all of them."""
    folder = base(SUITES[0])
    path = os.path.join(folder, "cross")
    with open(path, "w", encoding="ascii") as file:
        file.write(CROSS.format(triplet=TRIPLET, root=os.path.join(folder, "root")))
    return matrix.product([f"--cross-file={path}", "-Danalyze=disabled", "-Dman=disabled"])


# Registers and names of this architecture in the probes of the runner. A system call gets its registers as a struct,
# whose first member is x0.
ON_ARM64 = (("__x64_sys", "__arm64_sys"), ("+112(%di)", "+0(%x0)"), ("%di", "%x0"))


def on_arm64(probes):
    for there, here in ON_ARM64:
        probes = tuple(probe.replace(there, here) for probe in probes)
    return probes


def source(kind, cpus, on_x86=acpi.source):
    """The table of acpi.py for this machine: other paths, and for the port that latches what is written to it a register
    that does, of the clock that QEMU's `virt` has (PL031, RTCMR)."""
    port = f"SystemIO, 32, 0, 0x{acpi.PORT:X}, 3"
    return on_x86(kind, cpus).replace("_SB.CPUS.", "_SB.").replace(port, "SystemMemory, 32, 0, 0x9010004, 3")


def with_table(work, options, initrd):
    """An initramfs with the table in front: QEMU's `virt` takes none, the kernel does (CONFIG_ACPI_TABLE_UPGRADE)."""
    folder = os.path.join(work, "table/kernel/firmware/acpi")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(acpi.compile_table(options.acpi, options.cpus, work), os.path.join(folder, "ssdt.aml"))
    both = os.path.join(work, "initrd.img")
    with open(both, "wb") as file:
        call(["sh", "-c", "find kernel | cpio -o -H newc --quiet"], cwd=os.path.join(work, "table"), stdout=file)
        with open(initrd, "rb") as rest:
            shutil.copyfileobj(rest, file)
    return both


def boot(work, options, folder, initrd, _disk):
    """Run QEMU to its end or to the timeout; returns (seconds, CPU seconds, ended by us)."""
    with open(os.path.join(folder, "release"), encoding="ascii") as file:
        words = runner.command_line(options, file.read().strip()) + " console=ttyAMA0"
    if options.acpi != "none":
        initrd = with_table(work, options, initrd)
    results = os.path.join(work, "results.img")
    with open(results, "wb") as file:
        file.truncate(1 << 30)
    argv = ["qemu-system-aarch64", "-accel", "tcg,thread=multi", "-M", "virt,acpi=on", "-cpu", options.cpu]
    argv += ["-smp", str(options.cpus), "-m", options.memory, "-nographic", "-nodefaults", "-no-reboot", "-monitor", "none"]
    argv += ["-bios", FIRMWARE, "-kernel", os.path.join(folder, "vmlinuz"), "-initrd", initrd, "-append", words]
    argv += ["-serial", "file:" + os.path.join(work, "serial.log")]
    argv += ["-drive", f"file={results},format=raw,if=none,id=results,cache=unsafe"]
    argv += ["-device", "virtio-blk-pci,drive=results,serial=results"]
    say(f"boot arm64, {options.suite}, {options.cpus} CPUs, {options.cpu}, acpi {options.acpi}")
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    log = os.path.join(work, "qemu.log")
    timed_out = False
    with open(log, "wb") as file:
        try:
            done = subprocess.run(argv, check=False, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=options.timeout)
            status = done.returncode
        except subprocess.TimeoutExpired:
            timed_out, status = True, 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    seconds = time.monotonic() - start
    if status:
        with open(log, encoding="utf-8", errors="replace") as file:
            text = f"QEMU ended with {status}: {file.read().strip()}"
        raise runner.EmulatorCrashed(text) if status < 0 else SystemExit("arm64: " + text)
    say(f"guest ended after {seconds:.1f} s, {used:.0f} s of CPU" + (" (timeout)" if timed_out else ""))
    return seconds, used, timed_out


def use_parts():
    """Put the parts of this file into the runner, and into the matrix that has it."""
    debian.base, debian.base_name = base, base_name
    lean.libraries = libraries
    lean.OPENED_LATER = [path.replace("x86_64-linux-gnu", TRIPLET) for path in lean.OPENED_LATER]
    runner.KPROBES, runner.KPROBES_OLD, runner.KPROBES_NEW = map(on_arm64, (runner.KPROBES, runner.KPROBES_OLD, runner.KPROBES_NEW))
    acpi.source = source
    runner.boot = boot
    # A lean image starts no unit.
    runner.enable_units = lambda tree, folder: None
