"""Where things are in the project, without what generates them: a command that only looks for a
file starts in no time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PICTURE_TYPES = {".png": "image/png", ".svg": "image/svg+xml"}


@dataclass(frozen=True)
class Project:
    """Where things are, seen from the folder of the project."""

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
        """The kinds of twins, which are the endings of their names."""
        folder = self.root / "modelDescription" / "twins"
        return sorted(file.stem for file in folder.glob("*.toml"))

    def pictures(self, model: str) -> list[Path]:
        folder = self.root / "modelDescription" / "pictures" / model
        return sorted(file for file in folder.glob("*") if file.suffix in PICTURE_TYPES)
