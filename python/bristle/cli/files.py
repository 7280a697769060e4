"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, IO

from .. import BristleError

_NUMBERS = count()


@contextmanager
def writing(file: Path, mode: str = "w") -> Iterator[IO]:
    """Opens a file to write to, which takes its name when all is written: whatever goes wrong
    before leaves what was there.

    A device or a pipe is written to as it is, and a link goes on pointing where it does."""
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    with _naming(file), _part_of(file) as (part, place):
        with open(part, mode, **text) as handle:
            yield handle
        if part != place:
            part.replace(place)


def write_text(file: Path, text: str) -> None:
    with writing(file) as handle:
        handle.write(text)


def check_writable(file: Path) -> None:
    """Says now that a file cannot be written, before long work is done for it."""
    with _naming(file), _part_of(file) as (part, _):
        part.touch()


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Names the file of an error of the system."""
    try:
        yield
    except OSError as error:
        raise BristleError(f"{file}: {error.strerror or error}.") from None


@contextmanager
def _part_of(file: Path) -> Iterator[tuple[Path, Path]]:
    """Gives a name beside a file that nothing else has, which is free again in the end, and the
    place that the file is to take."""
    place = file.resolve()
    if place.is_dir():
        raise BristleError(f"{file}: Is a directory.")
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists() and not place.is_file():
        yield place, place
        return
    part = place.with_name(f".bristle-{os.getpid()}-{next(_NUMBERS)}.part")
    try:
        yield part, place
    finally:
        with suppress(OSError):
            part.unlink()
