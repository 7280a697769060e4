"""Write C, XML and documentation of one model and of its twins, and generate.d with the names of
all files read, in make's syntax."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("description", type=Path, help="modelDescription/<Model>.toml")
    parser.add_argument("--out", type=Path, required=True, help="folder for the generated files")
    parser.add_argument(
        "--fmi-include", type=Path, required=True, help="folder with fmi2Functions.h"
    )
    parser.add_argument(
        "--twins",
        nargs="+",
        default=[],
        metavar="TWIN",
        help=(
            "names of files of modelDescription/twins, as Rotational, for the twins of the model;"
            " the folder of each is the model's with the twin's name appended"
        ),
    )


def run(arguments: argparse.Namespace) -> None:
    from ..generate import generate

    out = arguments.out
    folders = {"": out} | {twin: out.with_name(out.name + twin) for twin in arguments.twins}
    read = {
        file.as_posix().replace(" ", "\\ ")
        for twin, folder in folders.items()
        for file in generate(arguments.description, folder, arguments.fmi_include, twin or None)
    }
    written = [(folder / "fmu.c").as_posix() for folder in folders.values()]
    (out / "generate.d").write_text(
        f"{' '.join(written)}: {' '.join(sorted(read))}\n", encoding="utf-8"
    )
