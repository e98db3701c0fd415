#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# apply on other roots than the running one: files, and nothing else.

load helpers

conf() {
    cat "$root/$BOOT_CONF"
}

# The lines that are not comments.
lines() {
    grep -v '^#' "$root/$BOOT_CONF"
}

apply() {
    cli apply --root "$root" "$@"
    is "$status" 0 "apply"
}

@test "writes its two files below the root, and touches nothing else" {
    machine
    local before host
    before=$(files)
    host=$(find /run/modprobe.d /run/cpufreq-resolve /etc/modprobe.d -printf '%p %i %T@\n' 2> /dev/null || :)
    apply
    is "$(files | grep -v "^\./\($BOOT_CONF\|$STATE\) ")" "$before"
    is "$(find /run/modprobe.d /run/cpufreq-resolve /etc/modprobe.d -printf '%p %i %T@\n' 2> /dev/null || :)" \
        "$host" "the host's own folders"
    is "$(stat -c %a "$root/$BOOT_CONF" "$root/run/modprobe.d" "$root/$STATE")" $'644\n755\n644'
    is "$(head -n 2 "$root/$BOOT_CONF" | sed 's/resolve [0-9.]* /resolve VERSION /')" \
        "# Made by cpufreq-resolve VERSION for this boot only; it is replaced, do not edit.
# How to change it: cpufreq-resolve(8). boot 5a1e0000-0000-4000-8000-00000000b007 kernel 6.1.0-57-amd64"
}

@test "a driver in charge: its rivals are denied" {
    machine --set scaling_driver=intel_pstate
    apply
    is "$(lines)" $'blacklist acpi_cpufreq\nblacklist pcc_cpufreq'
    has "$err" "intel_pstate is in charge"
    has "$(cat "$root/$STATE")" $'OUTCOME=in-charge\nDRIVER=intel_pstate\n'
}

@test "the machine of 1,536 CPUs" {
    root=$BATS_TEST_TMPDIR/root
    "$TREE/tests/tools/make-machine" rfc-1536 "$root"
    apply
    is "$(lines)" $'blacklist acpi_cpufreq\nblacklist pcc_cpufreq'
}

@test "a second run changes nothing" {
    for settings in "" "scaling_driver=intel_pstate" "scaling_driver=acpi-cpufreq live=acpi_cpufreq"; do
        rm -rf "$BATS_TEST_TMPDIR/root"
        local options=() before
        for setting in $settings; do
            options+=(--set "$setting")
        done
        machine "${options[@]}"
        apply
        before=$(snapshot)
        sleep 0.02
        apply
        is "$(snapshot)" "$before" "after a second run ($settings)"
        apply --late
        is "$(snapshot)" "$before" "after a late run ($settings)"
    done
}

@test "after a soft reboot, which keeps the boot id and /run, what the new system's files say holds" {
    machine --set scaling_driver=intel_pstate
    apply
    apply --late
    local attempts before
    attempts=$(grep '^ATTEMPTS=' "$root/$STATE")
    before=$(snapshot)
    apply
    is "$(snapshot)" "$before" "the same system"
    # Another /usr and /etc.
    put usr/lib/modprobe.d/image.conf "blacklist pcc_cpufreq"
    put etc/modules-load.d/a.conf acpi_cpufreq
    apply
    is "$(lines)" ""
    is "$(grep '^ATTEMPTS=' "$root/$STATE")" "$attempts"
    put etc/modprobe.d/off.conf "options cpufreq_resolve enable=0"
    apply
    [[ ! -e $root/$BOOT_CONF ]] || fail "$(conf)"
}

@test "files of another boot are replaced" {
    machine --set scaling_driver=intel_pstate
    apply
    put proc/sys/kernel/random/boot_id "11111111-2222-4333-8444-555555555555"
    # What the other boot tried is nothing to this one.
    sed -i 's/^ATTEMPTS=.*/ATTEMPTS="acpi_cpufreq:initrd:19"/' "$root/$STATE"
    apply
    has "$(conf)" "boot 11111111-2222-4333-8444-555555555555 kernel"
    has "$(cat "$root/$STATE")" "BOOT_ID=11111111-2222-4333-8444-555555555555"
    has "$(cat "$root/$STATE")" 'ATTEMPTS=""'
}

@test "files of another kernel are replaced" {
    machine --set scaling_driver=intel_pstate
    apply
    mv "$root/lib/modules/6.1.0-57-amd64" "$root/lib/modules/6.1.0-99-amd64"
    put proc/sys/kernel/osrelease "6.1.0-99-amd64"
    sed -i 's/^ATTEMPTS=.*/ATTEMPTS="acpi_cpufreq:initrd:19"/' "$root/$STATE"
    apply
    has "$(conf)" "kernel 6.1.0-99-amd64"
    has "$(cat "$root/$STATE")" "KERNEL=6.1.0-99-amd64"
    has "$(cat "$root/$STATE")" 'ATTEMPTS=""'
}

@test "enable=0 in a file or on the command line removes our file" {
    machine --set scaling_driver=intel_pstate
    for where in file cmdline; do
        apply
        [[ -e $root/$BOOT_CONF ]] || fail "there is no file to remove"
        if [[ $where == file ]]; then
            put etc/modprobe.d/x.conf "options cpufreq_resolve enable=0"
        else
            put proc/cmdline "quiet cpufreq_resolve.enable=0"
        fi
        apply
        [[ ! -e $root/$BOOT_CONF ]] || fail "$where: the file is still there"
        has "$err" "/$BOOT_CONF: removed"
        has "$(cat "$root/$STATE")" "OUTCOME=disabled"
        local before
        before=$(snapshot)
        apply
        is "$(snapshot)" "$before" "$where: once more"
        rm -f "$root/etc/modprobe.d/x.conf"
    done
}

@test "enable=0 from the start writes nothing" {
    machine
    put etc/modprobe.d/x.conf "options cpufreq_resolve enable=0"
    local before
    before=$(snapshot)
    apply
    is "$(snapshot)" "$before"
    has "$err" "switched off: enable=0"
}

@test "masked by a link to /dev/null" {
    machine --set scaling_driver=intel_pstate
    apply
    ln -s /dev/null "$root/etc/modprobe.d/cpufreq-resolve-boot.conf"
    apply
    [[ ! -e $root/$BOOT_CONF ]] || fail "the file is still there"
    has "$err" "masked by /etc/modprobe.d/cpufreq-resolve-boot.conf"
    cli status --root "$root"
    has "$out" "masked by /etc/modprobe.d/cpufreq-resolve-boot.conf"
}

@test "kdump kernel and container: nothing is done" {
    machine --set scaling_driver=intel_pstate
    local mark before
    for mark in proc/vmcore run/systemd/container run/.containerenv .dockerenv; do
        put "$mark" x
        before=$(snapshot)
        apply
        is "$(snapshot)" "$before" "$mark"
        has "$err" "nothing is done here"
        is "$(wc -l <<< "$err")" 1 "lines in the log"
        rm "$root/$mark"
    done
    put proc/cmdline "quiet elfcorehdr=0x7f000000"
    before=$(snapshot)
    apply
    is "$(snapshot)" "$before" "elfcorehdr="
}

@test "--dry-run says what would be written, and writes nothing" {
    machine --set scaling_driver=intel_pstate
    local before
    before=$(snapshot)
    apply --dry-run
    is "$(snapshot)" "$before"
    is "$(head -n 1 <<< "$out")" "would write /$BOOT_CONF:"
    local promised
    promised=$(tail -n +2 <<< "$out")
    apply
    is "$promised" "$(conf)" "what was promised and what was written"
}

@test "--dry-run with nothing to write" {
    machine
    put etc/modprobe.d/x.conf "options cpufreq_resolve enable=0"
    apply --dry-run
    is "$out" "would write nothing"
}

@test "policy=softdep orders and denies nothing" {
    machine --set scaling_driver=acpi-cpufreq --set live=acpi_cpufreq
    put etc/modprobe.d/x.conf "options cpufreq_resolve policy=softdep"
    put etc/modprobe.d/zz.conf "softdep pcc-cpufreq pre: a post: b"
    apply
    is "$(lines)" "softdep pcc_cpufreq pre: acpi_cpufreq a post: b"
    cli status --root "$root"
    has "$out" "ordered   pcc_cpufreq behind the winner; each CPU's event still loads it"
}

@test "an install line and modules-load.d are left to the administrator" {
    machine --set scaling_driver=intel_pstate
    put etc/modprobe.d/x.conf "install acpi_cpufreq /bin/false"
    put etc/modules-load.d/x.conf "pcc-cpufreq"
    apply
    is "$(lines || :)" ""
    cli explain --root "$root"
    has "$out" "/etc/modprobe.d/x.conf:1: install /bin/false"
    cli status --root "$root"
    has "$out" "cost      pcc_cpufreq is asked for by name in /etc/modules-load.d/x.conf, so udev asks once a CPU"
}

@test "what lies in the way: a link is not written through, a crashed run's file is taken over" {
    machine --set scaling_driver=intel_pstate
    mkdir "$root/run/modprobe.d" "$BATS_TEST_TMPDIR/outside"
    echo untouched > "$BATS_TEST_TMPDIR/outside/victim"
    ln -s "$BATS_TEST_TMPDIR/outside/victim" "$root/$BOOT_CONF"
    ln -s "$BATS_TEST_TMPDIR/outside/victim" "$root/run/modprobe.d/.cpufreq-resolve-boot.conf.tmp"
    apply
    is "$(cat "$BATS_TEST_TMPDIR/outside/victim")" untouched
    [[ -f $root/$BOOT_CONF && ! -L $root/$BOOT_CONF ]] || fail "the link is still there"
    is "$(ls -A "$root/run/modprobe.d")" "$(basename "$BOOT_CONF")"
}

@test "a /run that is a link leads to a place below the root" {
    machine --set scaling_driver=intel_pstate
    rmdir "$root/run"
    mkdir -p "$root/var/run"
    ln -s /var/run "$root/run"
    apply
    [[ -f $root/var/$BOOT_CONF ]] || fail "not written below the root"
}

@test "what cannot be written: exit 1, the file named, nothing half done" {
    machine --set scaling_driver=intel_pstate
    rmdir "$root/run"
    put run "a file where a directory belongs"
    cli apply --root "$root"
    is "$status" 1
    is "$err" "cpufreq-resolve: /$STATE: cannot write: Not a directory; nothing is loaded"
    is "$(cat "$root/run")" "a file where a directory belongs"
}

@test "a /run without the right to write: exit 1, nothing left behind" {
    machine --set scaling_driver=intel_pstate
    chmod 555 "$root/run"
    local as=()
    if ((EUID == 0)); then
        as=(setpriv --bounding-set=-dac_override --inh-caps=-dac_override)
    fi
    try "${as[@]}" "$PROGRAM" apply --root "$root"
    is "$status" 1
    is "$err" "cpufreq-resolve: /$STATE: cannot write: Permission denied; nothing is loaded"
    is "$(ls -A "$root/run")" ""
}

@test "no answer: our file goes, nothing is written" {
    machine --set scaling_driver=intel_pstate
    apply
    rm -r "$root/lib/modules/6.1.0-57-amd64"
    apply
    [[ ! -e $root/$BOOT_CONF ]] || fail "the file is still there"
    has "$err" "not known, so nothing is done: /usr/lib/modules/6.1.0-57-amd64: No such file or directory; expected"
}

@test "the number of system calls does not grow with the CPUs" {
    # A leak checker cannot work under strace.
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
    CPUFREQ_RESOLVE=$PROGRAM try "$TREE/tests/tools/count-syscalls" explain apply status status-scope-cpu
    is "$status" 0 "$out"
    is "$(grep -cE '^[a-z-]+: [1-9][0-9]* system calls with 2 CPUs, [1-9][0-9]* with 4096$' <<< "$out")" 4
}

@test "status: what would be denied is not called denied before apply has run" {
    machine --set scaling_driver=intel_pstate
    cli status --root "$root"
    has "$out" "decided   nothing in this boot"
    [[ $out != *"denied "* ]] || fail "$out"
    apply
    cli status --root "$root"
    has "$out" "denied    pcc_cpufreq, for this boot"
}

RULE=run/udev/rules.d/79-cpufreq-resolve-boot.rules

@test "scope=cpu: a rule for udev; scope=cpufreq takes it away" {
    machine
    put etc/modprobe.d/x.conf "options cpufreq_resolve scope=cpu"
    apply
    has "$(cat "$root/$RULE")" 'KERNEL=="cpu0", ENV{MODALIAS}=="cpu:type:x86,'
    has "$(cat "$root/$RULE")" 'KERNEL!="LNXCPU:00", ENV{MODALIAS}=="acpi:LNXCPU:", IMPORT{file}="/run/cpufreq-resolve/no-modalias"'
    is "$(grep -v '^#' "$root/run/cpufreq-resolve/no-modalias")" 'MODALIAS=""'
    has "$(cat "$root/$STATE")" "SCOPE=cpu"
    is "$(stat -c %a "$root/$RULE")" 644
    local before
    before=$(snapshot)
    sleep 0.02
    apply
    is "$(snapshot)" "$before" "after a second run"

    put etc/modprobe.d/x.conf "options cpufreq_resolve scope=cpufreq"
    apply
    [[ ! -e $root/$RULE && ! -e $root/run/cpufreq-resolve/no-modalias ]]
    is "$(grep SCOPE "$root/$STATE")" ""
}

@test "scope=cpu is off by one word, by a mask of either file, and where nothing is known" {
    machine
    put etc/modprobe.d/x.conf "options cpufreq_resolve scope=cpu"
    apply
    [[ -e $root/$RULE ]]
    for off in "proc/cmdline cpufreq_resolve.enable=0" "proc/cmdline cpufreq_resolve.scope=cpufreq" \
        "etc/modprobe.d/cpufreq-resolve-boot.conf" "etc/udev/rules.d/${RULE##*/}"; do
        read -r path line <<< "$off"
        local old=
        [[ ! -e $root/$path ]] || old=$(cat "$root/$path")
        put "$path" ${line:+"$line"}
        apply
        [[ ! -e $root/$RULE ]] || fail "with $off the rule is there"
        if [[ -n $old ]]; then put "$path" "$old"; else rm "$root/$path"; fi
        apply
        [[ -e $root/$RULE ]] || fail "after $off the rule is not there"
    done
    rm "$root/proc/sys/kernel/random/boot_id"
    apply
    [[ ! -e $root/$RULE ]]
}

@test "scope=cpu: the rule is taken away though the deny file can't be, and a dry run says that it is written" {
    machine
    put etc/modprobe.d/x.conf "options cpufreq_resolve scope=cpu"
    apply
    rm -r "$root/run/modprobe.d"
    put run/modprobe.d "in the way"
    put proc/cmdline "cpufreq_resolve.enable=0"
    cli apply --root "$root"
    is "$status" 1
    [[ ! -e $root/$RULE && ! -e $root/run/cpufreq-resolve/no-modalias ]]

    root=$BATS_TEST_TMPDIR/waiting
    "$TREE/tests/tools/make-machine" arm64-dt-waiting "$root"
    put etc/modprobe.d/x.conf "options cpufreq_resolve scope=cpu"
    cli apply --dry-run --root "$root"
    has "$out" "would write /$RULE:"
    [[ $out != *"would write nothing"* ]] || fail "$out"
}

@test "scope=cpu: explain and status list what the CPUs ask for" {
    machine --set scaling_driver=intel_pstate --set live=intel_rapl_common
    put etc/modprobe.d/x.conf "options cpufreq_resolve scope=cpu" "blacklist rapl" "install intel_uncore /bin/false"
    apply
    put run/cpufreq-resolve/refused \
        "# cpufreq-resolve 1 boot 5a1e0000-0000-4000-8000-00000000b007 kernel 6.1.0-57-amd64" \
        "intel_cstate initrd 19" "sb_edac host 16 late" "rapl host 16"
    cli explain --scope=cpu --root "$root"
    has "$out" "by /etc/modprobe.d/x.conf:2; the kernel said EBUSY (host), perhaps not for good"
    is "$status" 0
    has "$out" "of 2 devices, for which cpu0 asks"
    [[ $out =~ intel_rapl_common\ +live ]]
    [[ $out =~ intel_cstate\ +refused\ +cpu\ +2\ +the\ kernel\ said\ ENODEV\ \(initrd\),\ for\ good ]]
    [[ $out =~ acpi_cpufreq\ +denied\ +cpu,acpi\ +4\ +by\ us,\ for\ this\ boot ]]
    [[ $out =~ rapl\ +denied\ +cpu\ +2\ +by\ /etc/modprobe.d/x.conf:2 ]]
    [[ $out =~ intel_uncore\ +reserved\ +cpu\ +2\ +/etc/modprobe.d/x.conf:3:\ an\ install\ line ]]
    cli explain --scope=cpu --json --root "$root"
    is "$(jq -r '.modules[] | select(.name == "intel_cstate") | .state + " " + .refused' <<< "$out")" "refused ENODEV"
    is "$(jq -r '.aliases[1].first' <<< "$out")" "LNXCPU:00"
    cli status --root "$root"
    has "$out" "rule      /$RULE: there"
    has "$out" "refused   intel_cstate in the initrd: ENODEV"
    has "$out" "refused   sb_edac in the host: EBUSY (second chance)"
    cli status --json --root "$root"
    is "$(jq -r '[.scope, .has_rule, .refused[0].name, .refused[0].final] | @text' <<< "$out")" \
        '["cpu",true,"intel_cstate",true]'
    is "$(layer intel_cstate) $(layer pcc_cpufreq)" "helper helper"
}

@test "explain --scope=cpu: rd.driver.blacklist= and initcall_blacklist= deny, the former in an initramfs alone" {
    machine --set initrd=yes --set "cmdline=rd.driver.blacklist=rapl initcall_blacklist=acpi_cpufreq_init"
    cli explain --scope=cpu --root "$root"
    [[ $out =~ $'\n'rapl\ +denied\ +cpu\ +2\ +by\ rd.driver.blacklist=\ on\ dracut\'s\ command\ line ]]
    [[ $out =~ acpi_cpufreq\ +denied\ +cpu,acpi\ +4\ +by\ initcall_blacklist= ]]
    rm "$root/etc/initrd-release"
    cli explain --scope=cpu --root "$root"
    [[ $out =~ $'\n'rapl\ +"not live"\ +cpu ]]
}

# layer NAME: of the JSON in $out.
layer() {
    jq -r --arg name "$1" '.layers[] | select(.name == $name) | .layer' <<< "$out"
}

@test "status says which layer covers a module, by what the kernel shows" {
    local kernel once expected
    while read -r kernel once expected; do
        rm -rf "$BATS_TEST_TMPDIR/root"
        machine --set scaling_driver=intel_pstate --set "kernel=$kernel" --set "modalias_once=$once"
        apply
        cli status --json --root "$root"
        is "$(jq .modalias_once <<< "$out") $(layer pcc_cpufreq) $(layer rapl)" "$expected" "$kernel, once: $once"
        cli status --root "$root"
        has "$out" "layer     ${expected##* }: "
    done << 'END'
debian-6.1.0-57-amd64 no false helper none
debian-6.1.0-57-amd64 yes true helper kernel
debian-6.12.117-amd64 no false kernel none
debian-6.12.117-amd64 yes true kernel kernel
END
    rm -rf "$BATS_TEST_TMPDIR/root"
    machine --set cpus=1
    cli status --json --root "$root"
    is "$(jq .modalias_once <<< "$out") $(layer rapl)" "null none"
    # Without the index there is nothing to name, and no crash.
    rm -r "$root/usr/lib/modules"
    cli status --json --root "$root"
    is "$status $(jq -c .layers <<< "$out")" "0 []"
}

@test "load wants what udev gives it, and loads nothing elsewhere" {
    cli load
    is "$status" 1
    has "$err" "expected MODALIAS and DEVPATH"
    machine
    cli load --root "$root"
    is "$status" 2
}
