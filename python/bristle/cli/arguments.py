"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="name of a model, or an .fmu")


def add_out(parser: argparse.ArgumentParser, text: str, default: str | None = None) -> None:
    """Adds the file to write."""
    path = default and Path(default)
    parser.add_argument("-o", "--out", type=Path, default=path, help=text)


def add_pictures(parser: argparse.ArgumentParser) -> None:
    text = "also write the pictures of the page there, as SVG files"
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help=text)


def add_version(parser: argparse.ArgumentParser) -> None:
    """Adds the choice between the FMUs of FMI 2.0 and 3.0."""
    text = "FMI version of a model's FMU (default: 2); an .fmu has its own"
    parser.add_argument("--fmi", type=int, choices=(2, 3), default=2, help=text)


def words_of(option: str, value: Any) -> list[str]:
    """Writes an option as on the command line: repeated for several values."""
    if value is True:
        return [option]
    if isinstance(value, Mapping):
        return [word for name, one in value.items() for word in (option, f"{name}={one}")]
    several = value if isinstance(value, (list, tuple)) else [value]
    return [word for one in several for word in (option, str(one))]
