"""The C sources of an FMU: the one translation unit and everything it includes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from bristle import BristleError
from bristle.format.sources import UNIT, prefix_line
from .description import Description
from .frame import renames
from .inlining import all_inlined

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
FMI_HEADERS = "headers"  # folder of those that serve where the importer has none


def unit_text(description: Description) -> str:
    """fmu.c: the model, its slopes, the solver and the FMI layer in one piece, so that all is
    inlined."""
    model, names = description.model, renames(description)
    law = [f'#include "models/{model}.c"']
    if names:
        law = (
            [f"#define {name} {other}" for name, other in names.items()]
            + law
            + [f"#undef {name}" for name in names]
        )
        law = ["#include <math.h>", *all_inlined(law), f'#include "{model}_frame.c"']
    lines = [
        f"/* {description.name} as one translation unit. Generated. */",
        "#ifdef __GNUC__",
        (
            '#pragma GCC diagnostic ignored "-Wunused-function" /* a model takes from the shared'
            " headers what it needs */"
        ),
        "#endif",
        (
            "/* The names of the functions begin with the name of the model in a program of several"
            " FMUs. A dynamic library has them plain: its"
        ),
        " * headers add no prefix, or FMI2_OVERRIDE_FUNCTION_PREFIX is defined. */",
        "#if !defined(FMI2_FUNCTION_PREFIX) && !defined(FMI2_OVERRIDE_FUNCTION_PREFIX)",
        prefix_line(description.name),
        "#endif",
        "#define BRISTLE_TABLES",
    ]
    layers = [
        f'#include "{name}"'
        for name in (f"{model}_slopes.c", "solver/solver.c", "core/core.c", "fmi2/fmi2.c")
    ]
    return "\n".join([*lines, f'#include "{model}.h"', *law, *layers]) + "\n"


def included_files(name: str, folders: Iterable[Path]) -> dict[str, Path]:
    """The named source and all it includes, each by its name below the first folder that has it."""
    places = tuple(folders)
    found: dict[str, Path] = {}
    waiting = [(name, "the build")]
    while waiting:
        wanted, user = waiting.pop(0)
        if wanted in found:
            continue
        file = next((folder / wanted for folder in places if (folder / wanted).is_file()), None)
        if file is None:
            raise BristleError(f'{user}: includes "{wanted}", which is not there.')
        found[wanted] = file
        names = INCLUDE.findall(file.read_text(encoding="utf-8"))
        waiting += [
            (other, str(file)) for other in names if not other.startswith(f"{FMI_HEADERS}/")
        ]
    return found


def fmi_headers(folder: Path) -> dict[str, Path]:
    """The headers of FMI as they are shipped, each by its name among the sources."""
    names = ("fmi2Functions.h", "fmi2FunctionTypes.h", "fmi2TypesPlatform.h")
    return {f"{FMI_HEADERS}/{name}": folder / name for name in names}


def shipped_name(name: str) -> str:
    """Only the translation unit is a .c file: some importers compile every one that they find."""
    return name.removesuffix(".c") + ".inc" if name.endswith(".c") and name != UNIT else name


def shipped_text(name: str, text: str) -> str:
    """The text of a source that finds what it includes from its own folder, without any option of
    the compiler."""
    up = "../" * name.count("/")
    return INCLUDE.sub(
        lambda found: found[0].replace(f'"{found[1]}"', f'"{up}{shipped_name(found[1])}"'), text
    )
