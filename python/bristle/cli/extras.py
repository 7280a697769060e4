"""Packages that only some commands need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .. import VERSION, BristleError


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Turns a missing package into a sentence that says how to get it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise BristleError(
            f"this needs the package {error.name}: pip install {wheel(extra)}."
        ) from None


def wheel(extra: str) -> str:
    """What pip is to install for optional dependencies: the file of the wheel, as the package is on
    no index."""
    return f'"bristle-{VERSION}-py3-none-any.whl[{extra}]"'
