# SPDX-License-Identifier: GPL-2.0-or-later
"""A module of the kernel with another beginning of its init: one that oopses, never returns, or takes a number of ticks.

The machine code is written over the real one, so that nothing has to be built: everything else of the module (name,
aliases, version magic) stays what it is. x86-64 only. What it signs is no longer what is there: take that off as well.
"""

import struct

ENDBR64 = b"\xf3\x0f\x1e\xfa"
HEADER = struct.Struct("<IIQQQQIIQQ")  # Elf64_Shdr
SYMBOL = struct.Struct("<IBBHQQ")  # Elf64_Sym
RELOCATION = struct.Struct("<QQq")  # Elf64_Rela
SHT_RELA = 4

OOPS = b"\x0f\x0b"  # ud2: invalid opcode, as a BUG()
HANGS = b"\xfb\xf4\xeb\xfd"  # sti; 1: hlt; jmp 1b. It holds its CPU for ever and costs the emulator nothing


def takes(ticks):
    """sti; mov ecx, ticks; 1: hlt; loop 1b; mov eax, -ENODEV; ret. Each tick of the timer ends one hlt."""
    return b"\xfb\xb9" + struct.pack("<I", ticks) + b"\xf4\xe2\xfd" + b"\xb8" + struct.pack("<i", -19) + b"\xc3"


def sections(data):
    (at,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    found = [HEADER.unpack_from(data, at + i * size) for i in range(count)]
    strings = found[names][4]
    return [(data[strings + h[0] : data.index(b"\0", strings + h[0])].decode(), h) for h in found]


def init_of(data):
    """(index of its section, offset in it, size) of init_module."""
    table = sections(data)
    symbols = next(h for n, h in table if n == ".symtab")
    strings = table[symbols[6]][1][4]
    for at in range(symbols[4], symbols[4] + symbols[5], SYMBOL.size):
        name, _, _, section, value, size = SYMBOL.unpack_from(data, at)
        if data[strings + name : data.index(b"\0", strings + name)] == b"init_module":
            return section, value, size
    raise ValueError("no init_module")


def with_init(data, code):
    """The module with code in place of the beginning of its init. ValueError when it is too long for that."""
    data = bytearray(data)
    section, value, size = init_of(data)
    table = sections(data)
    if data[table[section][1][4] + value :].startswith(ENDBR64):
        value, size = value + len(ENDBR64), size - len(ENDBR64)
    # Five bytes are the call that ftrace makes out of, and checks.
    value, size = value + 5, size - 5
    if len(code) > size:
        raise ValueError(f"init_module has {size} bytes, {len(code)} are needed")
    start = table[section][1][4] + value
    data[start : start + len(code)] = code
    for _, header in table:
        if header[1] != SHT_RELA or header[7] != section:
            continue
        for at in range(header[4], header[4] + header[5], RELOCATION.size):
            offset, _, _ = RELOCATION.unpack_from(data, at)
            if value - 4 < offset < value + len(code):
                # R_X86_64_NONE
                struct.pack_into("<Q", data, at + 8, 0)
    return bytes(data)


def without_signature(data):
    """The module as it was before it was signed."""
    magic = b"~Module signature appended~\n"
    if not data.endswith(magic):
        raise ValueError("not signed")
    end = len(data) - len(magic)
    (length,) = struct.unpack(">I", data[end - 4 : end])
    return data[: end - 12 - length]
