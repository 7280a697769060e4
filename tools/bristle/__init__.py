"""Bristle: friction models as FMUs, and what is done with them.

    import bristle

    bristle.models()                  # ["AdamsRegularized", ...]
    bristle.fmu("LuGre")              # the path of the file
    bristle.describe("LuGre")         # its parameters, inputs and outputs
    bristle.run("LuGre", time, {"relativeVelocity": v, "normalForce": 10.0}, {"staticFriction": 0.5})["frictionForce"]

Whatever is wrong with what was given is told by a BristleError, in one sentence.
"""

from __future__ import annotations

from importlib import import_module

VERSION = "0.1.0"

# What is offered here, and the module that has it: imported on first use, because the build does without numpy.
_OFFERED = {
    "fmu": "library",
    "models": "library",
    "describe": "library",
    "run": "running",
    "run_many": "running",
    "evaluate": "running",
    "stamp": "stamping",
}
__all__ = ["VERSION", "BristleError", *_OFFERED]
__version__ = VERSION


class BristleError(Exception):
    """A mistake of the user, told in one sentence."""


def __getattr__(name: str):
    if name not in _OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".host.{_OFFERED[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
