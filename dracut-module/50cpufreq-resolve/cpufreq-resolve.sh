#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pre-udev hook of images without systemd; the others have cpufreq-resolve-initrd.service.
# dracut sources it: nothing here may exit, stay behind in a variable, or keep the machine from booting.

# udevd notices changes only in the folders that were there when it started.
mkdir -p /run/modprobe.d

if command -v cpufreq-resolve > /dev/null 2>&1; then
    # A driver's init that never returns can't be killed, so the waiting must end, not the program.
    cpufreq-resolve apply < /dev/null > /dev/null 2> /dev/kmsg &
    _cpufreq_resolve_pid=$!

    # Whole seconds of a clock, not turns of the loop: a turn can take long on a busy machine.
    # 10 s as TimeoutStartSec= in the unit.
    read -r _cpufreq_resolve_start _ < /proc/uptime
    _cpufreq_resolve_now=$_cpufreq_resolve_start
    while kill -0 "$_cpufreq_resolve_pid" 2> /dev/null \
        && [ $((${_cpufreq_resolve_now%%.*} - ${_cpufreq_resolve_start%%.*})) -lt 10 ]; do
        sleep 0.05 2> /dev/null || sleep 1
        read -r _cpufreq_resolve_now _ < /proc/uptime
    done

    if kill -KILL "$_cpufreq_resolve_pid" 2> /dev/null; then
        warn "cpufreq-resolve: no answer within 10 s, going on without it"
    else
        wait "$_cpufreq_resolve_pid" || warn "cpufreq-resolve: ended with status $?, going on without it"
    fi
    unset _cpufreq_resolve_pid _cpufreq_resolve_start _cpufreq_resolve_now
else
    warn "cpufreq-resolve: the program is not in this image, going on without it"
fi
