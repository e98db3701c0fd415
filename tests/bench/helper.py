# SPDX-License-Identifier: GPL-2.0-or-later
"""What apply costs, beside one modprobe of the module that it loads, on one machine: the same modules, the same
kernel, which loads nothing.

The program for images runs on a machine made by tests/tools/make-machine, linked with tests/faults/kernel.c, which takes
that for the running system and lets libkmod ask the real kernel; whoever runs it has no right to load. modprobe gets
the same tree by --dirname and asks the kernel the same.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time

import memory

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
KERNEL = "6.1.0-57-amd64"
MODULE = "acpi_cpufreq"
ANSWERS = f"{MODULE}=0:acpi-cpufreq *=-19"
NOBODY = 65534
MODPROBE = shutil.which("modprobe", path="/usr/sbin:/sbin:/usr/bin:/bin") or "modprobe"


def as_nobody(words):
    """Whoever may load modules must not while we count."""
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *words] if os.getuid() == 0 else words


def descendants(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += file.read().split()
    except OSError:
        return []
    return found + [other for child in found for other in descendants(child)]


def runs(pid, path):
    try:
        return os.path.samefile(f"/proc/{pid}/exe", path)
    except OSError:
        return False


class Machine:
    """A captured machine with so many CPUs, in a folder that anybody may write to."""

    def __init__(self, folder, cpus, build):
        self.cpus = cpus
        self.build = build
        self.folder = folder
        self.root = os.path.join(folder, "root")
        self.record = os.path.join(folder, "record")
        subprocess.run(
            [os.path.join(TOP, "tests/tools/make-machine"), "--set", f"cpus={cpus}", os.path.join(TOP, "tests/unit/apply.machine"),
             self.root], check=True, stdout=subprocess.DEVNULL)
        if os.getuid() == 0:
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", folder], check=True)
        os.chmod(folder, 0o755)

    def reset(self):
        """As it was before a run."""
        for path in ("run", f"sys/module/{MODULE}", "sys/devices/system/cpu/cpufreq"):
            shutil.rmtree(os.path.join(self.root, path), ignore_errors=True)
        with open(self.record, "w", encoding="ascii"):
            pass
        os.chmod(self.record, 0o666)

    def command(self, name):
        """The words and the environment of: apply, modprobe, modprobe -n, or only the start of apply's two builds."""
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
        faulty = os.path.join(self.build, "tests/faults/faulty-image")
        if name in ("apply", "start-counted"):
            env |= {"FAULT_ROOT": self.root, "FAULT_MODULES": "lib/modules/" + KERNEL, "FAULT_RECORD": self.record,
                    "FAULT_INSERT": "1", "FAULT_ANSWERS": ANSWERS}
            return [faulty, "apply" if name == "apply" else "--version"], env
        if name == "start":
            return [os.path.join(self.build, "src/cpufreq-resolve-image"), "--version"], env
        words = [MODPROBE, "-d", self.root, "-S", KERNEL, "-C", os.path.join(self.root, "etc/modprobe.d")]
        return words + (["-n", MODULE] if name == "modprobe -n" else [MODULE]), env

    def run(self, name, before=()):
        self.reset()
        words, env = self.command(name)
        done = subprocess.run(as_nobody([*before, *words]), env=env, capture_output=True, text=True, check=False)
        # modprobe is refused: nobody may load, and that is what is meant.
        expected = {"apply": "acpi_cpufreq: loaded", "modprobe": "could not insert"}.get(name)
        if expected and expected not in done.stderr:
            raise SystemExit(f"{name}: expected \"{expected}\":\n{done.stderr}")
        return done

    def collected(self, name, toggle=None):
        """Instructions of each process, the first one first."""
        words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        words += [f"--toggle-collect={toggle}"] if toggle else []
        found = re.findall(r"==(\d+)== Collected *: (\d+)", self.run(name, words).stderr)
        return [int(count) for _, count in sorted(found, key=lambda pair: int(pair[0]))]

    def instructions(self, name):
        """Of all processes, with the dynamic linker's. A child of fork() counts on from what its parent had, so of
        apply's only what it does in modules_lookup() is added; and what our kernel.c adds at the start is taken off."""
        if name != "apply":
            return self.collected(name)[0]
        return (self.collected(name)[0] + self.collected(name, "modules_lookup")[1]
                - self.collected("start-counted")[0] + self.collected("start")[0])

    def syscalls(self, name):
        with tempfile.NamedTemporaryFile(dir=self.folder) as out:
            os.chmod(out.name, 0o666)
            self.run(name, ["strace", "-f", "-qq", "-o", out.name])
            with open(out.name, encoding="utf-8", errors="replace") as lines:
                return sum(not re.search(r"resumed>|^\d+ +(---|\+\+\+)", line) for line in lines)

    def peak_kib(self, name):
        """The most memory that one of its processes had, in KiB, read while strace holds it back at its end."""
        self.reset()
        words, env = self.command(name)
        hold = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=exit_group:delay_enter=500000"]
        child = subprocess.Popen(as_nobody([*hold, *words]), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        peak = 0
        while child.poll() is None:
            peak = max([peak, *(memory.high_water(pid) for pid in descendants(child.pid) if runs(pid, words[0]))])
            time.sleep(0.02)
        if not peak:
            raise SystemExit(f"{name}: its memory was not seen; expected it to end half a second late, under strace")
        return peak

    def usage(self, name, times=15):
        """Page faults, and the median wall time in ms; of several runs, without any tool around."""
        walls, faults = [], []
        for _ in range(times):
            self.reset()
            words, env = self.command(name)
            start = time.perf_counter()
            child = subprocess.Popen(as_nobody(words), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, _, used = os.wait4(child.pid, 0)
            walls.append((time.perf_counter() - start) * 1000)
            child.returncode = 0
            faults.append(used.ru_minflt)
        walls.sort()
        return {"page_faults": sorted(faults)[times // 2], "wall_ms": round(walls[times // 2], 2), "wall_ms_least": round(walls[0], 2), "wall_ms_most": round(walls[-1], 2)}


def measure(build, cpus, names=("apply", "modprobe", "modprobe -n")):
    """{name: {instructions, syscalls, peak_kib, page_faults, wall_ms}} on a machine of so many CPUs."""
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder, cpus, build)
        return {name: {"instructions": machine.instructions(name), "syscalls": machine.syscalls(name), "peak_kib": machine.peak_kib(name), **machine.usage(name)}
                for name in names}
