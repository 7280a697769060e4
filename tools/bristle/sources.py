"""The C sources of an FMU: the one translation unit and everything it includes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from . import BristleError
from .description import Description
from .frame import renames

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def unit_text(description: Description, functions: Iterable[str]) -> str:
    """fmu.c: the model, its slopes, the solver and the FMI layer in one piece, so that all is inlined."""
    model, names = description.model, renames(description)
    law = [f'#include "models/{model}.c"']
    if "next_modes" not in functions:
        law.append('#include "common/contact_events.h"')
    if names:
        law = [f"#define {name} {other}" for name, other in names.items()] + law + [f"#undef {name}" for name in names]
        law.append(f'#include "{model}_frame.c"')
    lines = [
        f"/* {description.name} as one translation unit. Generated. */",
        "#ifdef __GNUC__",
        '#pragma GCC diagnostic ignored "-Wunused-function" /* a model takes from the shared headers what it needs */',
        "#endif",
        "#define BRISTLE_TABLES",
    ]
    rest = [f'#include "{name}"' for name in (f"{model}_slopes.c", "solver/solver.c", "fmi2/fmi2.c")]
    return "\n".join([*lines, f'#include "{model}.h"', *law, *rest]) + "\n"


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
        waiting += [(other, str(file)) for other in INCLUDE.findall(file.read_text(encoding="utf-8"))]
    return found


def with_relative_includes(name: str, text: str) -> str:
    """The text of a source that finds what it includes from its own folder, without any option of the compiler."""
    up = "../" * name.count("/")
    return INCLUDE.sub(lambda found: found[0].replace(f'"{found[1]}"', f'"{up}{found[1]}"'), text)


def content_guid(parts: Iterable[tuple[str, str]]) -> str:
    """A GUID from names and texts: it changes with any of them and with nothing else."""
    digest = hashlib.sha256()
    for name, text in parts:
        for piece in (name, text):
            data = piece.encode()
            digest.update(len(data).to_bytes(8, "little") + data)
    code = digest.hexdigest()
    return f"{{{code[:8]}-{code[8:12]}-{code[12:16]}-{code[16:20]}-{code[20:32]}}}"
