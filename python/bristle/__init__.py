"""Bristle: friction models as FMUs, with tools to run, fit, stamp and sweep them.

    import bristle

    bristle.models()                  # ["AdamsRegularized", ...]
    bristle.fmu("LuGre")              # the path of the file
    print(bristle.describe("LuGre"))  # its parameters, inputs and outputs
    inputs = {"relativeVelocity": v, "normalForce": 10.0}
    bristle.run("LuGre", time, inputs, {"staticFriction": 0.5})["frictionForce"]

Bad input raises a BristleError with one sentence, a wrong type a TypeError.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .deriving import fit, suggest
    from .library import describe, fmu, models
    from .running import evaluate, run, run_many
    from .stamping import stamp

VERSION = "0.2.0"

__version__ = VERSION
__all__ = [
    "VERSION",
    "BristleError",
    "describe",
    "evaluate",
    "fit",
    "fmu",
    "models",
    "run",
    "run_many",
    "stamp",
    "suggest",
]

# The module of each public name: imported on first use, because the build has no numpy.
_MODULES = {
    "describe": "library",
    "fit": "deriving",
    "fmu": "library",
    "models": "library",
    "evaluate": "running",
    "run": "running",
    "run_many": "running",
    "stamp": "stamping",
    "suggest": "deriving",
}


class BristleError(Exception):
    """An error in the user's input, explained in one sentence."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
