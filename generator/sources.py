"""The C sources of an FMU: the one translation unit and everything it includes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from bristle import BristleError
from bristle.format.defaults import OWN_DEFAULTS
from bristle.format.sources import UNIT, prefix_line
from .description import Description
from .frame import renames
from .inlining import all_inlined

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
VERSIONS = (2, 3)  # of FMI
BOTH = "both.c"  # the unit with both layers, compiled once and linked twice
HEAD = re.compile(r"\A/\*.*?\*/\s*", re.DOTALL)  # the comment on top of a file
FMI_HEADERS = "headers"  # folder of headers for importers without their own


def unit_text(description: Description, versions: Sequence[int] = (2,)) -> str:
    """Writes fmu.c: the model, its slopes, the solver, the core and the layers of the given
    versions of FMI in one unit, so that all is inlined."""
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
        f" * headers add no prefix, or FMI{versions[0]}_OVERRIDE_FUNCTION_PREFIX is defined. */",
    ]
    for version in versions:
        prefix = f"FMI{version}_FUNCTION_PREFIX"
        override = f"FMI{version}_OVERRIDE_FUNCTION_PREFIX"
        lines += [
            f"#if !defined({prefix}) && !defined({override})",
            prefix_line(description.name, version),
            "#endif",
        ]
    lines += ["#define BRISTLE_TABLES"]
    parts = [f"{model}_slopes.c", "solver/solver.c", "core/core.c"]
    parts += [f"fmi{version}/fmi{version}.c" for version in versions]
    layers = [f'#include "{name}"' for name in parts]
    return "\n".join([*lines, f'#include "{model}.h"', *law, *layers]) + "\n"


def included_files(name: str, folders: Iterable[Path]) -> dict[str, Path]:
    """Finds the named source and all it includes, each by its name below the first folder that has
    it."""
    places = tuple(folders)
    found: dict[str, Path] = {}
    waiting = [(name, "the build")]
    while waiting:
        wanted, user = waiting.pop(0)
        if wanted in found:
            continue
        file = next((folder / wanted for folder in places if (folder / wanted).is_file()), None)
        if file is None:
            raise BristleError(f'{user}: includes "{wanted}", which does not exist.')
        found[wanted] = file
        names = INCLUDE.findall(file.read_text(encoding="utf-8"))
        waiting += [
            (other, str(file)) for other in names if not other.startswith(f"{FMI_HEADERS}/")
        ]
    return found


def fmi_headers(folder: Path, versions: Sequence[int] = (2,)) -> dict[str, Path]:
    """Returns the headers of FMI to ship, each by its name among the sources."""
    parts = {2: "TypesPlatform", 3: "PlatformTypes"}
    names = [
        f"fmi{version}{part}.h"
        for version in versions
        for part in ("Functions", "FunctionTypes", parts[version])
    ]
    return {f"{FMI_HEADERS}/{name}": folder / name for name in names}


def unit_name(version: int) -> str:
    """Returns the generated file with the translation unit of a version of FMI; in an FMU it is
    fmu.c."""
    return UNIT if version == 2 else f"fmi{version}/{UNIT}"


def shipped_sources(name: str, folders: Iterable[Path]) -> dict[str, str]:
    """Returns the named unit and all it includes, as shipped in an FMU. The unit includes one file
    per layer; a file included only once below it is inserted there without the comment on its top,
    because a few large files take a third less room than many small ones. Paths are relative to the
    including file, so that the compiler needs no option."""
    files = included_files(name, folders)
    texts = {one: file.read_text(encoding="utf-8") for one, file in files.items()}
    uses = Counter(one for text in texts.values() for one in INCLUDE.findall(text))
    apart = {name, OWN_DEFAULTS, *INCLUDE.findall(texts[name])}
    apart |= {one for one in texts if uses[one] > 1}

    def whole(text: str, up: str) -> str:
        def put(found: re.Match[str]) -> str:
            one = found[1]
            if one in texts and one not in apart:
                return f"/* {one} */\n{whole(HEAD.sub('', texts[one]), up).rstrip()}"
            return found[0].replace(f'"{one}"', f'"{up}{_shipped_name(one)}"')

        return INCLUDE.sub(put, text)

    shipped = {UNIT if one == name else one: texts[one] for one in texts if one in apart}
    return {
        _shipped_name(one): whole(text, "../" * one.count("/")) for one, text in shipped.items()
    }


def _shipped_name(name: str) -> str:
    """Names a shipped file: only the translation unit is a .c file, because some importers compile
    every one."""
    return name.removesuffix(".c") + ".inc" if name.endswith(".c") and name != UNIT else name
