"""Write C, XML and documentation of one model, and in generate.d the names of all files that were
read, as make reads them."""

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
        "--twin",
        help=(
            "the name of a file of modelDescription/twins, as Rotational, for the model's twin"
            " instead of the model"
        ),
    )


def run(arguments: argparse.Namespace) -> None:
    from ..generate import generate

    read = generate(arguments.description, arguments.out, arguments.fmi_include, arguments.twin)
    names = " ".join(file.as_posix().replace(" ", "\\ ") for file in read)
    (arguments.out / "generate.d").write_text(
        f"{(arguments.out / 'fmu.c').as_posix()}: {names}\n", encoding="utf-8"
    )
