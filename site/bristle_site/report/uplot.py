"""uPlot, the plotting library of the page, from its npm package."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bristle import BristleError

VERSION = "1.6.32"


@dataclass(frozen=True)
class Library:
    script: str
    style: str
    license: str


def library(folder: Path) -> Library:
    """The texts of the library; npm puts the package into the folder when it is not there yet."""
    package = folder / "node_modules" / "uplot"
    if not (package / "dist" / "uPlot.iife.min.js").is_file():
        _install(folder)

    def text(name: str) -> str:
        return (package / name).read_text(encoding="utf-8").strip()

    return Library(text("dist/uPlot.iife.min.js"), text("dist/uPlot.min.css"), text("LICENSE"))


def _install(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise BristleError(
            "npm is not there: install it (on Debian: apt-get install npm), the page gets its"
            " plotting library by it."
        )
    folder.mkdir(parents=True, exist_ok=True)
    words = [
        npm,
        "install",
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--prefix",
        str(folder),
        f"uplot@{VERSION}",
    ]
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode != 0:
        raise BristleError(f"npm cannot install uplot {VERSION}: {result.stderr.strip()}.")
