# SPDX-License-Identifier: GPL-2.0-or-later
"""Turn what a guest recorded (kernel trace, journal, small files) into one document. Counts only, no verdicts.

Two independent records are put side by side: the kernel's trace says which module loads reached it, from whom
and with which result; udev's debug log says what udev was asked for. Times are CLOCK_MONOTONIC seconds.
"""

import collections
import errno
import json
import os
import re

# A few cpufreq modules get a table of their own in the document; all others are under "modules".
CPUFREQ = (
    "acpi_cpufreq pcc_cpufreq powernow_k8 p4_clockmod speedstep_centrino amd_freq_sensitivity "
    "cppc_cpufreq cpufreq_ondemand cpufreq_conservative cpufreq_powersave cpufreq_userspace cpufreq_performance"
).split()

OURS = "cpufreq-resolve"
UDEV = ("(udev-worker)", "systemd-udevd", "udevd")

_EVENT = re.compile(r"^ *(?P<comm>.+)-(?P<pid>\d+) +\[\d+\] \S+ +(?P<time>\d+\.\d+): (?P<what>.*)$")
_NAME = re.compile(r'name=(?:"([^"]*)"|(\(fault\)))')
_INODE = re.compile(r"inode=(0x[0-9a-f]+)")
_COMM = re.compile(r'comm="([^"]*)"')
_SUFFIX = re.compile(r"\.ko(\.(xz|zst|gz))?$")

# systemd's module_load_and_warn(), 239 to 257.
_REQUESTS = (
    ("inserted", re.compile(r"Inserted module '([^']+)'")),
    ("failed", re.compile(r"Failed to insert module '([^']+)': (.*)")),
    ("already_loaded", re.compile(r"Module '([^']+)' is already loaded")),
    ("denied", re.compile(r"Module '([^']+)' is deny-listed")),
    ("built_in", re.compile(r"Module '([^']+)' is built in")),
)
_LOST = (
    re.compile(r"Suppressed (\d+) messages from"),
    re.compile(r"Missed (\d+) kernel messages"),
)

# A worker that takes longer than udev's event timeout is killed, and its device's requests are not made.
_KILLED = re.compile(r"Worker \[\d+\] terminated by signal")


def module_name(text):
    return _SUFFIX.sub("", text).replace("-", "_")


def result_name(value):
    """What the system call returned, from the trace's hexadecimal."""
    number = int(value, 16)
    if number >= 1 << 63:
        number -= 1 << 64
    if number == -512:
        # Of the kernel alone: the process was killed while it waited.
        return "ERESTARTSYS"
    return "OK" if number >= 0 else errno.errorcode.get(-number, str(number))


class Trace:
    """Module loads and removals, the program starts of process 1, from the text of /sys/kernel/tracing/trace."""

    def __init__(self, lines):
        self.events = 0
        self.attempts = []
        self.removals = []
        self.init_execs = []
        self.our_execs = []
        self.requests = []
        self.unread = 0
        self.mark = None
        self.conflicts = 0
        self._files = {}
        self._open = {}
        self._removing = {}
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            match = _EVENT.match(line)
            if not match:
                self.unread += 1
                continue
            self.events += 1
            self._event(match["comm"].strip(), int(match["pid"]), float(match["time"]), match["what"])
        for attempt in self._open.values():
            attempt["result"] = "unfinished"
            attempt["name"] = attempt["name"] or self._files.get(attempt.get("waits_for"))
            self.attempts.append(attempt)
        self.attempts.sort(key=lambda a: a["time"])

    def _event(self, comm, pid, time, what):
        head = re.match(r"(\w+)", what)[1]
        current = self._open.get(pid)
        if head in ("sys_finit_module", "sys_init_module"):
            if what[len(head)] == "(":
                self._open[pid] = {"time": time, "pid": pid, "comm": comm, "call": head[4:], "name": None, "inits": 0}
            elif current:
                current["result"] = result_name(what.rsplit(" ", 1)[1])
                current["end"] = time
                # Who waited for the same file: it was named by the one that read it, and that one has ended by now.
                current["name"] = current["name"] or self._files.get(current.pop("waits_for", None))
                self.attempts.append(self._open.pop(pid))
        elif head == "modwait" and current and not current["name"]:
            current["waits_for"] = _INODE.search(what)[1]
            current["shared"] = True
        elif head in ("modfile", "modname", "module_load") and current:
            self._name(current, head, what)
        elif head == "sys_delete_module" and "->" in what:
            name = self._removing.pop(pid, None)
            self.removals.append({"time": time, "comm": comm, "name": name, "result": result_name(what.rsplit(" ", 1)[1])})
        elif head == "moddel":
            found = _NAME.search(what)
            self._removing[pid] = found and found[1] and module_name(found[1])
        elif "vm-mark" in what:
            self.mark = time
        elif head == "module_request":
            self.requests.append({"time": time, "comm": comm, "name": what.split()[1]})
        elif head == "sched_process_exec" and pid == 1:
            self.init_execs.append((time, re.search(r"filename=(\S+)", what)[1]))
        elif head == "sched_process_exec" and who_is(comm) == "ours":
            self.our_execs.append((time, pid))

    def _name(self, attempt, head, what):
        """The file's name, the name in the module and the name at its init must be the same one."""
        if head == "module_load":
            name = module_name(what.split()[1])
            attempt["inits"] += 1
        else:
            found = _NAME.search(what)
            name = module_name(found[1]) if found and found[1] else None
            inode = _INODE.search(what)
            if inode:
                self._files[inode[1]] = name
            comm = _COMM.search(what)
            if comm:
                attempt["comm"] = comm[1]
        if name and attempt["name"] and name != attempt["name"]:
            self.conflicts += 1
        attempt["name"] = attempt["name"] or name

    def switch_root(self):
        """When process 1 became the host's init: its last exec, if there was one before."""
        if len(self.init_execs) < 2:
            return None
        return self.init_execs[-1][0]


class Journal:
    """udev's requests, our own lines, lost messages, from `journalctl -o json`."""

    def __init__(self, lines, kernel_offset):
        self.kernel_offset = kernel_offset
        self.messages = 0
        self.lost = 0
        self.requests = []
        self.ours = []
        self.offset = None
        self.asked = 0
        self.first_asked = None
        self.killed = 0
        self.systemd = []
        for line in lines:
            self._entry(json.loads(line))

    def _entry(self, entry):
        self.messages += 1
        message = entry.get("MESSAGE")
        if isinstance(message, list):
            message = bytes(message).decode("utf-8", "replace")
        if not isinstance(message, str):
            return
        time = self._time(entry)
        who = entry.get("SYSLOG_IDENTIFIER") or ""
        pid = int(entry.get("_PID") or entry.get("SYSLOG_PID") or 0)
        for pattern in _LOST:
            found = pattern.search(message)
            if found:
                self.lost += int(found[1])
        if who in UDEV:
            self._udev(time, pid, message)
        elif OURS in (who, entry.get("_COMM")):
            self.ours.append({"time": time, "message": message})
        elif who == "systemd" and OURS in message:
            self.systemd.append({"time": time, "message": message})

    def early(self, switch_root):
        """Did udev of the initramfs log here?"""
        return self.first_asked is not None and switch_root is not None and self.first_asked < switch_root

    def _udev(self, time, pid, message):
        if _KILLED.search(message):
            self.killed += 1
        if "Loading module: " in message:
            self.asked += 1
            if self.first_asked is None or (time is not None and time < self.first_asked):
                self.first_asked = time
            return
        for kind, pattern in _REQUESTS:
            found = pattern.search(message)
            if found:
                reason = found[2] if kind == "failed" else None
                self.requests.append(
                    {"time": time, "pid": pid, "kind": kind, "name": module_name(found[1]), "reason": reason}
                )
                return

    def _time(self, entry):
        """When the message was sent. journald may be late, across switch-root above all."""
        if "__MONOTONIC_TIMESTAMP" not in entry:
            return None
        monotonic = int(entry["__MONOTONIC_TIMESTAMP"]) / 1e6
        offset = int(entry["__REALTIME_TIMESTAMP"]) / 1e6 - monotonic
        self.offset = offset
        if entry.get("_TRANSPORT") == "kernel" and entry.get("_SOURCE_MONOTONIC_TIMESTAMP"):
            return round(int(entry["_SOURCE_MONOTONIC_TIMESTAMP"]) / 1e6 + self.kernel_offset, 6)
        if entry.get("_SOURCE_REALTIME_TIMESTAMP"):
            return round(int(entry["_SOURCE_REALTIME_TIMESTAMP"]) / 1e6 - offset, 6)
        return round(monotonic, 6)


def match_requests(requests, attempts):
    """Give each of udev's 'inserted' and 'failed' lines the attempt of the same process that it speaks of."""
    waiting = collections.defaultdict(list)
    for attempt in attempts:
        waiting[attempt["pid"], attempt["name"]].append(attempt)
    for request in requests:
        request["attempt"] = None
        if request["kind"] not in ("inserted", "failed"):
            continue
        # The newest one that had ended by then; older ones were loads of a dependency, which udev doesn't log.
        # 50 ms: the two clocks are read in different places.
        queue = waiting[request["pid"], request["name"]]
        if request["time"] is None:
            request["attempt"] = queue.pop(0) if queue else None
        while request["time"] is not None and queue and queue[0].get("end", float("inf")) <= request["time"] + 0.05:
            request["attempt"] = queue.pop(0)
        if request["attempt"]:
            request["attempt"]["logged"] = True


def stderr_entries(lines):
    """Journal entries from udevd's stderr, for the lean guest, which has no journal. They have no time."""
    for line in lines:
        match = re.match(r"\((\d+)\) (.*)", line.rstrip("\n"))
        if match:
            yield json.dumps({"MESSAGE": match[2], "SYSLOG_IDENTIFIER": "systemd-udevd", "_PID": match[1]})


class Phases:
    """Splits the boot at switch-root and at the start of the scenario's own script."""

    def __init__(self, switch_root, script):
        self.switch_root = switch_root
        self.script = script

    def of(self, time):
        if self.script is not None and time is not None and time >= self.script:
            return "script"
        if self.switch_root is None or time is None or time < self.switch_root:
            return "initramfs"
        return "host"


def who_is(comm):
    if comm == OURS:
        return "ours"
    return "udev" if comm in UDEV else comm


def add(table, *path):
    for key in path[:-1]:
        table = table.setdefault(key, {})
    table[path[-1]] = table.get(path[-1], 0) + 1


def modules_table(trace, journal, phases):
    table = {}
    for attempt in trace.attempts:
        name = attempt["name"]
        if name is None:
            continue
        row = table.setdefault(name, {})
        phase = phases.of(attempt["time"])
        add(row, "attempts", phase, "total")
        add(row, "attempts", phase, "by", who_is(attempt["comm"]))
        add(row, "attempts", phase, "results", attempt["result"])
        if attempt.get("shared"):
            add(row, "attempts", phase, "shared")
        for _ in range(attempt["inits"]):
            add(row, "inits", phase)
        row.setdefault("first", attempt["time"])
        row["last"] = attempt.get("end", attempt["time"])
    for request in journal.requests:
        row = table.setdefault(request["name"], {})
        phase = phases.of(request["time"])
        add(row, "udev", phase, "requests")
        add(row, "udev", phase, request["kind"])
        if request["kind"] in ("inserted", "failed"):
            add(row, "udev", phase, "with_attempt" if request["attempt"] else "without_attempt")
        if request["reason"]:
            add(row, "udev", phase, "reasons", request["reason"])
    for removal in trace.removals:
        if removal["name"]:
            add(table.setdefault(removal["name"], {}), "removals", phases.of(removal["time"]), removal["result"])
    return table


def late_attempts(trace, late):
    """Our attempts in the second chance. late: what systemd says of its service. While it runs, udev may run us, too, for
    the first CPU: the service is the process whose program was started just after systemd began."""
    started = int(late.get("ExecMainStartTimestampMonotonic", "0")) / 1e6
    pid = min(((time, pid) for time, pid in trace.our_execs if time >= started), default=(0, None))[1] if started else None
    found = collections.Counter()
    for attempt in trace.attempts:
        if attempt["pid"] == pid and attempt["time"] >= started and attempt["name"]:
            found[attempt["name"]] += 1
    return dict(found)


def live_before_host(trace, switch_root):
    """Modules loaded when process 1 of the host started."""
    live = set()
    for what in sorted(trace.attempts + trace.removals, key=lambda w: w["time"]):
        if switch_root is not None and what["time"] < switch_root and what["result"] == "OK" and what["name"]:
            if "call" in what:
                live.add(what["name"])
            else:
                live.discard(what["name"])
    return sorted(live)


def totals(table, name):
    """One module's numbers over the whole boot, without the scenario's own script."""
    row = table.get(name, {})
    phases = ("initramfs", "host")
    attempts = [row.get("attempts", {}).get(p, {}) for p in phases]
    result = {"requests": sum(row.get("udev", {}).get(p, {}).get("requests", 0) for p in phases)}
    result["attempts"] = sum(a.get("total", 0) for a in attempts)
    by = collections.Counter()
    for one in attempts:
        by.update(one.get("by", {}))
    result["by"] = dict(by)
    result["initramfs"] = attempts[0].get("total", 0)
    result["host"] = attempts[1].get("total", 0)
    result["inits"] = sum(row.get("inits", {}).get(p, 0) for p in phases)
    return result


def read(folder, name, default=""):
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return default


def lines_of(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        yield from file


def sections(text):
    """'== name' headings with KEY=value lines below."""
    found, current = {}, None
    for line in text.splitlines():
        if line.startswith("== "):
            current = found.setdefault(line[3:], {})
        elif "=" in line and current is not None:
            key, _, value = line.partition("=")
            current[key] = value
    return found


def run_files(records, offset, switch_root):
    result = []
    for line in read(records, "run-files").splitlines():
        kind, path, size, mtime = line.split()
        if kind == "d":
            continue
        one = {"path": path, "size": int(size), "time": None, "before_switch_root": None}
        if offset is not None:
            one["time"] = round(float(mtime) - offset, 3)
            one["before_switch_root"] = switch_root is not None and one["time"] < switch_root
        result.append(one)
    return result


def contents(records):
    result = {}
    top = os.path.join(records, "files")
    for folder, _, files in os.walk(top):
        for name in files:
            path = os.path.join(folder, name)
            result["/" + os.path.relpath(path, top)] = read(folder, name)
    return result


def policies(records):
    drivers, governors = collections.Counter(), collections.Counter()
    for line in read(records, "policies").splitlines():
        _, driver, governor = line.split()
        drivers[driver] += 1
        governors[governor] += 1
    return {
        "driver": drivers.most_common(1)[0][0] if len(drivers) == 1 else (sorted(drivers) or None),
        "governor": governors.most_common(1)[0][0] if len(governors) == 1 else (sorted(governors) or None),
        "policies": sum(drivers.values()),
    }


def udev_ticks(text):
    """CPU time of udevd, its workers and what these have run, from /proc/PID/stat: user and system, own and of children
    that were waited for. None where it was not recorded."""
    lines = [line.rpartition(")")[2].split() for line in text.splitlines()]
    return sum(int(word) for words in lines for word in words[11:15]) if lines else None


def seconds(text):
    return float(text) if text.strip() else None


def lost_events(records):
    lost = entries = 0
    for line in read(records, "trace-stats").splitlines():
        words = re.search(r"stats:([a-z ]+): (\d+)$", line)
        if words and words[1] == "entries":
            entries += int(words[2])
        elif words:
            lost += int(words[2])
    return entries, lost


def kprobe_misses(records):
    return sum(int(line.split()[2]) for line in read(records, "kprobe_profile").splitlines())


def document(records):
    """records: the folder that the guest wrote; None when it wrote none."""
    if not records:
        return {"booted": False, "complete": False, "incomplete_because": ["the guest wrote no records"]}
    trace = Trace(lines_of(records, "trace"))
    log = read(records, "dmesg").splitlines()
    marks = [float(line[1:].split("]")[0]) for line in log if line.endswith("] vm-mark")]
    offset = trace.mark - marks[-1] if marks and trace.mark is not None else 0.0
    lean = not os.path.exists(os.path.join(records, "journal.json"))
    journal = Journal(
        stderr_entries(lines_of(records, "udev-log")) if lean else lines_of(records, "journal.json"), offset
    )
    switch_root = trace.switch_root()
    script_start = seconds(read(records, "script-start")) if read(records, "script-status") else None
    phases = Phases(switch_root, script_start)
    match_requests(journal.requests, trace.attempts)
    table = modules_table(trace, journal, phases)
    entries, lost = lost_events(records)
    # None of these is a dependency of another: whatever udev tried of them it was asked for, and logged.
    # A load that has not returned is not in the log, nor is one whose process was killed.
    speechless = ("unfinished", "ERESTARTSYS")
    silent = [a for a in trace.attempts if a["name"] in CPUFREQ and a["comm"] in UDEV and not a.get("logged")]
    silent = [a for a in silent if a["result"] not in speechless]
    unnamed = [a for a in trace.attempts if a["name"] is None]
    units = sections(read(records, "units"))
    because = [
        text
        for bad, text in (
            (not trace.events, "no trace"),
            (not journal.messages, "no journal"),
            (journal.messages and not journal.asked, "udev's debug log is not in the journal"),
            # On arm64 it is the second line: the first says on which CPU it boots.
            (not any("Linux version" in line for line in log[:2]), "the start of the kernel log is lost"),
            # Nothing of a lean boot is timed by the kernel log; on an emulated arm64 the two were 5 s apart.
            (not lean and abs(offset) > 1, f"the clocks of trace and kernel log differ by {offset:.1f} s"),
            (lost, f"{lost} trace events lost"),
            (kprobe_misses(records), f"{kprobe_misses(records)} kprobe hits missed"),
            (trace.unread, f"{trace.unread} trace lines not understood"),
            (trace.conflicts, f"{trace.conflicts} attempts with two names"),
            (journal.lost, f"{journal.lost} journal messages lost"),
            (journal.killed, f"udev killed {journal.killed} of its workers: this machine is too busy"),
            (silent, f"{len(silent)} attempts of udev that are not in its debug log"),
            (unnamed, f"{len(unnamed)} attempts without a name"),
            (read(records, "not-settled"), "not settled: " + " ".join(read(records, "not-settled").split())),
        )
        if bad
    ]
    entered = units.get("multi-user.target", {}).get("ActiveEnterTimestampMonotonic", "0")
    multi_user = int(entered) / 1e6 or None
    return {
        "booted": True,
        "complete": not because,
        "incomplete_because": because,
        "guest": {
            "release": read(records, "release").strip(),
            "cpus": int(read(records, "cpus", "0")),
            "boot_id": read(records, "boot_id").strip(),
            "cmdline": read(records, "cmdline").strip(),
        },
        **policies(records),
        "milestones": {
            **{k: seconds(read(records, k)) for k in ("trigger", "coldplug", "settled") if read(records, k)},
            "init": trace.init_execs[0][0] if trace.init_execs else None,
            "switch_root": switch_root,
            "multi_user": multi_user,
            "collected": seconds(read(records, "uptime")),
        },
        "udev_ticks": udev_ticks(read(records, "udev-stat")),
        "modules": table,
        "cpufreq": {name: totals(table, name) for name in CPUFREQ if name in table},
        "late_attempts": late_attempts(trace, units.get("cpufreq-resolve-late.service", {})),
        "live_before_host": live_before_host(trace, switch_root),
        "attempts": len(trace.attempts),
        "unnamed_attempts": [
            {k: a[k] for k in ("time", "comm", "call", "result")} for a in unnamed
        ],
        "kernel_requests": trace.requests,
        "run_files": run_files(records, journal.offset, switch_root),
        "files": contents(records),
        "our_log": journal.ours,
        "apply_output": read(records, "apply") or None,
        "systemd_about_us": journal.systemd,
        "units": units,
        "failed_units": [line.split()[0] for line in read(records, "failed").splitlines() if line.strip()],
        "live": sorted(line.split()[0] for line in read(records, "modules").splitlines()),
        "verbs": {v: read(records, f"verb-{v}") for v in ("status", "explain") if read(records, f"verb-{v}")},
        "script": read(records, "script") if read(records, "script-status") else None,
        "script_status": int(read(records, "script-status", "0")) if read(records, "script-status") else None,
        "udev_lookups": journal.asked,
        # False where the image has no journal: udevd of an image without systemd logs to the console.
        "initramfs_requests_recorded": bool(lean or journal.early(switch_root)),
        "journal": {"messages": journal.messages, "lost": journal.lost},
        "trace": {"events": trace.events, "entries": entries, "lost": lost},
        "kernel_trouble": [
            line for line in log if re.search(r"BUG:|WARNING:|Oops|lockup|hung task|blocked for", line)
        ],
    }
