"""The command line: python -m bristle generate | universal | package | report | table | list."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import BristleError, report
from .generate import Project, generate
from .package import summaries, write_package
from .table import renewed
from .universal import write_universal


def main() -> int:
    arguments = _parser().parse_args()
    try:
        arguments.run(arguments)
    except BristleError as error:
        print(f"bristle: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"bristle: {error.filename}: {error.strerror}.", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bristle", description="Turns descriptions of friction models into FMUs.")
    commands = parser.add_subparsers(required=True, metavar="command")

    make = commands.add_parser("generate", help="write C, XML and documentation of one model")
    make.add_argument("description", type=Path, help="modelDescription/<Model>.toml")
    make.add_argument("--out", type=Path, required=True, help="folder for the generated files")
    make.add_argument("--fmi-include", type=Path, required=True, help="folder with fmi2Functions.h")
    make.add_argument("--depfile", type=Path, help="file to write the names of all read files to, as make reads them")
    make.set_defaults(run=_generate)

    join = commands.add_parser("universal", help="join macOS libraries for several processors into one")
    join.add_argument("--out", type=Path, required=True, help="the library to write")
    join.add_argument("thin", type=Path, nargs="+", help="libraries for one processor each")
    join.set_defaults(run=lambda arguments: write_universal(arguments.out, arguments.thin))

    pack = commands.add_parser("package", help="pack one model into an FMU")
    pack.add_argument("description", type=Path, help="modelDescription/<Model>.toml")
    pack.add_argument("--generated", type=Path, required=True, help="folder with the generated files")
    pack.add_argument("--fmi-include", type=Path, required=True, help="folder with fmi2Functions.h")
    pack.add_argument("--out", type=Path, required=True, help="the FMU to write")
    pack.add_argument("--libraries", type=Path, nargs="*", default=[], help="<platform>/<Model>.<suffix>")
    pack.set_defaults(run=_package)

    tell = commands.add_parser("report", help="compare all models in the benchmark systems, on one page")
    report.add_arguments(tell)
    tell.set_defaults(run=report.write_report)

    table = commands.add_parser("table", help="renew the table of models in the README")
    table.add_argument("readme", type=Path, help="README.md, with modelDescription/ beside it")
    table.set_defaults(run=_table)

    show = commands.add_parser("list", help="one line per FMU of a folder")
    show.add_argument("folder", type=Path, nargs="?", default=Path("dist"))
    show.set_defaults(run=_list)
    return parser


def _generate(arguments: argparse.Namespace) -> None:
    read = generate(arguments.description, arguments.out, arguments.fmi_include)
    if arguments.depfile:
        names = " ".join(file.as_posix().replace(" ", "\\ ") for file in read)
        arguments.depfile.write_text(f"{(arguments.out / 'fmu.c').as_posix()}: {names}\n", encoding="utf-8")


def _package(arguments: argparse.Namespace) -> None:
    project = Project(arguments.description.parent.parent)
    write_package(
        arguments.out,
        arguments.generated,
        project.source,
        arguments.fmi_include,
        project.license,
        arguments.libraries,
    )


def _table(arguments: argparse.Namespace) -> None:
    text = renewed(arguments.readme, arguments.readme.parent / "modelDescription")
    arguments.readme.write_text(text, encoding="utf-8", newline="\n")


def _list(arguments: argparse.Namespace) -> None:
    for line in summaries(arguments.folder):
        print(line)


if __name__ == "__main__":
    sys.exit(main())
