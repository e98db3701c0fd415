# SPDX-License-Identifier: GPL-2.0-or-later
"""Plug CPUs into a running guest, when its script asks for it."""

import json
import os
import socket
import threading
import time

# What the guest's script writes to the console.
ASKED = b"vm-hotplug: add"


class Monitor:
    """QEMU's machine protocol over a socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rw")
        self.lines.readline()
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        self.lines.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.lines.flush()
        while True:
            answer = json.loads(self.lines.readline())
            if "error" in answer:
                raise RuntimeError(f"{command}: {answer['error']}")
            if "return" in answer:
                return answer["return"]


def add_all(path):
    """Fill every socket that is still empty."""
    monitor = Monitor(path)
    empty = [cpu for cpu in monitor.ask("query-hotpluggable-cpus") if "qom-path" not in cpu]
    # Listed from the last to the first.
    for number, cpu in enumerate(reversed(empty)):
        monitor.ask("device_add", driver=cpu["type"], id=f"hot{number}", **cpu["props"])


def watch(qemu, serial, path):
    """A thread that waits for the guest's word as long as QEMU runs."""

    def wait():
        while qemu.poll() is None:
            time.sleep(0.5)
            if os.path.exists(serial):
                with open(serial, "rb") as file:
                    if ASKED in file.read():
                        add_all(path)
                        return

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
