# SPDX-License-Identifier: GPL-2.0-or-later
"""What of a pair of boots is not as promised, in words: the boot with us against the same machine without us."""

import re

# Modules that can be in charge. Governors are asked for by the kernel or by a driver's softdep.
DRIVERS = ("acpi_cpufreq", "pcc_cpufreq", "powernow_k8", "p4_clockmod", "speedstep_centrino", "speedstep_lib")
# What is no driver itself: the drivers that bring it along, and leave it behind where they refuse, as with modprobe.
LIBRARIES = {"speedstep_lib": {"p4_clockmod", "speedstep_ich", "speedstep_smi"}}
STATE = "/run/cpufreq-resolve/state"
CONF = "/run/modprobe.d/cpufreq-resolve-boot.conf"
OWN = re.compile(
    r"/run/cpufreq-resolve/(state|lock|load\.lock|refused|no-modalias)|/run/modprobe\.d/cpufreq-resolve-boot\.conf"
    r"|/run/udev/rules\.d/79-cpufreq-resolve-boot\.rules"
)
KEYS = "FORMAT VERSION BOOT_ID KERNEL OUTCOME DRIVER REASON ATTEMPTS".split()
SPLATS = ("BUG:", "WARNING:", "Oops", "general protection", "blocked for more", "soft lockup", "self-detected stall", "Kernel panic", "invalid opcode")


def release(record):
    return tuple(int(number) for number in re.match(r"(\d+)\.(\d+)", record["release"]).groups())


def tries(record, name, ours):
    """How often a module was asked for by us, or by all others. modprobe is somebody's own word, by hand or in an install
    line, and may ask as often as it likes."""
    return sum(count for module, who, _, count in record["tries"] if module == name and (who == "ours") == ours and who != "modprobe")


def kinds(record):
    return {kind for kind in SPLATS if any(kind in line for line in record["splats"])}


def state_of(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def files(fault, record):
    """A file of ours is there as a whole, of this boot and kernel, or not at all."""
    wrong = []
    for path, text in record["files"].items():
        if not OWN.fullmatch(path):
            wrong.append(f"{path} stays behind")
        elif len(text.encode()) != record["sizes"][path]:
            wrong.append(f"{path} has {record['sizes'][path]} bytes, {len(text.encode())} were read")
    state = record["files"].get(STATE)
    if state is not None and fault != "newer-state":
        found = state_of(state)
        missing = [key for key in KEYS if key not in found]
        if missing or not state.endswith("\n"):
            wrong.append(f"the state file is not whole: {missing} missing")
        elif (found["BOOT_ID"], found["KERNEL"]) != (record["boot_id"], record["release"]) and fault != "stale-run":
            wrong.append("the state file is of another boot or kernel")
    conf = record["files"].get(CONF)
    if conf is not None:
        bad = [line for line in conf.splitlines() if line and not re.fullmatch(r"#.*|blacklist \w+|softdep \w+ (pre|post): .*", line)]
        if bad:
            wrong.append(f"lines in the deny file that are none: {bad[:3]}")
        if record["boot_id"] not in conf and denied(record):
            wrong.append("the deny file is of another boot")
    return wrong


def denied(record):
    return re.findall(r"^blacklist (\w+)", record["files"].get(CONF, ""), re.M)


def forced(case):
    """Modules that the administrator wants in charge."""
    return [name.replace("-", "_") for name in re.findall(r"driver=(\w[\w-]*)", case["append"] + " " + case["snippet"])]


def drivers(case, before, after):
    """(wrong, notes) about the driver in charge."""
    was, now = before["driver"], after["driver"]
    if was == now:
        return [], []
    if now != "none" and (now.replace("-", "_") in forced(case) or was == "none"):
        return [], [f"better: {now} in charge, without us {was}"]
    return [f"worse: {now} in charge, without us {was}"], []


def live(case, before, after):
    """The same modules, but for a driver that we know to be right, governors that came with it, and what one brought along
    that the administrator wants."""
    was, now = ({name for name, state in record["live"].items() if state == "Live"} for record in (before, after))
    wrong = []
    for name in sorted(was - now):
        # A driver that refused and stays loaded all the same is none that is missed; one in charge is judged above.
        if name not in DRIVERS or before["driver"].replace("-", "_") == name:
            wrong.append(f"{name} is not live, without us it is")
    for name in sorted(now - was):
        if name in DRIVERS and after["driver"].replace("-", "_") != name and not LIBRARIES.get(name, set()).intersection(forced(case)):
            wrong.append(f"{name} is live and not in charge, without us it is not live")
    return wrong


def attempts(case, before, after):
    wrong = []
    late = any("--late" in words for words in after["exits"])
    refused_lists = set(denied(after))
    asked_by_load = "scope=cpu" in case["append"] + case["snippet"]
    for name in DRIVERS:
        ours, others, was = tries(after, name, True), tries(after, name, False), tries(before, name, False)
        # The host wants another one, which then refuses: the first, that it had taken out, is right after all.
        again = any(f"{name}: loaded in the initramfs, forbidden by the host: taken out again" in line for line in after["log"])
        if ours > 1 + late + asked_by_load + again:
            wrong.append(f"{name}: asked for {ours} times by us")
        if name in refused_lists and others:
            wrong.append(f"{name}: denied, and asked for {others} times by others")
        # Up to Linux 6.3 each CPU and each ACPI processor asks, until one load has come to its end; then one device does.
        most = 2 * int(after["cpus"]) if release(after) < (6, 4) else max(was, 1)
        if others > most:
            wrong.append(f"{name}: asked for {others} times by others, without us {was}")
    return wrong


def is_mute(after, failed):
    """No word in the log of what failed. Whom a signal ended, or who did not start (126 and more), can't say so; systemd
    does, which is not in this guest, and the hook of the initramfs, which may be."""
    able = [words for words in failed if words.endswith(" timeout") or int(words.rsplit(" ", 1)[1]) < 126]
    return bool(able or (failed and "hook" in after)) and not after["log"]


def nothing_runs(record):
    """udevd did not run either: glibc 2.36 refuses a processor whose maker it does not know ("CPU ISA level is lower than
    required")."""
    return any("udevd does not end" in words for words in record["unsettled"])


def said(case, fault, before, after, is_drawn):
    """(wrong, notes) about exit codes and the log. Beside words drawn at random a fault may not come to bear."""
    slow = any(words.endswith("timeout") for words in after["exits"])
    timed = bool(fault and "no answer" in (fault.log or ""))
    failed = [words for words in after["exits"] if not words.endswith(" 0")]
    if fault is None or is_drawn:
        if fault is None and failed:
            # Ten seconds of the guest's clock may pass on a busy host: said, and all else must hold.
            if not slow and nothing_runs(before) and not is_mute(after, failed) and all(words.endswith((" 126", " 127")) for words in failed):
                return [], ["no program with shared libraries runs on this machine, udevd neither"]
            return ([], [f"slow: {failed}"]) if slow else ([f"ended otherwise than with 0: {failed}"], [])
        return ([f"failed without a word: {failed}"], []) if failed and fault.log and not slow and is_mute(after, failed) else ([], [])
    wrong, notes = came_to_bear(fault, before, after), []
    first = next((words.rsplit(" ", 1)[1] for words in after["exits"] if "--late" not in words), "none")
    if fault.exits and not re.fullmatch(fault.exits, first):
        (notes if slow and not timed else wrong).append(f"apply of the host ended with {first}, expected {fault.exits}")
    if fault.log and not any(re.search(fault.log, line) for line in after["log"]):
        wrong.append(f"nothing in the log matches {fault.log!r}: {after['log']}")
    return wrong, notes


def lines(record):
    """What a fault must have left behind is looked for in these."""
    found = [f"try {name} {who} {answer}" for name, who, answer, _ in record["tries"]]
    found += [f"log {text}" for text in record["log"]] + [f"splat {text}" for text in record["splats"]]
    found += [f"said {text}" for text in record["said"]] + [f"cpus {record.get('cpus')}", f"hook {record.get('hook')}"]
    return found + [f"file {path} {text.splitlines()[0] if text else ''}" for path, text in record["files"].items()]


def came_to_bear(fault, before, after):
    boots = [after] + ([before] if fault.both else [])
    if fault.shows and not all(any(re.search(fault.shows, line) for line in lines(one)) for one in boots):
        return [f"the fault did not come to bear: nothing matches {fault.shows!r}"]
    return []


def judge(case, fault, before, after, is_drawn=False):
    """(wrong, notes): lists of words. A pair whose boot without us did not come to its end says nothing about us."""
    notes = []
    if not before["ended"]:
        notes.append("without us it did not come to its end" + (": hung" if before["hung"] else f" ({before['how']})"))
        if not after["ended"]:
            return [], notes
    if not after["ended"]:
        return [("hung" if after["hung"] else f"did not come to its end ({after['how']})") + " with us"], notes
    wrong = files(fault and fault.name, after)
    more = kinds(after) - kinds(before)
    if more:
        wrong.append(f"the kernel complains, without us not: {sorted(more)}")
    if after["lost"] or before["lost"]:
        wrong.append(f"records are lost: {after['lost'] or before['lost']}")
    if before["ended"]:
        worse, better = drivers(case, before, after)
        wrong += worse
        notes += better
        if not fault or fault.settles:
            wrong += live(case, before, after)
        wrong += attempts(case, before, after)
    more_wrong, more_notes = said(case, fault, before, after, is_drawn)
    return wrong + more_wrong, notes + more_notes
