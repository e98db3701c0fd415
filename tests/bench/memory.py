# SPDX-License-Identifier: GPL-2.0-or-later
"""The memory of a process."""


def high_water(pid):
    """The most that it has had so far, in KiB: VmHWM, proc_pid_status(5); 0 if it is gone. What wait4() tells would count
    the one that started it, from before exec."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as lines:
            return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
    except OSError:
        return 0
