"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from .. import BristleError


@contextmanager
def writing(file: Path, mode: str = "w") -> Iterator[IO]:
    """A file to write to, which takes its name when all is written; whatever goes wrong before leaves nothing behind."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(part, mode, **text) as handle:
            yield handle
        part.replace(file)
    except OSError as error:
        raise BristleError(f"{file}: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            part.unlink()


def write_text(file: Path, text: str) -> None:
    with writing(file) as handle:
        handle.write(text)


def check_writable(file: Path) -> None:
    """Says now that a file cannot be written, before long work is done for it."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
    except OSError as error:
        raise BristleError(f"{file}: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            part.unlink()
