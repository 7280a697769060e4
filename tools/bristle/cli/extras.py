"""Packages that only some commands need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .. import BristleError


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Turns a missing package into a sentence that says how to get it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise BristleError(f'this needs the package {error.name}: pip install "bristle[{extra}]".') from None
