#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: collect-machine.sh [--root DIR] NAME
# Copies what cpufreq-resolve reads of this machine into NAME.tar, to be unpacked and looked at with
# `cpufreq-resolve explain --root`. It is meant to be given to others:
#   - of the kernel command line only words about processors, drivers and ACPI keep their values;
#   - of modprobe.d and modules-load.d only lines about cpufreq drivers stay, the rest becomes empty lines;
#   - the boot id becomes zeros; host names, serial numbers, UUIDs and MAC addresses are not read at all.
# Without root the ACPI tables stay out; what was missed is said at the end.
set -eu

usage() {
    echo "usage: collect-machine.sh [--root DIR] NAME" >&2
    exit 2
}

from=
if [ "${1-}" = --root ]; then
    [ $# -eq 3 ] || usage
    from=${2%/}
    shift 2
fi
[ $# -eq 1 ] || usage
name=$1
case $name in
'' | -* | */*) usage ;;
esac

drivers='acpi_cpufreq pcc_cpufreq powernow_k8 powernow_k7 powernow_k6 speedstep_centrino speedstep_ich
    speedstep_smi speedstep_lib p4_clockmod longhaul longrun e_powersaver gx_suspmod cpufreq_nforce2
    cppc_cpufreq cpufreq_dt scmi_cpufreq intel_pstate amd_pstate cpufreq_ondemand cpufreq_conservative
    cpufreq_powersave cpufreq_userspace cpufreq_performance'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
to=$work/$name
mkdir "$to"
missed=

miss() {
    missed="$missed /$1"
}

# Readies the place where $1 goes.
place() {
    mkdir -p "$to/$(dirname "$1")"
}

# Copies a file of /proc or /sys, whose size is not to be believed: tar could not.
copy() {
    [ -f "$from/$1" ] || return 0
    place "$1"
    cat "$from/$1" >"$to/$1" 2>/dev/null || {
        rm -f "$to/$1"
        miss "$1"
    }
}

# Only whether it is there counts.
mark() {
    [ -e "$from/$1" ] || return 0
    place "$1"
    : >"$to/$1"
}

# Paths below the root that match a pattern.
matches() {
    for found in "$from"/$1; do
        [ -e "$found" ] && echo "${found#"$from"/}"
    done
    return 0
}

command_line() {
    tr ' ' '\n' | awk '
        function keep(key) {
            return key ~ /^(cpufreq|cpuidle|acpi|processor|pcc|intel_|amd_|nosmt|maxcpus|nr_cpus|possible_cpus)/ ||
                key ~ /^(idle|mitigations|clocksource|tsc|elfcorehdr|xen|pci|apic|lapic|hypervisor)$/ ||
                key ~ /blacklist$/ || key ~ /^rd\.driver\./ || key ~ /^(acpi_|pcc_|p4_|powernow|speedstep|cppc)/
        }
        # What follows is for the first program, not for the kernel.
        $0 == "--" { exit }
        $0 == "" { next }
        {
            key = $0
            sub(/=.*/, "", key)
            if (key !~ /^[A-Za-z0-9_.-]+$/ || length(key) > 60)
                next
            # A word without a value may still be a name: only plain ones stay.
            if ($0 !~ /=/ && $0 !~ /^([a-z][a-z0-9_]*|[0-9])$/)
                next
            word = key
            if ($0 ~ /=/)
                word = keep(key) && $0 !~ /["\047@]/ ? $0 : key "=removed"
            printf "%s%s", blank, word
            blank = " "
        }
        END { print "" }'
}

# Lines keep their numbers. A line that ends with a backslash goes on with the next one.
configuration() {
    awk -v "drivers=$drivers" '
        BEGIN {
            count = split(drivers " cpufreq_resolve", names)
        }
        function matters(text, i) {
            gsub(/-/, "_", text)
            sub(/^[ \t]+/, "", text)
            if (text ~ /^[#;]/)
                return 0
            for (i = 1; i <= count; i++)
                if (index(text, names[i]))
                    return 1
            # A pattern of an install or softdep line may stand for a driver.
            return text ~ /^(install|softdep|blacklist|alias)[ \t]+[^ \t]*[*?\[]/
        }
        function flush(i) {
            for (i = 1; i <= held; i++)
                print matters(whole) ? lines[i] : ""
            held = 0
            whole = ""
        }
        {
            lines[++held] = $0
            whole = whole $0
            if ($0 !~ /\\$/)
                flush()
        }
        END { flush() }'
}

filtered() { # PATH FILTER
    [ -f "$from/$1" ] || return 0
    place "$1"
    if [ -r "$from/$1" ]; then
        "$2" <"$from/$1" >"$to/$1"
    else
        miss "$1"
    fi
}

filtered proc/cmdline command_line
if [ -r "$from/proc/cpuinfo" ]; then
    place proc/cpuinfo
    # One processor stands for all; on arm64 nothing in it is a serial number, elsewhere "Serial" is.
    # On POWER the line about the platform stands behind all of them.
    awk '/^Serial/ { next } !done || /^(platform|machine)[ \t]*:/ { print } /^[ \t]*$/ { done = 1 }' \
        "$from/proc/cpuinfo" >"$to/proc/cpuinfo"
else
    miss proc/cpuinfo
fi
copy proc/sys/kernel/osrelease
copy proc/sys/kernel/modules_disabled
place proc/sys/kernel/random/boot_id
echo 00000000-0000-0000-0000-000000000000 >"$to/proc/sys/kernel/random/boot_id"
mark proc/vmcore
mark etc/initrd-release
mark run/systemd/container

cpu=sys/devices/system/cpu
# An empty folder says that something is absent, no folder that nobody knows.
for path in "$cpu/cpufreq" "$cpu/cpu0" sys/bus/platform/devices sys/firmware sys/module; do
    [ ! -d "$from/$path" ] || mkdir -p "$to/$path"
done
for path in modalias possible present online intel_pstate/status amd_pstate/status; do
    copy "$cpu/$path"
done
for path in $(matches "$cpu/cpufreq/policy*/scaling_driver") $(matches "$cpu/cpu0/acpi_cppc/*"); do
    copy "$path"
done
# That these are there says that what is not there beside them is not there.
copy "$cpu/cpu0/uevent"
last=$(sed 's/.*[-,]//' "$from/$cpu/present" 2>/dev/null) || last=
if [ -n "$last" ] && [ "$last" != 0 ]; then
    copy "$cpu/cpu$last/uevent"
    for path in $(matches "$cpu/cpu$last/acpi_cppc/highest_perf"); do
        copy "$path"
    done
fi
# Of DMI the maker and the model alone: no serial numbers, no UUID, no asset tag.
copy sys/class/dmi/id/sys_vendor
copy sys/class/dmi/id/product_name
for path in LNXCPU:00 ACPI0007:00; do
    copy "sys/bus/acpi/devices/$path/modalias"
done
for path in $(matches 'sys/bus/platform/devices/*cpufreq*'); do
    copy "$path/modalias"
    driver=$(readlink "$from/$path/driver") || continue
    mkdir -p "$to/$path" "$to/sys/bus/platform/drivers/${driver##*/}"
    ln -s "../../drivers/${driver##*/}" "$to/$path/driver"
done
for path in $(matches 'sys/bus/pci/devices/*/modalias'); do
    copy "$path"
done
copy sys/firmware/acpi/pm_profile
for path in $(matches 'sys/firmware/acpi/tables/[DS]SDT*') $(matches sys/firmware/acpi/tables/FACP) \
    $(matches 'sys/firmware/acpi/tables/dynamic/SSDT*'); do
    copy "$path"
done
tree=sys/firmware/devicetree/base
for path in sys/firmware/acpi/tables sys/firmware/acpi/tables/dynamic "$tree" "$tree/ibm,opal" \
    "$tree/firmware/scmi" "$tree/firmware/scmi/protocol@13" "$tree/cpus/cpu@0"; do
    [ ! -d "$from/$path" ] || mkdir -p "$to/$path"
done
copy "$tree/compatible"
copy "$tree/cpus/cpu@0/operating-points-v2"
copy "$tree/cpus/cpu@0/operating-points"
copy sys/hypervisor/type
copy sys/hypervisor/properties/features
for driver in $drivers; do
    copy "sys/module/$driver/initstate"
done
copy sys/module/cpufreq/parameters/default_governor
copy sys/module/cpufreq/parameters/off

if [ -L "$from/lib" ]; then
    mkdir -p "$to/usr/lib"
    ln -s usr/lib "$to/lib"
fi
for folder in etc run usr/local/lib usr/lib lib; do
    for path in $(matches "$folder/modprobe.d/*.conf") $(matches "$folder/modules-load.d/*.conf"); do
        # A link to /dev/null is how a file is masked.
        if [ "$(readlink "$from/$path")" = /dev/null ]; then
            place "$path"
            [ -L "$to/$path" ] || ln -s /dev/null "$to/$path"
        else
            filtered "$path" configuration
        fi
    done
done

# Two registers of the first CPU, 8 bytes each where the device has them: who picks the P-states
# (0x1aa), and whether firmware has switched HWP on (0x770). Only for root, with the module msr.
msr=dev/cpu/0/msr
if [ -z "$from" ] && [ -r "/$msr" ] && grep -q GenuineIntel /proc/cpuinfo; then
    place "$msr"
    : >"$to/$msr"
    for register in 426 1904; do
        dd if="/$msr" bs=8 count=1 skip="$register" iflag=skip_bytes 2>/dev/null |
            dd of="$to/$msr" bs=1 seek="$register" conv=notrunc 2>/dev/null || true
    done
    [ "$(wc -c <"$to/$msr")" -ge 434 ] || {
        rm -f "$to/$msr"
        miss "$msr"
    }
elif [ -n "$from" ] && [ -f "$from/$msr" ]; then
    copy "$msr"
elif grep -q GenuineIntel "$from/proc/cpuinfo" 2>/dev/null; then
    miss "$msr"
fi

release=$(cat "$from/proc/sys/kernel/osrelease" 2>/dev/null) || release=
modules=lib/modules/$release
[ -d "$from/$modules" ] || modules=usr/lib/modules/$release
for path in dep.bin alias.bin symbols.bin builtin.bin builtin.alias.bin softdep weakdep; do
    [ -z "$release" ] || copy "$modules/modules.$path"
done
# Of the kernel's configuration the lines about cpufreq, unpacked where /proc alone has it.
config='(^|^# )CONFIG_[A-Z0-9_]*(CPUFREQ|CPU_FREQ|PSTATE|POWERNOW|SPEEDSTEP|LONGHAUL|LONGRUN|P4_CLOCKMOD)'
has_config=
for path in "boot/config-$release" "lib/modules/$release/config" "usr/lib/modules/$release/config"; do
    if [ -z "$release" ] || [ ! -r "$from/$path" ] || [ -f "$to/$path" ]; then
        continue
    fi
    place "$path"
    grep -E "$config" "$from/$path" >"$to/$path" || true
    has_config=yes
done
path=proc/config.gz
if [ -z "$has_config" ] && [ -n "$release" ] && [ -r "$from/$path" ]; then
    place "boot/config-$release"
    gzip -dc "$from/$path" 2>/dev/null | grep -E "$config" >"$to/boot/config-$release" || {
        rm "$to/boot/config-$release"
        miss "$path"
    }
fi
[ -f "$to/$modules/modules.dep.bin" ] || miss "$modules/modules.dep.bin"

tar -C "$work" -cf "$name.tar" "$name"
echo "$name.tar: $(find "$to" -type f | wc -l | tr -d ' ') files. Have a look before you give it away."
if [ -n "$missed" ]; then
    echo "Missed, as it is absent or not readable for you (try again as root):"
    for path in $missed; do
        echo "  $path"
    done
fi
