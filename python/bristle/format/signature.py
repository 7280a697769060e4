"""The ad hoc signature of a macOS library: a list of the hashes of its pages, renewed after any
change of them.

The layout is that of Apple's xnu sources, bsd/sys/codesign.h: a load command leads to a blob of
blobs, one of which is the code directory with one hash per page. Only processors from Apple ask for
a signature; a library for others has none.
"""

from __future__ import annotations

import hashlib
import struct

from .. import BristleError

THIN_HEADER_BYTES = 32
LC_CODE_SIGNATURE = 0x1D
EMBEDDED_SIGNATURE, CODE_DIRECTORY = 0xFADE0CC0, 0xFADE0C02
SHA256 = 2


def signed_anew(library: bytes) -> bytes:
    """Returns a thin library with its hashes recomputed."""
    place = _signature(library)
    if place is None:
        return library
    result = bytearray(library)
    magic, _, count = struct.unpack_from(">III", library, place)
    if magic != EMBEDDED_SIGNATURE:
        raise BristleError("the macOS library has a signature of an unknown kind.")
    for i in range(count):
        _, offset = struct.unpack_from(">II", library, place + 12 + 8 * i)
        blob = place + offset
        if struct.unpack_from(">I", library, blob)[0] == CODE_DIRECTORY:
            _hash_pages(result, blob)
    return bytes(result)


def _signature(library: bytes) -> int | None:
    """Finds the offset of the signature."""
    commands = struct.unpack_from("<I", library, 16)[0]
    place = THIN_HEADER_BYTES
    for _ in range(commands):
        command, size = struct.unpack_from("<II", library, place)
        if command == LC_CODE_SIGNATURE:
            return struct.unpack_from("<I", library, place + 8)[0]
        place += size
    return None


def _hash_pages(library: bytearray, directory: int) -> None:
    hashes, _, _, pages, limit, size, kind, _, power = struct.unpack_from(
        ">5I4B", library, directory + 16
    )
    if kind != SHA256 or size != hashlib.sha256().digest_size:
        raise BristleError("the macOS library is signed with other hashes than SHA-256.")
    page = 1 << power
    for i in range(pages):
        content = library[i * page : min((i + 1) * page, limit)]
        place = directory + hashes + i * size
        library[place : place + size] = hashlib.sha256(content).digest()
