"""Writes files completely or not at all."""

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
    """Opens a file for writing that gets its name once all is written: an error before that leaves
    the old file as it was. Devices and pipes are written directly, and a link keeps its target."""
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
    """Raises an error if a file cannot be written, before long work is done for it."""
    with _naming(file), _part_of(file) as (part, _):
        part.touch()


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Adds the file's name to an error of the system."""
    try:
        yield
    except OSError as error:
        raise BristleError(f"{file}: {error.strerror or error}.") from None


@contextmanager
def _part_of(file: Path) -> Iterator[tuple[Path, Path]]:
    """Yields an unused temporary name beside a file, removed afterwards, and the file's final
    place."""
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
