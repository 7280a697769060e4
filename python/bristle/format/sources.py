"""Names for the sources of an FMU: their file, the prefix of their functions and the GUID of their
content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

UNIT = "fmu.c"
BUILD = "buildDescription.xml"  # beside it in FMI 3.0


def prefix_line(name: str, version: int = 2) -> str:
    return f"#define FMI{version}_FUNCTION_PREFIX {name}_"


def content_guid(parts: Iterable[tuple[str, str]]) -> str:
    """Makes a GUID from names and texts: it changes with any of them and with nothing else."""
    digest = hashlib.sha256()
    for name, text in parts:
        for piece in (name, text):
            data = piece.encode()
            digest.update(len(data).to_bytes(8, "little") + data)
    code = digest.hexdigest()
    return f"{{{code[:8]}-{code[8:12]}-{code[12:16]}-{code[16:20]}-{code[20:32]}}}"
