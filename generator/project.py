"""The paths of the project, without the imports of the generator: a command that only needs a path
starts fast."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bristle import BristleError


@dataclass(frozen=True)
class Project:
    """The paths, from the folder of the project."""

    root: Path

    @property
    def source(self) -> Path:
        return self.root / "fmu_src"

    @property
    def license(self) -> Path:
        return self.root / "LICENSE"

    @property
    def resources(self) -> Path:
        return self.root / "resources"

    @property
    def playground(self) -> Path:
        return self.root / "playground"

    @property
    def twins(self) -> list[str]:
        """The kinds of twins, which their names end with."""
        folder = self.root / "modelDescription" / "twins"
        return sorted(file.stem for file in folder.glob("*.toml"))

    @property
    def descriptions(self) -> list[Path]:
        """One file per model."""
        return sorted((self.root / "modelDescription").glob("[A-Z]*.toml"))

    @property
    def models(self) -> list[str]:
        return [file.stem for file in self.descriptions]

    def twins_of(self, model: str) -> list[str]:
        """Lists the twins of a model: those of an interface that it includes."""
        folder = self.root / "modelDescription"
        included = _included(folder, folder / f"{model}.toml")
        return [t for t in self.twins if _read(folder / "twins" / f"{t}.toml")["of"] in included]

    def pictures(self, model: str) -> list[Path]:
        folder = self.root / "modelDescription" / "pictures" / model
        return sorted(folder.glob("*.svg"))


def twins_of(file: Path) -> list[str]:
    """Lists the names of the twins of the model that a file describes."""
    return [file.stem + twin for twin in Project(file.parents[1]).twins_of(file.stem)]


@cache
def parsed(toml: str) -> dict[str, Any]:
    """Parses a text; the result is cached, because models share files, and must not be changed."""
    return tomllib.loads(toml)


def _read(file: Path) -> dict[str, Any]:
    try:
        return parsed(file.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BristleError(f"{file}: {error}") from None


def _included(folder: Path, file: Path) -> set[str]:
    """Returns the names of the shared files that a description includes, directly or not."""
    own = _read(file).get("include", [])
    return set(own).union(*(_included(folder, folder / "shared" / f"{one}.toml") for one in own))
