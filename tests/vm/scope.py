# SPDX-License-Identifier: GPL-2.0-or-later
"""scope=cpu: the boots, what is expected of them, and their table, RESULTS-scope.md. As in scenarios.py, boots are
compared with boots of the same machine."""

import os
import re

from report import CPUFREQ
from vmlib import HERE

RESULTS = os.path.join(HERE, "RESULTS-scope.md")
SUITES = ("bookworm", "trixie", "sid")
RULE_NAME = "79-cpufreq-resolve-boot.rules"
RULE = "/run/udev/rules.d/" + RULE_NAME

# What an administrator can write by himself, and what ours is to beat.
BARE_RULE = (
    'ACTION!="remove", SUBSYSTEM=="cpu", KERNEL!="cpu0", ENV{MODALIAS}=""\\n'
    'ACTION!="remove", SUBSYSTEM=="acpi", ENV{MODALIAS}=="acpi:ACPI0007:|acpi:LNXCPU:", '
    'KERNEL!="ACPI0007:00|LNXCPU:00", ENV{MODALIAS}=""\\n'
)
# systemd 262 refuses to set MODALIAS, but not to import it. There this is the rule to beat.
IMPORT_FILE = "/etc/udev/no-modalias"
# Quoted: udev takes MODALIAS= without quotes for a key without a value, ignores the line, and the rule does nothing.
IMPORT_TEXT = 'MODALIAS=""'
IMPORT_RULE = BARE_RULE.replace('ENV{MODALIAS}=""', f'IMPORT{{file}}="{IMPORT_FILE}"')
# A rule of another package that must go on working: CPUs that are plugged in come online.
OTHER_RULE = 'SUBSYSTEM=="cpu", ACTION=="add", TEST=="online", ATTR{online}!="1", ATTR{online}="1"\\n'
# The two ways that were not chosen (docs/design.md), as small as they can be written. Only the first CPU and the first
# ACPI processor are triggered:
TRIM = (
    "[Service]\\nExecStart=\\nExecStart=-udevadm trigger --type=subsystems --action=add\\n"
    "ExecStart=-udevadm trigger --type=devices --action=add --subsystem-nomatch=cpu "
    "--attr-nomatch=hid=LNXCPU --attr-nomatch=hid=ACPI0007\\n"
    "ExecStart=-udevadm trigger --action=add /sys/devices/system/cpu/cpu0 /sys/bus/acpi/devices/LNXCPU:00\\n"
)
# What they offer is asked for before udev starts, and denied for this boot if it does not come up:
ASK = (
    "[Service]\\nExecStartPre=-/bin/sh -c 'mkdir -p /run/modprobe.d; for f in /sys/devices/system/cpu/cpu0/uevent "
    "/sys/bus/acpi/devices/LNXCPU:00/uevent; do a=$$(sed -n s/^MODALIAS=//p $$f); for m in $$(modprobe -qR $$a); do "
    'modprobe -q $$m || echo blacklist $$m; done; done >> /run/modprobe.d/ask.conf\'\\n'
)


def both(path, content):
    """A file of the image and of the host; dracut would copy few of them."""
    return ["--image-file", f"{path}={content}", "--host-file", f"{path}={content}"]


def settings(text):
    return ["--image-and-host-file", f"/etc/modprobe.d/admin.conf=options cpufreq_resolve {text}"]


def attempts(document):
    """Of what CPUs ask for: {module: attempts}, without the second chance, a scenario's own script and the kernel's own
    requests."""
    found = {}
    kernel = by_kernel(document)
    for name in document["run"]["modules_for_cpus"]:
        row = document["modules"].get(name, {}).get("attempts", {})
        total = sum(row.get(phase, {}).get("total", 0) for phase in ("initramfs", "host"))
        total -= document["late_attempts"].get(name, 0) + kernel.get(name, 0)
        if total:
            found[name] = total
    return found


def by_kernel(document):
    """{module: attempts} that the kernel's request_module() made by running modprobe: the crypto modules when init asks
    for a cipher. They do not depend on the number of CPUs, and are the same without us. Where a scenario runs
    modprobe for a CPU, these can't be told apart and count with the others."""
    found = {}
    if any("modprobe" in text for text in document["run"]["host_files"].values()):
        return found
    for name in document["run"]["modules_for_cpus"]:
        row = document["modules"].get(name, {}).get("attempts", {})
        count = sum(row.get(phase, {}).get("by", {}).get("modprobe", 0) for phase in ("initramfs", "host"))
        if count:
            found[name] = count
    return found


def whole(check, document):
    check.that(document["complete"], "incomplete: " + "; ".join(document["incomplete_because"]))


def same_live(check, document, without):
    here, there = set(document["live"]), set(without["live"])
    check.that(not there - here, f"not live, but without us: {sorted(there - here)}")
    check.that(not here - there, f"live, but not without us: {sorted(here - there)}")
    here, there = by_kernel(document), by_kernel(without)
    more = {name: count for name, count in here.items() if count > there.get(name, 0)}
    check.that(not more, f"the kernel asked more often than without us: {more}, {there}")
    check.that(document["driver"] == without["driver"], f"driver {document['driver']}, without us {without['driver']}")


def stormy(check, document, _):
    whole(check, document)
    most = max(attempts(document).values(), default=0)
    check.that(most >= document["guest"]["cpus"] / 2, f"no storm to end: {most} attempts at most")


def by(document, who, names=None):
    """{module: attempts of this one}, second chances with them."""
    found = {}
    for name in names or document["run"]["modules_for_cpus"]:
        row = document["modules"].get(name, {}).get("attempts", {})
        count = sum(row.get(phase, {}).get("by", {}).get(who, 0) for phase in ("initramfs", "host"))
        if count:
            found[name] = count
    return found


def few(check, document, without):
    """The ways not chosen end the storm, too: one attempt in the initramfs and one in the host at most."""
    whole(check, document)
    same_live(check, document, without)
    more = {name: count for name, count in attempts(document).items() if count > 2}
    check.that(not more, f"more than two attempts: {more}")


def as_without(check, document, without):
    """Fewer attempts or not, the same modules."""
    whole(check, document)
    same_live(check, document, without)


def once(check, document, without):
    whole(check, document)
    same_live(check, document, without)
    more = {name: count for name, count in attempts(document).items() if count > 1}
    check.that(not more, f"more than one attempt: {more}")
    # A rule that let udev ask for the first CPU would look the same, and a machine without modules for CPUs, too.
    check.that(by(document, "ours"), "nothing was asked for by us")
    check.that(not by(document, "udev"), f"asked for by udev: {by(document, 'udev')}")
    late = {name: count for name, count in document["late_attempts"].items() if count > 1}
    check.that(not late, f"more than one second chance: {late}")


def ours(check, document, without, rule):
    once(check, document, without)
    count, bar = sum(attempts(document).values()), sum(attempts(rule).values())
    check.that(count <= bar, f"{count} attempts in all, {bar} with the two-line rule")


def requests(document, name):
    return document["modules"].get(name, {}).get("udev", {}).get("host", {}).get("requests", 0)


def off(check, document, without):
    """Switched off: who asks is udev, and as often as without us. How many of the requests of a moment reach the
    kernel is a matter of its timing, so requests are compared, and attempts only for their being there."""
    whole(check, document)
    same_live(check, document, without)
    for name in document["run"]["modules_for_cpus"]:
        asked, wanted = (requests(d, name) for d in (document, without))
        check.that(asked == wanted, f"{name}: {asked} requests in the host, {wanted} without us")
    mine = by(document, "ours", document["modules"])
    check.that(not mine, f"attempts of ours, switched off: {mine}")


def off_with_cpufreq(check, document, without):
    """The rule alone is off: cpufreq drivers are still asked for once, by us; udev is asked for all others as ever."""
    whole(check, document)
    same_live(check, document, without)
    check.that(by(document, "ours", CPUFREQ), "no cpufreq driver was asked for by us")
    for name in document["run"]["modules_for_cpus"]:
        if name in CPUFREQ:
            count = attempts(document).get(name, 0)
            check.that(count <= 1, f"{name}: {count} attempts")
            continue
        asked, wanted = (requests(d, name) for d in (document, without))
        check.that(asked == wanted, f"{name}: {asked} requests in the host, {wanted} without us")
    mine = set(by(document, "ours")) - set(CPUFREQ)
    check.that(not mine, f"asked for by us, the rule off: {sorted(mine)}")


def same_number(check, document, few, without):
    """However many CPUs there are. Without us only the fewest are booted: the same modules are live."""
    once(check, document, without)
    here, there = attempts(document), attempts(few)
    check.that(here == there, f"attempts {here}, with 4 CPUs {there}")


HOT = ("present 0-7 online 0-7", "online 0,2-7")


def hot_plugged(check, document, without=None):
    whole(check, document)
    lines = (document["script"] or "").splitlines()
    found = [line for line in lines if line.startswith(("added: ", "offline: ", "back: "))]
    wanted = ["added: " + HOT[0], "offline: " + HOT[1], "back: " + HOT[0]]
    check.that(found == wanted, f"the guest's script says {lines}")
    check.that(lines[-1:] == ["1"], f"cpu7's uevent file has no MODALIAS: {lines[-1:]}")
    if without:
        once(check, document, without)
        later = {n: r["attempts"]["script"] for n, r in document["modules"].items() if "script" in r.get("attempts", {})}
        check.that(not later, f"the new CPUs asked for modules: {later}")


def scenarios():
    table = {}
    for suite in SUITES:
        for cpu in ("intel", "amd"):
            name, machine = f"scope-{cpu}-{suite}", ["--suite", suite, "--cpu", cpu]
            table[f"{name}-without"] = (machine, False, None, stormy)
            table[f"{name}-cpufreq"] = (machine + settings("scope=cpufreq"), True, f"{name}-without", as_without)
            rule = machine + both("/etc/udev/rules.d/79-cpu-once.rules", BARE_RULE)
            table[f"{name}-rule"] = (rule, False, f"{name}-without", as_without if suite == "sid" else few)
            bar = f"{name}-rule"
            if suite == "sid":
                bar = f"{name}-import"
                rule = machine + both("/etc/udev/rules.d/79-cpu-once.rules", IMPORT_RULE) + both(IMPORT_FILE, IMPORT_TEXT)
                table[bar] = (rule, False, f"{name}-without", few)
            table[f"{name}-cpu"] = (machine + settings("scope=cpu"), True, (f"{name}-without", bar), ours)
    for suite in SUITES:
        lean = ["--kind", "lean", "--suite", suite, "--lean-modules", "cpu"]
        name = f"scope-lean-{suite}"
        table[f"{name}-without"] = (lean + ["--cpus", "4"], False, None, stormy)
        table[f"{name}-4"] = (lean + ["--cpus", "4"] + settings("scope=cpu"), True, f"{name}-without", once)
        for cpus in (16, 64):
            words = lean + ["--cpus", str(cpus)] + settings("scope=cpu")
            table[f"{name}-{cpus}"] = (words, True, (f"{name}-4", f"{name}-without"), same_number)
    base, cpu = ["--suite", "bookworm"], settings("scope=cpu")
    hot = base + ["--cpus", "4", "--max-cpus", "8", "--guest-script", os.path.join(HERE, "faults", "hot-cpu")]
    hot += ["--host-file", f"/etc/udev/rules.d/80-other.rules={OTHER_RULE}"]
    table["scope-hot-without"] = (hot, False, None, hot_plugged)
    table["scope-hot-cpu"] = (hot + cpu, True, "scope-hot-without", hot_plugged)
    for kind in ("--no-initramfs", "--overlay-root"):
        name = "scope" + kind[1:]
        table[f"{name}-without"] = (base + [kind], False, None, stormy)
        table[f"{name}-cpu"] = (base + [kind] + cpu, True, f"{name}-without", once)
    units = "/etc/systemd/system/systemd-udev"
    trim = base + both(units + "-trigger.service.d/trim.conf", TRIM)
    table["scope-way-trim"] = (trim, False, "scope-intel-bookworm-without", few)
    table["scope-way-ask"] = (base + both(units + "d.service.d/ask.conf", ASK), False, "scope-intel-bookworm-without", few)
    plain = base + ["--no-systemd-initramfs"] + cpu
    table["scope-nosystemd-cpu"] = (plain, True, "scope-intel-bookworm-without", once)
    enable = base + cpu + ["--append", "cpufreq_resolve.enable=0"]
    table["scope-enable0"] = (enable, True, "scope-intel-bookworm-without", off)
    word = base + cpu + ["--append", "cpufreq_resolve.scope=cpufreq"]
    table["scope-word"] = (word, True, "scope-intel-bookworm-without", off_with_cpufreq)
    mask = ["--image-and-host-file", f"/etc/udev/rules.d/{RULE_NAME}="]
    table["scope-masked-rule"] = (base + cpu + mask, True, "scope-intel-bookworm-without", off_with_cpufreq)
    mask = ["--image-and-host-file", "/etc/modprobe.d/cpufreq-resolve-boot.conf="]
    table["scope-masked"] = (base + cpu + mask, True, "scope-intel-bookworm-without", off)
    crash = base + cpu + ["--replace-binary", os.path.join(HERE, "faults", "crash-load")]
    table["scope-fault-load"] = (crash, True, "scope-intel-bookworm-without", as_without)
    # Ten minutes are enough on a machine that does nothing else.
    return {name: (words + ["--timeout", "1800"], *rest) for name, (words, *rest) in table.items()}


COLUMNS = ("without", "cpufreq", "rule", "import", "cpu")


def earlier_parts(path, prefix):
    """What a table says now: {heading: its lines}, {scenario: its row}. prefix: of the scenarios' names."""
    parts, rows, heading = {}, {}, None
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file.read().splitlines():
                heading = line if line.startswith("## ") else heading
                parts.setdefault(heading, []).append(line)
                if line.startswith(f"| {prefix}"):
                    rows[line.split(" | ")[0].removeprefix("| ")] = line
    return parts, rows


def write_table(lines, matrix, verdicts, title, names, earlier):
    """One row a module, one column a boot; names: [(heading, scenario)]. One with boots that are missing now, and were
    there earlier, stays as it is."""
    kept = earlier.get(f"## {title}")
    if kept and not all(name in verdicts for _, name in names):
        lines += ["", *kept[: len(kept) - (kept[-1] == "")]]
        return
    boots = [(heading, matrix.document(name)) for heading, name in names if name in verdicts]
    boots = [(heading, document) for heading, document in boots if document["booted"]]
    if not boots:
        return
    first = boots[0][1]
    lines += ["", f"## {title}", ""]
    lines += [f"Linux {first['guest']['release']}, systemd {first['run']['versions']['systemd']}, "
              f"{first['guest']['cpus']} CPUs.", ""]
    lines += ["| module | " + " | ".join(heading for heading, _ in boots) + " |", "|---" * (len(boots) + 1) + "|"]
    counts = [attempts(document) for _, document in boots]
    for module in sorted(set().union(*counts)):
        lines.append(f"| {module} | " + " | ".join(str(count.get(module, 0)) for count in counts) + " |")
    lines.append("| **in all** | " + " | ".join(f"**{sum(count.values())}**" for count in counts) + " |")
    late = [sum(document["late_attempts"].values()) for _, document in boots]
    lines.append("| second chances | " + " | ".join(map(str, late)) + " |")
    kernel = [sum(by_kernel(document).values()) for _, document in boots]
    lines.append("| by the kernel itself | " + " | ".join(map(str, kernel)) + " |")
    lines.append("| modules live | " + " | ".join(str(len(document["live"])) for _, document in boots) + " |")


def write_summary(lines, matrix, verdicts, earlier):
    """Everything in one table: a row for each machine, a column for each way, of the full boots."""
    title = "## All machines and all ways, full boots"
    rows = {}
    for suite in SUITES:
        for cpu in ("intel", "amd"):
            names = {column: f"scope-{cpu}-{suite}-{column}" for column in COLUMNS}
            names = {column: name for column, name in names.items() if name in matrix.table}
            machine = f"{cpu.capitalize()}-like, {suite}"
            if not all(name in verdicts and matrix.document(name)["booted"] for name in names.values()):
                continue
            documents = [matrix.document(name) for name in names.values()]
            counts = {column: attempts(matrix.document(name)) for column, name in names.items()}
            cells = [f"{machine}, Linux {documents[0]['guest']['release']}"]
            cells += [f"{sum(c.values())} ({max(c.values())})" if (c := counts.get(one)) else "" for one in COLUMNS]
            cells.append(" = ".join(str(len(document["live"])) for document in documents))
            rows[machine] = "| " + " | ".join(cells) + " |"
    for line in earlier.get(title, []):
        machine = re.match(r"\| (\S+-like, \w+), Linux ", line)
        if machine:
            rows.setdefault(machine.group(1), line)
    if not rows:
        return
    lines += ["", title, "", "Attempts in all (most of one module), and how many modules were live in the end.", ""]
    lines += ["| machine | " + " | ".join(COLUMNS) + " | live |", "|---" * (len(COLUMNS) + 2) + "|"]
    lines += [rows[machine] for machine in rows]


def write_boots(lines, matrix, verdicts, table, rows):
    """One row a boot; that of one which was not booted with these inputs stays as it is."""
    lines += ["", "## All boots", "", "| scenario | date (UTC) | kernel | CPUs | attempts | second chances | live | boot s | verdict |"]
    lines += ["|---" * 9 + "|"]
    for name in table:
        if name not in verdicts:
            lines += [rows[name]] if name in rows else []
            continue
        document, wrong = matrix.document(name), verdicts[name]
        cells = [name, document.get("date", ""), document.get("guest", {}).get("release", "")]
        cells += [str(document["run"]["cpus"]), str(sum(attempts(document).values()) if document["booted"] else "")]
        cells += [str(sum(document.get("late_attempts", {}).values())), str(len(document.get("live", [])))]
        cells.append(str(round(document["run"]["seconds"]["boot"])))
        cells.append("as expected" if not wrong else "**" + "; ".join(wrong).replace("|", "\\|") + "**")
        lines.append("| " + " | ".join(cells) + " |")


def write_results(matrix, verdicts):
    table = scenarios()
    if not any(name in verdicts for name in table):
        return
    parts, rows = earlier_parts(RESULTS, "scope-")
    lines = [
        "# scope=cpu: boots and what they showed",
        "",
        "Written by `tests/vm/matrix`, from what the guests recorded: load attempts that reached the kernel, initramfs and",
        "host together, of every module that CPUs and ACPI processors ask for, and of what these modules need. What the kernel",
        "itself asks for by name (request_module(): ciphers, when init first wants one) is counted apart. *without*:",
        "nothing of ours. *rule*: nothing of ours but a two-line udev rule that lets the first CPU alone ask, by",
        'ENV{MODALIAS}="". systemd 262 does not take that; *import*: the same rule by IMPORT{file}. A boot that',
        "is missing was not run. Each boot has its date below.",
    ]
    write_summary(lines, matrix, verdicts, parts)
    for cpu in ("intel", "amd"):
        for suite in SUITES:
            names = [(column, f"scope-{cpu}-{suite}-{column}") for column in COLUMNS]
            names = [(column, name) for column, name in names if name in table]
            write_table(lines, matrix, verdicts, f"{cpu.capitalize()}-like, {suite}, full boot", names, parts)
    for suite in SUITES:
        names = [("without, 4", f"scope-lean-{suite}-without")]
        names += [(f"cpu, {n}", f"scope-lean-{suite}-{n}") for n in (4, 16, 64)]
        write_table(lines, matrix, verdicts, f"4, 16 and 64 CPUs, lean, {suite}", names, parts)
    write_boots(lines, matrix, verdicts, table, rows)
    with open(RESULTS, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
