"""Models and their twins, by their names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from generator.project import Project

TWINS = Project(Path(__file__).resolve().parents[2]).twins


def without_twins(files: Iterable[Path]) -> list[Path]:
    """Lists the FMUs among these that are not another one's twin."""
    known = {file.stem: file for file in files}
    return [known[name] for name in known if without_suffix(name) not in known.keys() - {name}]


def without_suffix(name: str) -> str:
    """Returns the name of the model: that of a twin without its ending."""
    return next((name.removesuffix(twin) for twin in TWINS if name.endswith(twin)), name)
