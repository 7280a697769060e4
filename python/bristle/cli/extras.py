"""Packages that only some commands need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .. import VERSION, BristleError


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Turns a missing package into a sentence with the command that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise BristleError(
            f"this needs the package {error.name}: pip install {wheel(extra)}."
        ) from None


def wheel(extra: str) -> str:
    """Names what pip installs for optional dependencies: the wheel's file, as no index has the
    package."""
    return f'"bristle-{VERSION}-py3-none-any.whl[{extra}]"'
