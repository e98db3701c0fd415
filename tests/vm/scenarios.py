# SPDX-License-Identifier: GPL-2.0-or-later
"""The boots that are tested and what is expected of each. Expectations compare records with records:
a boot with us against the same machine without us, never against a number that stands here."""

import json
import os

import scope
from vmlib import HERE

MACHINES = {
    "a": [],
    "b": ["--acpi", "pss"],
    "c": ["--cpu", "amd", "--acpi", "cpc", "--append", "amd_pstate=passive"],
    "d": ["--acpi", "pss", "--image-and-host-file", "/etc/modprobe.d/admin.conf=blacklist acpi_cpufreq"],
    "e": ["--acpi", "pss", "--image-and-host-file", "/etc/modprobe.d/admin.conf=options cpufreq_resolve policy=softdep"],
    "b-ondemand": ["--acpi", "pss", "--append", "cpufreq.default_governor=ondemand"],
}

# Drivers that are modules and that udev asks for on an x86 machine; governors are asked for by the kernel.
DRIVERS = ("acpi_cpufreq", "pcc_cpufreq", "powernow_k8", "p4_clockmod", "speedstep_centrino", "amd_freq_sensitivity")
BOOT_FILE = "/run/modprobe.d/cpufreq-resolve-boot.conf"


# Somebody who looks around in a shell of the initramfs and leaves it: in the place of the shell, as nobody types here.
LOOK = "[Service]\\nExecStart=\\nExecStart=/bin/sh -c 'echo vm: a shell of the initramfs >/dev/kmsg; udevadm settle; lsmod'"
SHELLS = {
    "break": ("rd.break=pre-mount rd.emergency=none", "dracut-emergency"),
    "emergency": ("rd.systemd.unit=emergency.target rd.emergency=none", "emergency"),
}

# Newer systemds take twice as long here, and a busy machine three times that.
PATIENT = ["--timeout", "1800"]
# udev kills a worker after three minutes otherwise, and its requests are missing then.
PATIENT_UDEV = "udev.event_timeout=1500"


class Checks:
    """Collects what is wrong, in words."""

    def __init__(self):
        self.wrong = []

    def that(self, holds, text):
        if not holds:
            self.wrong.append(text)


def drivers(document):
    return {name: row for name, row in document["cpufreq"].items() if name in DRIVERS}


def phase(document, name, where, kind):
    return document["modules"].get(name, {}).get(kind, {}).get(where, {})


def complete(check, document, allowed=()):
    check.that(document["booted"], "the guest wrote no records")
    left = [text for text in document["incomplete_because"] if not text.startswith(tuple(allowed) or ("\0",))]
    check.that(not left, "incomplete: " + "; ".join(left))


def accounted(check, document):
    """Each of udev's requests ends in an attempt, or udev says why there was none."""
    for name in drivers(document):
        for where in ("initramfs", "host"):
            row = phase(document, name, where, "udev")
            known = sum(row.get(k, 0) for k in ("with_attempt", "already_loaded", "denied", "built_in"))
            # libkmod takes a module that is just coming for a success and doesn't ask the kernel.
            known += row.get("without_attempt", 0) if row.get("inserted", 0) >= row.get("without_attempt", 0) else 0
            check.that(row.get("requests", 0) == known, f"{name}: {row.get('requests')} requests, {known} accounted for")


def without_us(check, document, _):
    complete(check, document)
    accounted(check, document)
    for name, row in drivers(document).items():
        check.that("ours" not in row["by"], f"{name}: an attempt of ours, without us")
    stormy = [row for row in drivers(document).values() if row["requests"] >= document["guest"]["cpus"]]
    check.that(stormy, "no cpufreq module is asked for once a CPU: nothing to end")


def machine_a_without(check, document, other):
    without_us(check, document, other)
    asked = document["cpufreq"].get("acpi_cpufreq", {}).get("requests")
    check.that(asked == 2 * document["guest"]["cpus"], f"acpi_cpufreq is asked for {asked} times, not twice a CPU")


def same_outcome(check, document, other):
    for key in ("driver", "governor", "policies"):
        check.that(document[key] == other[key], f"{key} is {document[key]}, without us {other[key]}")


def boot_file(check, document):
    check.that(BOOT_FILE in document["files"], f"{BOOT_FILE} is not there")


def one_attempt(check, document, where=("initramfs", "host")):
    """At most one attempt a module, ours; one more only by the second chance, after multi-user.target."""
    for name, row in drivers(document).items():
        by = {}
        total = 0
        for one in where:
            attempts = phase(document, name, one, "attempts")
            total += attempts.get("total", 0)
            for who, count in attempts.get("by", {}).items():
                by[who] = by.get(who, 0) + count
        late = document["late_attempts"].get(name, 0)
        check.that(set(by) <= {"ours"}, f"{name}: attempts by {by}")
        check.that(total - late <= 1, f"{name}: {total} attempts, {late} of them the second chance")
        check.that(late <= 1, f"{name}: {late} second chances")


def with_us(check, document, other):
    complete(check, document)
    accounted(check, document)
    one_attempt(check, document)
    same_outcome(check, document, other)
    boot_file(check, document)
    if document["run"]["kind"] == "full":
        early = [f for f in document["run_files"] if f["path"] == "/run/cpufreq-resolve/lock" and f["before_switch_root"]]
        check.that(early, "nothing of ours in /run is from before switch-root")
    loaded = sum(row["by"].get("ours", 0) for row in drivers(document).values())
    tried = sum(row["attempts"] for row in drivers(other).values())
    check.that(loaded or not tried or document["driver"], "we asked for nothing, and no driver is in charge")


def after_shell(check, document, other):
    """As if nobody had looked; without us the same shell."""
    for name, one in (("with us", document), ("without us", other)):
        check.that((one["script"] or "").strip() not in ("", "0"), f"{name} the shell was not reached")
    with_us(check, document, other)


def forecast_rows(document):
    """[(module, asked for by CPU devices?, forecast, udev's requests, attempts of udev)] of the host's coldplug."""
    forecast = {row["module"]: row for row in json.loads(document["script"])["modules"]}
    asked = {name: phase(document, name, "host", "udev").get("requests", 0) for name in document["modules"]}
    rows = []
    for name in sorted(set(forecast) | {n for n in asked if asked[n]}):
        row = forecast.get(name, {})
        tried = phase(document, name, "host", "attempts").get("by", {}).get("udev", 0)
        rows.append((name, row.get("cpu_requests", 0) > 0, row.get("requests", 0), asked.get(name, 0), tried))
    return rows


def forecast(check, document, _):
    """The forecast without us is what udev's log says it asked for: inserted, failed, loaded, built in and denied."""
    complete(check, document)
    check.that(document["script_status"] == 0, f"the forecast failed: {document['script']}")
    rows = forecast_rows(document)
    check.that(sum(1 for row in rows if row[1]) > 3, "hardly any module is asked for by CPU devices")
    for name, _, expected, asked, tried in rows:
        check.that(expected == asked, f"{name}: forecast {expected}, udev asked {asked} times")
        # A dependency is loaded with whoever needs it, and udev doesn't log that.
        check.that(tried <= asked or not expected, f"{name}: {tried} attempts, {asked} requests")


def new_kernel_without(check, document, _):
    """From Linux 6.4 on a cpufreq driver has one device, and so one request each time that devices are told of."""
    complete(check, document)
    accounted(check, document)
    for name, row in drivers(document).items():
        check.that("ours" not in row["by"], f"{name}: an attempt of ours, without us")
        for where in ("initramfs", "host"):
            asked = phase(document, name, where, "udev").get("requests", 0)
            check.that(asked <= 1, f"{name}: asked for {asked} times in the {where}")
    cpus = document["guest"]["cpus"]
    asked = [sum(w.get("requests", 0) for w in row.get("udev", {}).values()) for row in document["modules"].values()]
    check.that(max(asked, default=0) >= cpus, "no module is asked for once a CPU: is this udev's log?")


def new_kernel_with(check, document, other):
    """There is no storm to end, and nothing may be otherwise for it: the driver is left to udev."""
    complete(check, document)
    accounted(check, document)
    same_outcome(check, document, other)
    for name in set(drivers(document)) | set(drivers(other)):
        now, before = (d["cpufreq"].get(name, {}).get("attempts", 0) for d in (document, other))
        check.that(now <= max(before, 1), f"{name}: {now} attempts, without us {before}")
    check.that(document["our_log"], "nothing of ours in the log")
    check.that(not document["failed_units"], f"failed: {document['failed_units']}")


def softdep(check, document, other):
    """It orders and doesn't end repeats; the driver must be the same, and survive its rival's removal."""
    complete(check, document)
    accounted(check, document)
    same_outcome(check, document, other)
    boot_file(check, document)
    check.that("softdep " in document["files"].get(BOOT_FILE, ""), "no softdep line in our file")
    check.that("blacklist " not in document["files"].get(BOOT_FILE, ""), "a blacklist line under policy=softdep")
    text = document["script"] or ""
    check.that(document["driver"] and document["driver"] in text.splitlines()[-1:], f"after modprobe -r: {text!r}")


def lines(document, word):
    text = document["files"].get(BOOT_FILE, "")
    return [line.split()[1].replace("-", "_") for line in text.splitlines() if line.startswith(word + " ")]


def host_as_without(check, document, other):
    """In the host, udev asks as often as without us, and nothing of ours denies it."""
    for name, row in drivers(other).items():
        asked, before = phase(document, name, "host", "udev"), phase(other, name, "host", "udev")
        check.that(
            asked.get("requests") == before.get("requests"),
            f"{name}: {asked.get('requests')} requests in the host, {before.get('requests')} without us",
        )
        check.that(asked.get("denied", 0) == before.get("denied", 0), f"{name}: denied in the host: {asked.get('denied', 0)}")
        if before.get("with_attempt") and name not in document["live_before_host"]:
            check.that(asked.get("with_attempt", 0) > 0, f"{name}: no attempt in the host")


def generic(check, document):
    complete(check, document)
    accounted(check, document)
    one_attempt(check, document, ("initramfs",))


def enable_0(check, document, other):
    generic(check, document)
    host_as_without(check, document, other)
    check.that(not lines(document, "blacklist"), f"switched off, and yet denied: {lines(document, 'blacklist')}")
    check.that(document["driver"] == other["driver"], f"driver {document['driver']}, without us {other['driver']}")


def modules_load(check, document, other):
    generic(check, document)
    check.that("acpi_cpufreq" not in lines(document, "blacklist"), "acpi_cpufreq is denied, and modules-load.d names it")
    by = phase(document, "acpi_cpufreq", "host", "attempts").get("by", {})
    check.that(any(who.startswith("systemd-modules") for who in by), f"systemd-modules-load did not ask: {by}")
    check.that(document["driver"] == other["driver"], f"driver {document['driver']}, without us {other['driver']}")


def denied_on_host(check, document, _):
    """The administrator said no: taken back, whoever loaded it, and not loaded again."""
    generic(check, document)
    taken_back(check, document)


def taken_back(check, document):
    check.that(document["driver"] is None, f"driver {document['driver']} in charge of what the host denies")
    check.that("acpi_cpufreq" not in document["live"], "acpi_cpufreq is still loaded")
    check.that(phase(document, "acpi_cpufreq", "host", "removals").get("OK"), "acpi_cpufreq was not taken back")
    check.that(not phase(document, "acpi_cpufreq", "host", "attempts").get("total"), "acpi_cpufreq was loaded in the host")


def install_line(check, document, other):
    """As denied_on_host; and udev runs the administrator's command in place of each load."""
    complete(check, document)
    one_attempt(check, document, ("initramfs",))
    taken_back(check, document)
    asked, before = phase(document, "acpi_cpufreq", "host", "udev"), phase(other, "acpi_cpufreq", "host", "udev")
    check.that(asked.get("requests") == before.get("requests"), f"{asked} requests in the host, {before} without us")
    check.that(asked.get("failed") == asked.get("without_attempt"), f"the install line was not run each time: {asked}")


def option_on_host(check, document, other):
    generic(check, document)
    check.that(lines(document, "softdep"), "policy=softdep in /etc/modprobe.d/cpufreq-resolve.conf is not obeyed")
    check.that(not lines(document, "blacklist"), f"denied under softdep: {lines(document, 'blacklist')}")
    check.that(document["driver"] == other["driver"], f"driver {document['driver']}, without us {other['driver']}")


def fault(check, document, other, allowed=()):
    """Whatever is wrong with us, the machine boots, the initramfs asks no more than we do, the host as without us."""
    complete(check, document, allowed)
    check.that(document["milestones"]["multi_user"], "multi-user.target was not reached")
    for name in drivers(document):
        by = phase(document, name, "initramfs", "attempts").get("by", {})
        check.that(set(by) <= {"ours"} and by.get("ours", 0) <= 1, f"{name}: in the initramfs by {by}")
    host_as_without(check, document, other)
    said = [m["message"] for m in document["systemd_about_us"] + document["our_log"]]
    check.that(any(w in t for t in said for w in FAILED), f"nothing in the log says that we failed: {said}")


FAILED = ("Failed", "failed", "no answer", "ended with status", "not in this image", "timed out", "can't", "cannot", "could not")


def fault_module(check, document, other):
    """The module doesn't answer, so udev in the host doesn't either: it can't be waited for."""
    complete(check, document, ("not settled", "udev killed"))
    check.that(document["milestones"]["multi_user"], "multi-user.target was not reached")
    for name in drivers(document):
        by = phase(document, name, "initramfs", "attempts").get("by", {})
        check.that(set(by) <= {"ours"} and by.get("ours", 0) <= 1, f"{name}: in the initramfs by {by}")
    attempts = document["cpufreq"].get("acpi_cpufreq", {})
    before = other["cpufreq"].get("acpi_cpufreq", {})
    # How many of udev's workers have come to ask when the records are taken is a matter of seconds, without us as with
    # us: those that wait in the kernel are ended after three minutes, and make room. No device asks twice.
    devices = 2 * document["guest"]["cpus"]
    host = attempts.get("host", 0)
    check.that(host <= max(devices, before.get("host", 0)), f"{attempts} attempts, without us {before}, {devices} devices")


def settles(check, document, _):
    complete(check, document, ("not settled", "udev killed"))


def scenarios():
    """name: (arguments of run, with us?, the scenario to compare with, expectation)"""
    table = {}
    for name, arguments in MACHINES.items():
        table[f"{name}-without"] = (arguments, False, None, machine_a_without if name == "a" else without_us)
        table[f"{name}-with"] = (arguments, True, f"{name}-without", with_us)
    # Its file speaks to us only: without us (e) is (b).
    softdep_script = ["--guest-script", os.path.join(HERE, "faults", "remove-rival")]
    table["e-with"] = (MACHINES["e"] + softdep_script, True, "b-without", softdep)
    del table["e-without"]
    lean = ["--kind", "lean", "--cpus", "64"]
    table["lean-without"] = (lean, False, None, machine_a_without)
    table["lean-with"] = (lean, True, "lean-without", with_us)

    for name, machine, path, content, expect in (
        ("enable0", "b", "/etc/modprobe.d/admin.conf", "options cpufreq_resolve enable=0", enable_0),
        ("modules-load", "a", "/etc/modules-load.d/admin.conf", "acpi_cpufreq", modules_load),
        ("blacklist", "b", "/etc/modprobe.d/admin.conf", "blacklist acpi_cpufreq", denied_on_host),
        ("install", "b", "/etc/modprobe.d/admin.conf", "install acpi_cpufreq /bin/false", install_line),
        ("option", "b", "/etc/modprobe.d/cpufreq-resolve.conf", "options cpufreq_resolve policy=softdep", option_on_host),
    ):
        host = MACHINES[machine] + ["--image", "generic", "--host-file", f"{path}={content}"]
        table[f"generic-{name}"] = (host, True, f"{machine}-without", expect)

    hostonly = MACHINES["b"] + ["--image", "hostonly"]
    table["b-hostonly-with"] = (hostonly, True, "b-without", with_us)
    plain = MACHINES["b"] + ["--no-systemd-initramfs"]
    table["b-nosystemd-with"] = (plain, True, "b-without", with_us)
    table["b-host-only-ours"] = (MACHINES["b"] + ["--no-initramfs-of-ours"], True, "b-without", host_alone)

    for name, (word, unit) in SHELLS.items():
        words = MACHINES["b"] + ["--append", word, "--image-file", f"/etc/systemd/system/{unit}.service.d/look.conf={LOOK}"]
        words += ["--guest-script", os.path.join(HERE, "faults", "shell-reached")]
        table[f"shell-{name}-without"] = (words, False, None, without_us)
        table[f"shell-{name}-with"] = (words, True, f"shell-{name}-without", after_shell)

    for name in ("crash", "hang"):
        table[f"fault-{name}"] = (["--replace-binary", os.path.join(HERE, "faults", name)], True, "a-without", fault)
    table["fault-absent"] = (["--replace-binary", "absent"], True, "a-without", fault)
    table["fault-false"] = (["--replace-binary", "base:usr/bin/false"], True, "a-without", fault)
    hang = ["--no-systemd-initramfs", "--replace-binary", os.path.join(HERE, "faults", "hang")]
    table["fault-hang-nosystemd"] = (hang, True, "a-without", fault)
    drop_in = "[Service]\\nRuntimeDirectory=\\nReadOnlyPaths=/run"
    unit = "/etc/systemd/system/cpufreq-resolve"
    read_only = ["--image-file", f"{unit}-initrd.service.d/run.conf={drop_in}"]
    read_only += ["--host-file", f"{unit}.service.d/run.conf={drop_in}"]
    table["fault-run-read-only"] = (read_only, True, "a-without", fault)
    for name, seconds in (("30s", 30), ("never", 0)):
        slow = ["--slow-module", str(seconds), "--settle", "60"]
        table[f"module-{name}-without"] = (slow, False, None, settles)
        table[f"fault-module-{name}"] = (slow, True, f"module-{name}-without", fault_module)

    # The forecast of the second program, made in the guest, against what its udev did.
    for suite in ("bookworm", "trixie"):
        for cpus in ("8", "16"):
            words = ["--suite", suite, "--cpus", cpus, *PATIENT, *MACHINES["b"], "--append", PATIENT_UDEV]
            words += ["--host-program", "/usr/bin/cpufreq-resolve-analyze=product:usr/bin/cpufreq-resolve-analyze"]
            words += ["--guest-script", os.path.join(HERE, "faults", "forecast")]
            table[f"forecast-{suite}-{cpus}"] = (words, False, None, forecast)

    # Other suites: newer kernels, udevs, kmods and dracuts, with the program as it was built here.
    for suite in ("trixie", "sid"):
        for name in ("a", "b", "c"):
            arguments = ["--suite", suite, "--cpus", "8", *PATIENT, *MACHINES[name]]
            table[f"{suite}-{name}-without"] = (arguments, False, None, new_kernel_without)
            table[f"{suite}-{name}-with"] = (arguments, True, f"{suite}-{name}-without", new_kernel_with)
        lean = ["--kind", "lean", "--suite", suite, "--cpus", "64"]
        table[f"{suite}-lean-without"] = (lean, False, None, new_kernel_without)
        table[f"{suite}-lean-with"] = (lean, True, f"{suite}-lean-without", new_kernel_with)

    table.update(scope.scenarios())

    # What `make check` can afford: fewer CPUs, the same questions.
    few = ["--cpus", "8"]
    for name in ("a", "b"):
        arguments = MACHINES[name] + few
        table[f"check-{name}-without"] = (arguments, False, None, machine_a_without if name == "a" else without_us)
        table[f"check-{name}-with"] = (arguments, True, f"check-{name}-without", with_us)
    crash = few + ["--replace-binary", os.path.join(HERE, "faults", "crash")]
    table["check-fault-crash"] = (crash, True, "check-a-without", fault)
    return table


def host_alone(check, document, other):
    """No initramfs of ours: the host unit does the whole job, before the host's coldplug."""
    complete(check, document)
    accounted(check, document)
    one_attempt(check, document)
    same_outcome(check, document, other)
    boot_file(check, document)


CHECK = (
    "check-a-without check-a-with check-b-without check-b-with lean-without lean-with check-fault-crash "
    "scope-lean-bookworm-without scope-lean-bookworm-4"
).split()
