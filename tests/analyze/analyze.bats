#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The second program from outside: logs whose counts are known, what it says of them, what it says when
# messages are missing, pictures, metrics.
# shellcheck disable=SC2154 # stderr is set by bats' run

bats_require_minimum_version 1.5.0

setup_file() {
    export T=$BATS_FILE_TMPDIR TOP=$BATS_TEST_DIRNAME/../..
    export ANALYZE=${CPUFREQ_RESOLVE_ANALYZE:-$TOP/build/src/analyze/cpufreq-resolve-analyze}
    export TZ=UTC LC_ALL=C.UTF-8
    unset NO_COLOR COLUMNS
    local name machines=()
    for name in rfc-1536 guest-intel-6.1 guest-none-6.12 intel-unsettled-6.12 arm64-cppc-unsettled scope-cpu-arm64 \
        admin-blacklist install-line cmdline-module-blacklist builtin-in-charge tried-before; do
        machines+=("$name $T/$name")
    done
    run_tool tools/make-machine "${machines[@]}"
    make_logs '16 --cpus 16' 'us --cpus 16 --with-us'
}

# run_tool TOOL 'ARGUMENT...'...: once for each, in one Python, whose start costs more than what it does here.
run_tool() {
    python3 - "$TOP/tests/$1" "${@:2}" << 'END'
import importlib.machinery, importlib.util, sys
sys.dont_write_bytecode = True
tool, lines = sys.argv[1], sys.argv[2:]
loader = importlib.machinery.SourceFileLoader("tool", tool)
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tool", loader))
loader.exec_module(module)
for words in map(str.split, lines):
    out = open(words.pop(), "w", encoding="utf-8") if words[-2:-1] == [">"] else sys.stdout
    sys.argv = [tool, *(word for word in words if word != ">")]
    sys.stdout, stdout = out, sys.stdout
    if module.main(*([sys.argv[1:]] if module.main.__code__.co_argcount else [])):
        sys.exit(f"{tool}: {words} failed")
    sys.stdout = stdout
    if out is not stdout:
        out.close()
END
}

# make_logs 'NAME OPTION...'...: NAME.log and NAME.truth.
make_logs() {
    local line lines=()
    for line in "$@"; do
        lines+=("${line#* } --truth $T/${line%% *}.truth > $T/${line%% *}.log")
    done
    run_tool analyze/make-log "${lines[@]}"
}

# check LOG TRUTH [LOG TRUTH]...: the counts are those that were put in.
check() {
    python3 - "$ANALYZE" "$@" << 'END'
import json, subprocess, sys
analyze, words = sys.argv[1], sys.argv[2:]
for log, truth in zip(words[::2], words[1::2]):
    got = json.loads(subprocess.run([analyze, "journal", "--json", log], check=True, stdout=subprocess.PIPE).stdout)
    truth = json.load(open(truth))
    rows = {row["module"]: row for row in got["modules"]}
    for name, counts in truth["modules"].items():
        row = rows[name]
        errors = row["errors"]
        seen = {
            "inserted": row["inserted"], "loaded": row["already_loaded"], "denied": row["denied"],
            "nodev": errors.get("ENODEV", 0), "busy": errors.get("EBUSY", 0), "builtin": row["builtin"],
        }
        if "not told" in errors:
            seen["nodev"] = counts.get("nodev", 0)
            seen["busy"] = errors["not told"] - seen["nodev"]
        for what, number in seen.items():
            assert number == counts.get(what, 0), (log, name, what, number, counts)
        assert row["requests"] == sum(counts.values()), (log, name, row)
END
}

# expect LOG CONDITION...: of the JSON report, in Python: `r`, its modules `m`, its sentences below the table `notes`.
expect() {
    "$ANALYZE" journal --json "$1" | python3 -c "import json, sys
r = json.load(sys.stdin)
m = {x['module']: x for x in r['modules']}
notes = '\\n'.join(r['notes'])
for condition in sys.argv[1:]:
    assert eval(condition), (condition, r)" "${@:2}"
}

# ---- forecast

@test "forecast: 1,536 CPUs ask 3,072 and 1,536 times, with us at most once" {
    run -0 "$ANALYZE" forecast --root "$T/rfc-1536"
    [[ $output =~ acpi_cpufreq\ +3,072\ +3,072\ +3,072\ +3,072\ +[01]\  ]]
    [[ $output =~ pcc_cpufreq\ +1,536\ +1,536\ +1,536\ +1,536\ +[01]\  ]]
    [[ $output == *"3,072 with a modalias, 1,536 of them CPUs"* ]]
}

@test "forecast: scope=cpu makes it one load a module, on x86 and on arm64" {
    mkdir -p "$T/rfc-1536/etc/modprobe.d"
    echo "options cpufreq_resolve scope=cpu" > "$T/rfc-1536/etc/modprobe.d/scope.conf"
    run -0 "$ANALYZE" forecast --root "$T/rfc-1536"
    rm "$T/rfc-1536/etc/modprobe.d/scope.conf"
    [[ $output =~ total\ +43,008\ +43,008\ +43,008\ +19 ]]
    "${CPUFREQ_RESOLVE:-$TOP/build/src/cpufreq-resolve}" apply --quiet --root "$T/scope-cpu-arm64"
    run -0 "$ANALYZE" forecast --root "$T/scope-cpu-arm64"
    [[ $output =~ cppc_cpufreq\ +80\ +80\ +80\ +1\ +1\  ]]
    [[ $output =~ total\ +640\ +640\ +8\ +8 ]]
}

@test "forecast: it counts what count-requests counts with kmod's own modprobe" {
    local name
    for name in rfc-1536 guest-intel-6.1 guest-none-6.12 intel-unsettled-6.12 arm64-cppc-unsettled \
        admin-blacklist install-line builtin-in-charge; do
        "$TOP/tests/tools/count-requests" --json "$T/$name" > "$T/$name.theirs"
        "$ANALYZE" forecast --all --json --root "$T/$name" > "$T/$name.ours"
    done
    python3 - "$T"/*.theirs << 'END'
import json, sys
assert len(sys.argv) == 9, sys.argv
for name in sys.argv[1:]:
    theirs, ours = json.load(open(name)), json.load(open(name.replace(".theirs", ".ours")))
    a = {r["module"]: (r["devices"], r["requests"]) for r in theirs["modules"]}
    b = {r["module"]: (r["devices"], r["loads_without_us"]) for r in ours["modules"]}
    assert a == b and a, (name, a, b)
    assert theirs["requests"] == ours["total"]["loads_without_us"], name
END
}

@test "forecast: since Linux 6.4 cpufreq drivers have a platform alias and no storm" {
    run -0 "$ANALYZE" forecast --root "$T/intel-unsettled-6.12"
    [[ $output != *acpi_cpufreq* ]]
    run -0 "$ANALYZE" forecast --all --root "$T/intel-unsettled-6.12"
    [[ $output =~ acpi_cpufreq\ +1\ +1\ +1\ +1\ +1\ +platform\ alias ]]
}

@test "forecast: says what keeps requests from the loader" {
    run -0 "$ANALYZE" forecast --all --root "$T/admin-blacklist"
    [[ $output =~ per-CPU\ alias,\ denied ]]
    run -0 "$ANALYZE" forecast --all --root "$T/install-line"
    [[ $output == *"install line"* ]]
    run -0 "$ANALYZE" forecast --all --root "$T/cmdline-module-blacklist"
    [[ $output == *"denied by the kernel's command line"* ]]
    mkdir -p "$T/rfc-1536/sys/module/aesni_intel"
    echo live > "$T/rfc-1536/sys/module/aesni_intel/initstate"
    run -0 "$ANALYZE" forecast --root "$T/rfc-1536"
    [[ $output =~ aesni_intel\ +1,536\ +1,536\ +0\ +0\ +0\ +per-CPU\ alias,\ live\ already ]]
    rm -r "$T/rfc-1536/sys/module/aesni_intel"
}

@test "forecast: our file for this boot counts for now, and a mask hides it" {
    mkdir -p "$T/rfc-1536/run/modprobe.d"
    echo "blacklist acpi-cpufreq" > "$T/rfc-1536/run/modprobe.d/cpufreq-resolve-boot.conf"
    run -0 "$ANALYZE" forecast --root "$T/rfc-1536"
    [[ $output =~ acpi_cpufreq\ +3,072\ +3,072\ +3,072\ +0\ +0\ +per-CPU\ alias,\ denied\ for\ this\ boot\ by\ us ]]
    ln -s /dev/null "$T/rfc-1536/etc/modprobe.d/cpufreq-resolve-boot.conf"
    run -0 "$ANALYZE" forecast --root "$T/rfc-1536"
    [[ $output =~ acpi_cpufreq\ +3,072\ +3,072\ +3,072\ +3,072\  ]]
    rm "$T/rfc-1536/etc/modprobe.d/cpufreq-resolve-boot.conf" "$T/rfc-1536/run/modprobe.d/cpufreq-resolve-boot.conf"
}

@test "forecast: a root that is none, or has a damaged index, is an error in one line" {
    run -1 --separate-stderr "$ANALYZE" forecast --root "$T/nowhere"
    [[ $stderr == *"expected a root directory" ]]
    [ -z "$output" ]
    cp -r "$T/guest-intel-6.1" "$T/damaged"
    local index
    index=$(echo "$T"/damaged/usr/lib/modules/*/modules.alias.bin)
    # The root's offset, behind magic and version. What is cut elsewhere libkmod may answer from, or die of.
    printf '\x2f\xff\xff\xf0' | dd of="$index" bs=1 seek=8 conv=notrunc status=none
    run -1 --separate-stderr "$ANALYZE" forecast --root "$T/damaged"
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
}

# ---- journal: counts

@test "journal: every wording from 219 to 262" {
    local version wanted=() pairs=()
    for version in 219 234 239 245 252 257 262; do
        wanted+=("w$version --wording $version --cpus 8" "u$version --wording $version --cpus 8 --with-us")
        pairs+=("$T/w$version.log" "$T/w$version.truth" "$T/u$version.log" "$T/u$version.truth")
    done
    make_logs "${wanted[@]}"
    check "${pairs[@]}"
}

@test "journal: recorded boots are counted as the kernel's trace and another reader counted them" {
    local log
    for log in "$TOP"/tests/analyze/logs/systemd-*.log; do
        check "$log" "${log%.log}.truth"
        "$ANALYZE" journal --json "$log" > "$T/recorded.json"
        python3 - "$T/recorded.json" "${log%.log}.truth" "$log" << 'END'
import json, re, sys
got, truth = (json.load(open(name)) for name in sys.argv[1:3])
assert got["kernel"] == truth["release"], got
assert got["cpus"] == truth["cpus"], got
assert got["systemd"].startswith(re.search(r"systemd-(\d+)", sys.argv[3])[1]), got
assert all(row["bound"] == "exact" for row in got["modules"] if row["requests"]), got
assert sum(row["requests"] for row in got["modules"]) == sum(sum(c.values()) for c in truth["modules"].values())
END
    done
}

@test "journal: a recorded boot that lost messages is counted as at least" {
    local log=$TOP/tests/analyze/logs/systemd-257-8-cpus.log
    awk '/intel_cstate/ && ++n <= 5 { next } { print }' "$log" > "$T/short.log"
    expect "$T/short.log" "m['intel_cstate']['attempts'] < 8"
    echo "[  300.000000] vm systemd-journald[99]: Suppressed 5 messages from systemd-udevd.service" >> "$T/short.log"
    expect "$T/short.log" "m['intel_cstate']['bound'] == 'at least'" "'5 messages' in notes"
}

@test "journal: up to 234 attempts are upper bounds, and that is said" {
    expect "$T/w234.log" "m['kvm_intel']['bound'] == 'at most'" "'attempts are upper bounds' in notes"
    expect "$T/w252.log" "m['kvm_intel']['bound'] == 'exact'"
    run -0 "$ANALYZE" journal "$T/w234.log"
    [[ $output =~ acpi_cpufreq\ +\<=16\  ]]
}

@test "journal: the machine of 288 CPUs: 576 and 288 attempts that look like success" {
    make_logs '288 --cpus 288'
    run -0 "$ANALYZE" journal "$T/288.log"
    [[ $output =~ acpi_cpufreq\ +576\ +576\ +0\  ]]
    [[ $output =~ pcc_cpufreq\ +288\ +288\ +0\  ]]
    [[ $output == *"at most one can have loaded it"* ]]
}

@test "journal: the machine of 192 CPUs, of whose log the first and last lines are known" {
    run -0 "$ANALYZE" journal "$TOP/tests/analyze/logs/192-cpus.log"
    [[ $output == *"55.874 s (firmware) + 25.646 s (loader) + 35.793 s (kernel) + 7.845 s (initrd) + 24.469 s (userspace) = 149.629 s"* ]]
    [[ $output =~ acpi_cpufreq\ +2\ +2\ +0\ +47.485\ +53.052\ +5.566\  ]]
    [[ $output =~ pcc_cpufreq\ +2\ +2\ +0\ +47.515\ +53.067\ +5.552\  ]]
    [[ $output == *"The log begins 47.485 s after the kernel"* ]]
    run -0 "$ANALYZE" journal "$TOP/tests/analyze/logs/192-cpus-merged-loads.log"
    [[ $output =~ acpi_cpufreq\ +2\ +1\ +1\ .*EBUSY\ 1 ]]
}

@test "journal: failures without debug lines are unknown, not none" {
    run -0 "$ANALYZE" journal "$TOP/tests/analyze/logs/initstate-race.log"
    [[ $output == *"not known, which is not the same as none"* ]]
    [[ $output == *"race      pcc_cpufreq: its state could not be read, 1 time"* ]]
    expect "$TOP/tests/analyze/logs/initstate-race.log" "m['pcc_cpufreq']['attempts'] is None" \
        "m['pcc_cpufreq']['bound'] == 'unknown'"
    make_logs 'info --level info'
    run -0 "$ANALYZE" journal "$T/info.log"
    [[ $output != *ATTEMPTS* ]]
    expect "$T/info.log" "\"The kernel's command line has no udev.log_level=debug.\" in notes"
}

@test "journal: the initrd's udev, or the host's, without the debug level" {
    grep -v 'udev-worker)\[400\]' "$T/16.log" > "$T/no-initrd.log"
    expect "$T/no-initrd.log" "\"only the host's udev is counted\" in notes"
    run -0 "$ANALYZE" journal "$T/no-initrd.log"
    [[ $output =~ acpi_cpufreq\ +\>=32\  ]]
    grep -v 'udev-worker)\[7' "$T/16.log" > "$T/no-host.log"
    expect "$T/no-host.log" "\"only the initrd's udev is counted\" in notes"
}

@test "journal: others than udev are told apart" {
    run -0 "$ANALYZE" journal "$TOP/tests/analyze/logs/not-udev.log"
    [[ $output == *"not udev  pcc_cpufreq: 2 attempts by systemd-modules-load"* ]]
    [[ $output == *"not udev  autofs4: 1 attempt by systemd itself"* ]]
    [[ $output == *"not udev  acpi_cpufreq: 1 attempt by modprobe"* ]]
    [[ $output == *"probe     acpi_cpufreq: failed 1 time, EEXIST"* ]]
    [[ $output == *"pcc-cpufreq, by the kernel's own words"* ]]
    [[ $output == *"Too many CPUs"* ]]
}

@test "journal: initcall_debug counts whatever udev's level is" {
    run -0 "$ANALYZE" journal "$TOP/tests/analyze/logs/initcall-debug.log"
    [[ $output == *"initcall  acpi_cpufreq: called 4 times, 0 of them returned 0, EEXIST 3, ENODEV 1; 0.010 s in all"* ]]
    [[ $output == *"not known, which is not the same as none"* ]]
}

@test "journal: 256 times disabled by the firmware, at the default log level" {
    seq -f '[%12.6f] kvm: disabled by bios' 256 > "$T/kvm.log"
    run -0 "$ANALYZE" journal "$T/kvm.log"
    [[ $output == *"refused   kvm: 256 times"* && $output == *"not known, which is not the same as none"* ]]
}

@test "journal: the kernel's list of unloaded tainted modules, as oopses and mails have it" {
    {
        printf '[  100.000000] Unloaded tainted modules:'
        for ((i = 0; i < 12; i++)); do printf ' pcc_cpufreq():1 acpi_cpufreq():1 edac_mce_amd():1'; done
        printf ' crc32_pclmul():1\n'
    } > "$T/unloaded.log"
    run -0 "$ANALYZE" journal "$T/unloaded.log"
    [[ $output == *"unloaded  acpi_cpufreq: 12 times"* && $output == *"unloaded  pcc_cpufreq: 12 times"* ]]
    [[ $output == *"unloaded  edac_mce_amd: 12 times"* ]]
    expect "$T/unloaded.log" "'It is a lower bound' in notes"
    # Wrapped by a mail program, head cut off.
    printf '%s\n' 'tcrypt():1 tcrypt():1' 'acpi_cpufreq():1 tcrypt():1' > "$T/wrapped.log"
    expect "$T/wrapped.log" "m['tcrypt']['unloaded'] == 3" "m['acpi_cpufreq']['unloaded'] == 1"
}

@test "journal: a mail that speaks of such lines is no log" {
    printf '%s\n' "It was measured by messages such as \"Inserted module 'acpi_cpufreq'\" in the log" \
        "and 288x pcc_cpufreq was seen." > "$T/mail"
    expect "$T/mail" "m == {}" "r['unreadable'] == 1" "r['damaged'] == 1"
}

# ---- journal: what is missing

@test "journal: lost messages are noticed, counted and said" {
    make_logs 'lossy --cpus 16 --lose 5'
    check "$T/lossy.log" "$T/lossy.truth"
    run -0 "$ANALYZE" journal "$T/lossy.log"
    [[ $output == *"Messages are missing: 5 by the log's own count. Counts are lower bounds."* ]]
    [[ $output == *'Lost: "Suppressed 5 messages from systemd-udevd.service", 1 time'* ]]
    [[ $output =~ acpi_cpufreq\ +\>=27\  ]]
}

@test "journal: requests without an outcome are a loss that no message tells of" {
    grep -v "pcc_cpufreq\|LNXCPU.*acpi_cpufreq" "$T/16.log" | grep -v "Inserted module 'acpi_cpufreq'" > "$T/silent.log"
    run -0 "$ANALYZE" journal "$T/silent.log"
    [[ $output == *"16 of 33 requests have no outcome"* ]]
}

@test "journal: reasons in another language are counted, and ERRNO= tells them" {
    make_logs 'german --translated'
    check "$T/german.log" "$T/german.truth"
    run -0 "$ANALYZE" journal "$T/german.log"
    [[ $output == *"without a reason that could be understood"* ]]
    printf '%s\n' '{"MESSAGE":"Failed to insert module '"'a'"': Das Geraet ist belegt","ERRNO":"16","SYSLOG_IDENTIFIER":"(udev-worker)"}' > "$T/errno.json"
    expect "$T/errno.json" "m['a']['errors'] == {'EBUSY': 1}"
}

@test "journal: cut, mixed, binary and empty" {
    head -c -20 "$T/16.log" | head -c 20000 > "$T/cut.log"
    run -0 "$ANALYZE" journal "$T/cut.log"
    [[ $output == *"1 line cut: too long, or the log ends within it"* ]]
    # Two writers on one console.
    printf "[    5.0] systemd-udevd[7]: Inserted mod[    5.1] systemd-udevd[8]: Inserted module 'a'\n" > "$T/mixed.log"
    expect "$T/mixed.log" "r['damaged'] == 1" "'a' not in m"
    head -c 100000 /dev/urandom > "$T/random"
    run -1 --separate-stderr "$ANALYZE" journal "$T/random"
    [ "${#stderr_lines[@]}" -eq 1 ]
    : > "$T/empty"
    run -1 --separate-stderr "$ANALYZE" journal "$T/empty"
    [[ $stderr == *"no line of a log is in it; expected journalctl's or dmesg's output, perhaps compressed, or a journal file or folder" ]]
    run -1 "$ANALYZE" journal "$T/nowhere"
    run -1 "$ANALYZE" journal /proc/self/mem
    { cat "$T/16.log"; head -c 100000 /dev/urandom; } > "$T/tail"
    expect "$T/tail" "m['acpi_cpufreq']['attempts'] == 32" "r['unreadable'] > 0"
}

@test "journal: two lines in one: the first counts, the second is missed and that is said" {
    local i
    for i in 1 2 3 4 5 6 7 8 9; do
        printf "[    5.%d] box (udev-worker)[4]: Inserted module 'acpi_cpufreq'[    5.%d] box (udev-worker)[5]: Inserted module 'pcc_cpufreq'\n" "$i" "$i"
    done > "$T/glued.log"
    expect "$T/glued.log" "m['acpi_cpufreq']['attempts'] == 9" "m['acpi_cpufreq']['bound'] == 'at least'" \
        "r['damaged'] == 9" "'9 lines like one that counts, but cut or mixed with another' in notes"
}

@test "journal: months of any language" {
    local month pairs=()
    make_logs 'months --format short'
    for month in Okt янв déc. " 1月"; do
        sed "s/^Nov/$month/" "$T/months.log" > "$T/foreign.log"
        cp "$T/foreign.log" "$T/foreign.${#pairs[@]}"
        pairs+=("$T/foreign.${#pairs[@]}" "$T/months.truth")
    done
    check "${pairs[@]}"
    expect "$T/foreign.log" "r['udev']['has_debug_lines']" "r['unreadable'] == 0"
}

@test "journal: more modules than there are places lose the least, and that is said" {
    {
        seq -f "[    1.000000] box (udev-worker)[3]: Inserted module 'm%g'" 600
        seq -f "[%12.6f] box (udev-worker)[3]: Inserted module 'acpi_cpufreq'" 2 0.001 5.071
    } > "$T/late.log"
    expect "$T/late.log" "m['acpi_cpufreq']['attempts'] == 3072" "m['acpi_cpufreq']['bound'] == 'exact'" \
        "r['has_losses']" "r['dropped_modules'] == r['dropped_attempts'] == 601 - len(m)" \
        "'more modules than the 512 that are kept: %d modules with the fewest' % r['dropped_modules'] in notes"
    expect "$T/16.log" "not r['has_losses']" "r['dropped_modules'] == 0" "'more modules' not in notes"
}

@test "journal: lines that are there twice, or a boot that is, make no exact count and no lower bound" {
    sed p "$T/16.log" | sed '/kernel: Linux version/{n;d}' > "$T/doubled.log"
    expect "$T/doubled.log" "m['acpi_cpufreq']['attempts'] == 64" "m['acpi_cpufreq']['bound'] == 'at most'" \
        "r['is_doubled']" "'lines are in the log twice, and counts are upper bounds' in notes" "'no outcome' not in notes"
    run -0 "$ANALYZE" journal "$T/doubled.log"
    [[ $output =~ acpi_cpufreq\ +\<=64\  ]]
    # The same boot once more behind itself; a kernel's first line would make it two.
    grep udev-worker "$T/16.log" > "$T/once.log"
    cat "$T/once.log" "$T/once.log" > "$T/again.log"
    expect "$T/once.log" "m['acpi_cpufreq']['bound'] == 'exact'" "not r['is_doubled']"
    expect "$T/again.log" "m['acpi_cpufreq']['attempts'] == 64" "m['acpi_cpufreq']['bound'] == 'at most'" \
        "'a part of the boot is in the log twice' in notes"
    # Not in order for another reason: what that means nobody knows.
    { tail -n +130 "$T/once.log"; head -n 129 "$T/once.log"; } > "$T/turned.log"
    expect "$T/turned.log" "m['acpi_cpufreq']['attempts'] == 32" "m['acpi_cpufreq']['bound'] == 'about'" "not r['is_doubled']"
}

@test "journal: several boots, hosts, and a log that is not in order" {
    { cat "$T/16.log"; echo "-- Boot 3183f2cf9fa9416b81e2e8df92202361 --"; cat "$T/us.log"; } > "$T/two.log"
    run -0 "$ANALYZE" journal "$T/two.log"
    [[ $output == *"The log holds 2 boots"* && $output =~ acpi_cpufreq\ +0\  ]]
    run -0 "$ANALYZE" journal --boot=-1 "$T/two.log"
    [[ $output =~ acpi_cpufreq\ +32\  ]]
    run -0 "$ANALYZE" journal --boot 1 "$T/two.log"
    [[ $output =~ acpi_cpufreq\ +32\  ]]
    run -1 "$ANALYZE" journal --boot 3 "$T/two.log"
    # Without a marker the kernel's first line is one.
    cat "$T/16.log" "$T/us.log" > "$T/unmarked.log"
    expect "$T/unmarked.log" "r['boots'] == 2"
    sed 's/ host / other /' "$T/16.log" | paste -d '\n' "$T/16.log" - > "$T/hosts.log"
    run -0 "$ANALYZE" journal "$T/hosts.log"
    [[ $output == *"Lines of several machines are mixed"* ]]
    run -0 "$ANALYZE" journal --host other --boot=0 "$T/hosts.log"
    [[ $output =~ acpi_cpufreq\ +32\  && $output != *"several machines"* ]]
    run -1 --separate-stderr "$ANALYZE" journal --host nosuch "$T/hosts.log"
    [[ $stderr == *"--host=nosuch: no line is of this machine; $(wc -l < "$T/hosts.log") are of others, the first of them of host" ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
    tac "$T/16.log" > "$T/reversed.log"
    run -0 "$ANALYZE" journal "$T/reversed.log"
    [[ $output == *"the log is not in order"* ]]
}

# ---- journal: formats

@test "journal: compressed, in parts, and from a pipe" {
    gzip -k "$T/16.log"
    zstd -q "$T/16.log"
    xz -k "$T/16.log"
    local kind
    check "$T/16.log.gz" "$T/16.truth" "$T/16.log.zst" "$T/16.truth" "$T/16.log.xz" "$T/16.truth"
    "$ANALYZE" journal - < "$T/16.log.gz" | grep -q acpi_cpufreq
    # Two members, as logrotate's and cat's users have them.
    cat "$T/16.log.gz" "$T/16.log.gz" > "$T/double.gz"
    expect "$T/double.gz" "r['boots'] == 2"
    # Cut data: what was there counts, and it is said.
    for kind in gz zst xz; do
        head -c "$(($(stat -c %s "$T/16.log.$kind") * 9 / 10))" "$T/16.log.$kind" > "$T/short.$kind"
        run "$ANALYZE" journal "$T/short.$kind"
        [[ $output == *"could not be read to its end"* || $output == *"compressed data is damaged or cut"* ]]
    done
    printf 'BZh91AY&SY' > "$T/x.bz2"
    run -1 "$ANALYZE" journal "$T/x.bz2"
    [[ $output == *"decompress it first"* ]]
}

@test "journal: dmesg and syslog formats give the same counts" {
    make_logs 'dmesg --format dmesg' 'short --format short'
    check "$T/dmesg.log" "$T/dmesg.truth" "$T/short.log" "$T/short.truth"
    run -0 "$ANALYZE" journal "$T/short.log"
    [[ $output == *"Times are cut to whole seconds"* ]]
}

@test "journal: a real journal in every format of journalctl" {
    # systemd-journal-remote is not there everywhere; journald's own converter is journalctl.
    run_tool analyze/make-journal "$T/16.log $T/journal.export" "--format json $T/16.log $T/journal.json" \
        "--format json-pretty $T/16.log $T/journal.json-pretty" "--format json-seq $T/16.log $T/journal.json-seq"
    check "$T/journal.export" "$T/16.truth"
    python3 - "$ANALYZE" "$T"/journal.{export,json,json-pretty,json-seq} << 'END'
import json, subprocess, sys
rows = []
for log in sys.argv[2:]:
    got = json.loads(subprocess.run([sys.argv[1], "journal", "--json", log], check=True, stdout=subprocess.PIPE).stdout)
    rows.append(sorted((x["module"], x["attempts"], x["busy_us"]) for x in got["modules"]))
assert rows[0] and all(row == rows[0] for row in rows[1:]), rows
END
}

@test "journal: boots that are mixed are put where their ids say" {
    run_tool analyze/make-journal "--format json --boot-id aaaa $T/16.log $T/a.json" \
        "--format json --boot-id bbbb $T/us.log $T/b.json"
    paste -d '\n' "$T/a.json" "$T/b.json" | grep . > "$T/interleaved.json"
    run -0 "$ANALYZE" journal --boot 1 "$T/interleaved.json"
    [[ $output =~ acpi_cpufreq\ +32\  && $output == *"Entries of different boots are mixed"* ]]
    run -0 "$ANALYZE" journal --boot 2 "$T/interleaved.json"
    [[ $output =~ acpi_cpufreq\ +0\  ]]
}

# ---- compare and pictures

@test "compare: two boots side by side" {
    run -0 "$ANALYZE" journal --compare "$T/16.log" "$T/us.log"
    [[ $output =~ acpi_cpufreq\ +32\ +0\  ]]
    [[ $output =~ pcc_cpufreq\ +16\ +0\  ]]
    [[ $output =~ startup:\ in\ all ]]
    # Each number on its own side.
    local before after
    before=$(sed -n 's/.* + \([0-9.]*\)s (userspace).*/\1/p' "$T/16.log")
    after=$(sed -n 's/.* + \([0-9.]*\)s (userspace).*/\1/p' "$T/us.log")
    [ "$before" != "$after" ]
    [[ $output =~ startup:\ userspace\ +$before\ s\ +$after\ s ]]
    "$ANALYZE" journal --compare --json "$T/16.log" "$T/us.log" |
        python3 -c "import json, sys; r = json.load(sys.stdin); assert r['before']['cpus'] == r['after']['cpus'] == 16"
}

@test "compare: what is not known is a question mark, on the side it is of" {
    make_logs 'quiet --level info'
    run -0 "$ANALYZE" journal --compare "$T/16.log" "$T/quiet.log"
    [[ $output =~ storm:\ attempts\ +[0-9]+\ +\?$'\n' ]]
    [[ $output =~ acpi_cpufreq\ +32\ +\?\  ]]
    run -0 "$ANALYZE" journal --compare "$T/quiet.log" "$T/16.log"
    [[ $output =~ storm:\ attempts\ +\?\ +[0-9]+$'\n' ]]
}

@test "plot: the SVG is well-formed, has a mark an attempt, both schemes, and no script" {
    run -0 "$ANALYZE" journal --plot "$T/16.svg" "$T/16.log"
    python3 - "$T/16.svg" << 'END'
import re, sys, xml.dom.minidom
text = open(sys.argv[1]).read()
tree = xml.dom.minidom.parseString(text)
assert not tree.getElementsByTagName("script") and "href" not in text and " on" not in re.sub(r">[^<]*<", "><", text)
assert "prefers-color-scheme:dark" in text and "@media print" in text
words = [t.firstChild.data for t in tree.getElementsByTagName("text") if t.firstChild]
for word in ("kernel", "initrd", "userspace", "acpi_cpufreq", "32 inserted", "16 busy", "16 no such device"):
    assert word in words, (word, words)
# One mark is "up to N attempts": all marks of a class together stand for at least its attempts / N.
unit = int(re.search(r"one mark is (?:up to )?(\d+) attempt", text)[1])
marks = sum(p.getAttribute("d").count("M") for p in tree.getElementsByTagName("path")
            if p.getAttribute("class") == "c0" and p.parentNode.tagName == "svg")
assert 48 / unit <= marks <= 48, (marks, unit)
END
    run -0 "$ANALYZE" journal --compare --plot="$T/cmp.svg" "$T/16.log" "$T/us.log"
    python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" "$T/cmp.svg"
    # librsvg and Inkscape know no variables, and paint what has one black.
    run ! grep -F 'var(' "$T/cmp.svg" "$T/16.svg" "$TOP/docs/demo.svg"
    grep -q "32 denied" "$T/cmp.svg"
    # A file's name is not markup, and no line of text is cut: test-plot looks at all of them.
    cp "$T/16.log" "$T/a<b>&\"c.log"
    "$ANALYZE" journal --plot="$T/named.svg" "$T/a<b>&\"c.log" > "$T/named"
    python3 - "$T/named.svg" << 'END'
import sys, xml.dom.minidom
tree = xml.dom.minidom.parse(sys.argv[1])
assert tree.getElementsByTagName("text")[0].firstChild.data.startswith('a<b>&"c.log, kernel '), tree.toxml()
END
    grep -q ">Before, kernel 6.1.0-57-amd64: " "$T/cmp.svg"
    grep -q ">After, kernel 6.1.0-57-amd64: " "$T/cmp.svg"
}

@test "plot: on the terminal, with blocks, or without where there are none" {
    run -0 "$ANALYZE" journal --plot "$T/16.log"
    [[ $output == *█* && $output == *"kernel"*"initrd"*"userspace"* && $output != *$'\033'* ]]
    LC_ALL=C run -0 "$ANALYZE" journal --plot "$T/16.log"
    [[ $output != *█* && $output == *"#"* ]]
    run -1 "$ANALYZE" journal --plot "$TOP/tests/analyze/logs/initstate-race.log"
    [[ $output == *"nothing to draw"* ]]
}

# ---- cpu-up

@test "cpu-up: a table of callbacks, the longest first" {
    run -0 "$ANALYZE" cpu-up "$TOP/tests/analyze/logs/cpuhp.trace"
    [[ $output == *"2 bring-ups, 12.100 ms in all"* ]]
    [[ $output =~ bringup_cpu\ +9.000\ +74\ %.*smpboot_create_threads\ +1.000 ]]
    run -1 "$ANALYZE" cpu-up "$T/16.log"
    [[ $output == *"expected a trace with events of cpuhp"* ]]
    run -2 "$ANALYZE" cpu-up
}

@test "cpu-up: of a recorded boot the CPUs that came up, not the callbacks registered later" {
    local logs=$TOP/tests/analyze/logs
    run -0 "$ANALYZE" cpu-up "$logs/cpuhp-6.1-3-cpus.trace"
    [[ $output == *"2 bring-ups, 592.732 ms in all, 296.366 ms each, 356.405 ms the longest"* ]]
    [[ $output =~ trace_rb_cpu_prepare\ +312.366\ +53\ %\ +6\ .*bringup_cpu\ +192.375\ +32\ %\ +2\  ]]
    [[ $output == *"16 calls on CPUs that were up already"* ]]
    # One is started while another goes on: what each took adds up to more than all together.
    run -0 "$ANALYZE" cpu-up "$logs/cpuhp-6.12-3-cpus.trace"
    [[ $output == *"2 bring-ups, 834.743 ms in all"*"519.930 ms from the first callback to the last"* ]]
    [[ $output =~ cpuhp_bringup_ap\ +133.224\ +16\ %\ +2\  ]]
    # Another reader: a callback counts while its CPU is in its state, and the one that waits for the new CPU.
    for trace in "$logs"/cpuhp-6.*; do
        "$ANALYZE" cpu-up --json "$trace" > "$T/cpu-up.json"
        python3 - "$T/cpu-up.json" "$trace" << 'END'
import json, re, sys
got = json.load(open(sys.argv[1]))
event = re.compile(r"([\d.]+): cpuhp_(\w+): +cpu: (\d+) +\w+: +(\d+) step: +(\d+) (?:\((\w+)\)|ret)")
opened, spans, rows = {}, {}, {}
for m in filter(None, map(event.search, open(sys.argv[2]))):
    time, cpu, state, step = round(float(m[1]) * 1e6), int(m[3]), int(m[4]), int(m[5])
    if m[2] != "exit":
        opened.setdefault(cpu, []).append((time, m[6]))
        continue
    began, name = opened[cpu].pop()
    if state == step or name in ("bringup_cpu", "cpuhp_bringup_ap"):
        first, last = spans.get(cpu, (began, time))
        spans[cpu] = min(first, began), max(last, time)
        rows[name] = rows.get(name, 0) + 1
assert got["cpus"] == len(spans) == 2, got
assert got["total_ns"] == 1000 * sum(last - first for first, last in spans.values()), got
assert {c["name"]: c["calls"] for c in got["callbacks"]} == rows, rows
assert got["unpaired"] == got["unreadable"] == 0, got
END
    done
}

# ---- metrics

@test "metrics: both parsers of Prometheus read them" {
    "$ANALYZE" metrics --root "$T/tried-before" > "$T/metrics"
    # Debian's module goes with Debian's Python, whatever else is in the path.
    /usr/bin/python3 - "$T/metrics" << 'END'
import sys
from prometheus_client import openmetrics, parser
import prometheus_client.openmetrics.parser as strict
text = open(sys.argv[1]).read()
for read in (strict.text_string_to_metric_families, parser.text_string_to_metric_families):
    found = {s.name: (s.labels, s.value) for f in read(text) for s in f.samples}
    assert found["cpufreq_resolve_decided"][1] == 1, found
    assert "driver" in found["cpufreq_resolve_driver_in_charge"][0]
    assert found["cpufreq_resolve_attempts"][1] >= 1
END
}

@test "metrics: disagreement, and nothing that is not known" {
    "$ANALYZE" metrics --root "$T/rfc-1536" > "$T/metrics"
    grep -qx 'cpufreq_resolve_driver_in_charge{driver="intel_pstate"} 1' "$T/metrics"
    grep -qx 'cpufreq_resolve_decided 0' "$T/metrics"
    run ! grep disagrees "$T/metrics"
    run ! grep '^cpufreq_resolve_attempts' "$T/metrics"
    grep -qx 'cpufreq_resolve_udev_attempts_known 0' "$T/metrics"
    cp -r "$T/tried-before" "$T/disagree"
    sed -i 's/^DRIVER=.*/DRIVER=something_else/' "$T/disagree/run/cpufreq-resolve/state"
    "$ANALYZE" metrics --root "$T/disagree" | grep -qx 'cpufreq_resolve_disagrees 1'
}

@test "metrics: a second chance is two attempts" {
    cp -r "$T/tried-before" "$T/late"
    sed -i 's/^ATTEMPTS=.*/ATTEMPTS="acpi_cpufreq:initrd:19:late pcc_cpufreq:initrd:19"/' "$T/late/run/cpufreq-resolve/state"
    "$ANALYZE" metrics --root "$T/late" > "$T/metrics"
    grep -qxF 'cpufreq_resolve_attempts{module="acpi_cpufreq",by="cpufreq-resolve"} 2' "$T/metrics"
    grep -qxF 'cpufreq_resolve_attempts{module="pcc_cpufreq",by="cpufreq-resolve"} 1' "$T/metrics"
}

@test "metrics: denied is what our file denies, and only while it is there" {
    local denied='cpufreq_resolve_denied{module="acpi_cpufreq"} 1'
    mkdir -p "$T/rfc-1536/run/modprobe.d"
    echo "blacklist acpi-cpufreq" > "$T/rfc-1536/run/modprobe.d/cpufreq-resolve-boot.conf"
    "$ANALYZE" metrics --root "$T/rfc-1536" | grep -qxF "$denied"
    ln -s /dev/null "$T/rfc-1536/etc/modprobe.d/cpufreq-resolve-boot.conf"
    run ! grep -F 'cpufreq_resolve_denied{' <("$ANALYZE" metrics --root "$T/rfc-1536")
    rm "$T/rfc-1536/etc/modprobe.d/cpufreq-resolve-boot.conf" "$T/rfc-1536/run/modprobe.d/cpufreq-resolve-boot.conf"
    run ! grep -F 'cpufreq_resolve_denied{' <("$ANALYZE" metrics --root "$T/rfc-1536")
}

@test "metrics: a label's value is quoted" {
    cp -r "$T/tried-before" "$T/quoted"
    mkdir -p "$T/quoted/sys/devices/system/cpu/cpufreq/policy0"
    printf '%s\n' 'a\b"c' > "$T/quoted/sys/devices/system/cpu/cpufreq/policy0/scaling_driver"
    "$ANALYZE" metrics --root "$T/quoted" | grep -qxF 'cpufreq_resolve_driver_in_charge{driver="a\\b\"c"} 1'
}

@test "metrics: a driver that came after the choice was left to udev is no disagreement, one that changed is" {
    local outcome
    cp -r "$T/tried-before" "$T/left"
    mkdir -p "$T/left/sys/devices/system/cpu/cpufreq/policy0"
    echo acpi-cpufreq > "$T/left/sys/devices/system/cpu/cpufreq/policy0/scaling_driver"
    for outcome in left waiting disabled unknown none; do
        sed -i "s/^OUTCOME=.*/OUTCOME=$outcome/; s/^DRIVER=.*/DRIVER=/" "$T/left/run/cpufreq-resolve/state"
        "$ANALYZE" metrics --root "$T/left" > "$T/metrics"
        grep -qx 'cpufreq_resolve_driver_in_charge{driver="acpi-cpufreq"} 1' "$T/metrics"
        if [ "$outcome" = none ]; then
            grep -qx 'cpufreq_resolve_disagrees 1' "$T/metrics"
        else
            grep -qx 'cpufreq_resolve_disagrees 0' "$T/metrics"
        fi
    done
    sed -i 's/^OUTCOME=.*/OUTCOME=left/; s/^DRIVER=.*/DRIVER=pcc-cpufreq/' "$T/left/run/cpufreq-resolve/state"
    "$ANALYZE" metrics --root "$T/left" | grep -qx 'cpufreq_resolve_disagrees 1'
}

@test "metrics: the file is replaced in one step, and its age is that of the run" {
    "$ANALYZE" metrics --root "$T/tried-before" --output "$T/out.prom"
    "$ANALYZE" metrics --root "$T/tried-before" | cmp - "$T/out.prom"
    touch -d '2001-01-01' "$T/out.prom"
    "$ANALYZE" metrics --root "$T/tried-before" --output "$T/out.prom"
    [ "$(stat -c %Y "$T/out.prom")" -gt 1000000000 ]
    [ "$(stat -c %a "$T/out.prom")" = 644 ]
    # A reader never sees a part of it: it is another file that gets the name.
    local inode
    inode=$(stat -c %i "$T/out.prom")
    echo old > "$T/new.prom" && ln "$T/new.prom" "$T/link"
    "$ANALYZE" metrics --root "$T/tried-before" --output "$T/new.prom"
    [ "$(cat "$T/link")" = old ]
    run -1 "$ANALYZE" metrics --root "$T/tried-before" --output "$T/nowhere/x.prom"
}

# ---- options

@test "usage: mistakes are exit 2, a full disk is exit 1" {
    run -2 "$ANALYZE"
    run -2 "$ANALYZE" nonsense
    run -2 "$ANALYZE" forecast extra
    run -2 "$ANALYZE" forecast --boot 1
    run -2 "$ANALYZE" journal --root /
    run -2 "$ANALYZE" journal --compare "$T/16.log"
    run -2 "$ANALYZE" journal --boot x "$T/16.log"
    run -2 "$ANALYZE" metrics --json
    run -0 "$ANALYZE" --version
    run -0 "$ANALYZE" --help
    local verb
    for verb in "forecast --root $T/rfc-1536" "journal $T/16.log" "metrics --root $T/rfc-1536"; do
        # shellcheck disable=SC2086 # words
        run -1 bash -c "\"\$ANALYZE\" $verb > /dev/full"
    done
}

@test "memory: it does not grow with the log" {
    "$TOP/tests/analyze/make-log" --cpus 64 --size 60000000 > "$T/large.log"
    run -0 /usr/bin/env python3 - "$ANALYZE" "$T/large.log" << 'END'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "journal", sys.argv[2]], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
    ((output < 20 * 1024))
}
