# SPDX-License-Identifier: GPL-2.0-or-later
"""RESULTS-long.md: what the pairs of tests/vm/pairs ended in. Each half stays as it is when the other one is written."""

import collections
import os

from vmlib import HERE

RESULTS = os.path.join(HERE, "RESULTS-long.md")
HEAD = """# Pairs of boots and what they showed

Written by `tests/vm/pairs --write`. A pair is the same emulated machine booted without us and with us, an initramfs and
then the host; how it is judged is in README.md. "Worse" is a pair in which the boot with us had no driver, or another one
that nobody asked for, lacked a module, asked for one too often, left a file that is not whole, made the kernel complain,
ended otherwise than it had to, or did not end.
"""


def cell(text):
    return str(text).replace("|", "\\|")


def total(records, name):
    """Over both boots; one without us that several pairs share is counted once."""
    seen = {}
    for record in records:
        for one in (record["without"], record["with"]):
            seen[one.get("boot_id") or id(one)] = one[name]
    return sum(seen.values())


def counts(records):
    return {
        "pairs": len(records),
        "worse": sum(1 for r in records if r["wrong"]),
        "hung with us": sum(1 for r in records if not r["with"]["ended"] and r["without"]["ended"]),
        "hung in both": sum(1 for r in records if not r["with"]["ended"] and not r["without"]["ended"]),
        "better": sum(1 for r in records if any(n.startswith("better") for n in r["notes"])),
        "slow": sum(1 for r in records if any(n.startswith("slow") for n in r["notes"])),
    }


def closing(records):
    found = counts(records)
    dates = sorted(record["date"] for record in records)
    lines = [
        f"{found['pairs']} pairs, {dates[0]} to {dates[-1]} (UTC). Worse: {found['worse']}; hung with us and not without: {found['hung with us']};",
        f"that did not end in either boot: {found['hung in both']}; with a driver where there was none without us: {found['better']}; in which the host of the",
        f"emulator was so busy that the guest's clock ended us after 10 s: {found['slow']}. The emulator died in {total(records, 'crashed')} boots, and in {total(records, 'silent')}",
        "the emulated kernel gave no sign of life; those were booted once more. "
        f"A boot took {total(records, 'cpu') / max(1, len({r.get('boot_id') for p in records for r in (p['without'], p['with'])})):.1f} s of CPU on average.",
    ]
    return lines


def table_of_faults(records, faults, pairs, options):
    known = {record["name"]: record for record in records}
    lines = [f"Program {pairs.program}, `tests/vm/pairs --faults`. Driver: without us / with us.", ""]
    lines += ["| fault | of | what | driver | apply ended with | verdict |", "|---|---|---|---|---|---|"]
    for fault in faults.values():
        record = known.get(fault.name)
        if not record:
            lines.append(f"| {fault.name} | | {cell(fault.what)} | | | not run |")
            continue
        wrong, notes = record["wrong"], record["notes"]
        ended = ", ".join(words.rsplit(" ", 1)[1] for words in record["with"]["exits"]) or "-"
        verdict = f"**{'; '.join(wrong)}**" if wrong else "; ".join(["as promised", *notes])
        who = "machine" if fault.both else "us"
        lines.append(f"| {fault.name} | {who} | {cell(fault.what)} | {record['without']['driver']} / {record['with']['driver']} | {ended} | {cell(verdict)} |")
    return lines + ["", *closing(records)]


def table_of_random(records, faults, pairs, options):
    lines = [f"Program {pairs.program}, `tests/vm/pairs --count {options.start + options.count} --seed {options.seed}`.", "", *closing(records)]
    for title, of in (
        ("kernel", lambda r: r["with"].get("release") or r["without"].get("release") or r["case"]["kernel"]),
        ("CPUs", lambda r: r["case"]["cpus"]),
        ("CPU model", lambda r: r["case"]["cpu"].replace(",-erms", "").replace(",-fsrm", "")),
        ("table", lambda r: r["case"]["table"]),
        ("fault", lambda r: r["case"]["fault"] or "none"),
        ("driver without us / with us", lambda r: f"{r['without']['driver']} / {r['with']['driver']}"),
    ):
        groups = collections.defaultdict(list)
        for record in records:
            groups[of(record)].append(record)
        lines += ["", f"| {title} | pairs | worse | hung with us | hung in both |", "|---|---|---|---|---|"]
        for name in sorted(groups, key=str):
            found = counts(groups[name])
            lines.append(f"| {cell(name)} | {found['pairs']} | {found['worse']} | {found['hung with us']} | {found['hung in both']} |")
    bad = [record for record in records if record["wrong"]]
    if bad:
        lines += ["", "What was worse:", "", *(f"- {record['name']}: {'; '.join(record['wrong'])}" for record in bad)]
    return lines


def write(records, faults, pairs, options):
    """records: of one kind, faults or random."""
    parts = {}
    if os.path.exists(RESULTS):
        with open(RESULTS, encoding="utf-8") as file:
            for part in file.read().split("\n## ")[1:]:
                name, _, text = part.partition("\n")
                parts[name] = text.strip("\n")
    is_faults = options.faults is not None
    make = table_of_faults if is_faults else table_of_random
    parts["Faults, each once" if is_faults else "Pairs drawn at random"] = "\n".join(make(records, faults, pairs, options))
    text = HEAD + "".join(f"\n## {name}\n\n{parts[name]}\n" for name in ("Faults, each once", "Pairs drawn at random") if name in parts)
    with open(RESULTS, "w", encoding="utf-8") as file:
        file.write(text)
