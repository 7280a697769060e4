"""Write C, XML and documentation of one model."""

from __future__ import annotations

import argparse
from pathlib import Path

FOR_THE_BUILD = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("description", type=Path, help="modelDescription/<Model>.toml")
    parser.add_argument("--out", type=Path, required=True, help="folder for the generated files")
    parser.add_argument("--fmi-include", type=Path, required=True, help="folder with fmi2Functions.h")
    parser.add_argument("--twin", help="the name of a file of modelDescription/twins, as Rotational, for the model's twin instead of the model")
    parser.add_argument("--depfile", type=Path, help="file to write the names of all read files to, as make reads them")


def run(arguments: argparse.Namespace) -> None:
    from ..generate import generate

    read = generate(arguments.description, arguments.out, arguments.fmi_include, arguments.twin)
    if arguments.depfile:
        names = " ".join(file.as_posix().replace(" ", "\\ ") for file in read)
        arguments.depfile.write_text(f"{(arguments.out / 'fmu.c').as_posix()}: {names}\n", encoding="utf-8")
