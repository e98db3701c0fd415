# SPDX-License-Identifier: GPL-2.0-or-later
"""Take one file out of an uncompressed newc archive."""

import os

import vmlib


def entries(data):
    """(name, start, end) of each entry up to the trailer."""
    at = 0
    while data[at : at + 6] == b"070701":
        size, length = int(data[at + 54 : at + 62], 16), int(data[at + 94 : at + 102], 16)
        body = (at + 110 + length + 3) & ~3
        end = (body + size + 3) & ~3
        name = data[at + 110 : at + 110 + length - 1].decode()
        yield name, at, end
        if name == "TRAILER!!!":
            return
        at = end
    raise ValueError(f"no newc entry at {at}")


def without(data, name):
    for seen, start, end in entries(data):
        if seen == name:
            return data[:start] + data[end:]
    raise ValueError(f"{name} is not in the archive")


def cached_without(image, name):
    """Path of the same image without one file."""

    def make(folder):
        with open(image, "rb") as file:
            data = file.read()
        with open(os.path.join(folder, "initrd.img"), "wb") as file:
            file.write(without(data, name))

    key = vmlib.key_of(os.path.basename(os.path.dirname(image)), name)
    return os.path.join(vmlib.cached(f"initrd-{key}", make), "initrd.img")
