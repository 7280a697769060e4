"""A macOS library for several processors: thin libraries one after the other, behind a table of contents."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from . import BristleError

THIN_MAGIC = 0xFEEDFACF
FAT_MAGIC = 0xCAFEBABE
ALIGNMENT = 14  # as a power of two: the page size of the ARM processors


def write_universal(out: Path, thin: Sequence[Path]) -> None:
    contents = [file.read_bytes() for file in thin]
    head = struct.pack(">II", FAT_MAGIC, len(thin))
    body = b""
    first = _aligned(len(head) + 20 * len(thin))
    for file, content in zip(thin, contents, strict=True):
        magic, processor, kind = struct.unpack_from("<III", content)
        if magic != THIN_MAGIC:
            raise BristleError(f"{file}: not a library of macOS for one processor.")
        body += bytes(_aligned(len(body)) - len(body))
        head += struct.pack(">IIIII", processor, kind, first + len(body), len(content), ALIGNMENT)
        body += content
    out.write_bytes(head + bytes(first - len(head)) + body)


def _aligned(size: int) -> int:
    page = 1 << ALIGNMENT
    return (size + page - 1) // page * page
