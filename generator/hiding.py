"""Hides functions of an object: the build compiles both layers once, and a library exports the
functions of one version of FMI, so that the linker drops what only the other needs.

For Linux the linker's version script does it. zig's linkers for Windows and macOS have none, but
there the object itself lists the exports: in the directives for the linker (COFF), or in each
symbol (Mach-O).
"""

from __future__ import annotations

import re
import struct

from bristle import BristleError

COFF_X86_64 = 0x8664
MACH_O_64 = 0xFEEDFACF
LC_SYMTAB = 2
N_PEXT = 0x10  # private: visible in this library only


def without_exports(binary: bytes, prefix: str) -> bytes:
    """Returns an object that does not export the functions with this prefix."""
    if struct.unpack_from("<I", binary)[0] == MACH_O_64:
        return _private(binary, f"_{prefix}".encode())
    if struct.unpack_from("<H", binary)[0] == COFF_X86_64:
        directive = rb'-export:"?' + prefix.encode() + rb'\w+"?'
        return re.sub(directive, lambda found: b" " * len(found[0]), binary)
    raise BristleError("not an object of Windows or macOS.")


def _private(binary: bytes, prefix: bytes) -> bytes:
    changed, place = bytearray(binary), 32
    for _ in range(struct.unpack_from("<I", binary, 16)[0]):
        command, size = struct.unpack_from("<II", binary, place)
        if command == LC_SYMTAB:
            symbols, count, names, _ = struct.unpack_from("<4I", binary, place + 8)
            for symbol in range(symbols, symbols + 16 * count, 16):
                name = names + struct.unpack_from("<I", binary, symbol)[0]
                if binary.startswith(prefix, name):
                    changed[symbol + 4] |= N_PEXT
        place += size
    return bytes(changed)
