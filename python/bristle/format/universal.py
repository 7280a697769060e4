"""A macOS library for several processors: thin libraries one after the other, behind a table of
contents."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from .. import BristleError

THIN_MAGIC = 0xFEEDFACF
FAT_MAGIC = 0xCAFEBABE
ALIGNMENT = 14  # as a power of two: the page size of the ARM processors


def write_universal(out: Path, thin: Sequence[Path]) -> None:
    contents = [file.read_bytes() for file in thin]
    for file, content in zip(thin, contents, strict=True):
        if struct.unpack_from("<I", content)[0] != THIN_MAGIC:
            raise BristleError(f"{file}: not a library of macOS for one processor.")
    out.write_bytes(joined(contents))


def joined(contents: Sequence[bytes]) -> bytes:
    """Joins thin libraries into one."""
    head = struct.pack(">II", FAT_MAGIC, len(contents))
    body = b""
    first = _aligned(len(head) + 20 * len(contents))
    for content in contents:
        _, processor, kind = struct.unpack_from("<III", content)
        body += bytes(_aligned(len(body)) - len(body))
        head += struct.pack(">IIIII", processor, kind, first + len(body), len(content), ALIGNMENT)
        body += content
    return head + bytes(first - len(head)) + body


def parts(library: bytes) -> list[bytes]:
    """Splits a library, possibly for several processors, into thin ones."""
    magic, count = struct.unpack_from(">II", library)
    if magic != FAT_MAGIC:
        return [library]
    places = [struct.unpack_from(">II", library, 8 + 20 * i + 8) for i in range(count)]
    return [library[start : start + size] for start, size in places]


def _aligned(size: int) -> int:
    page = 1 << ALIGNMENT
    return (size + page - 1) // page * page
