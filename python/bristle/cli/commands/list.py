"""List the models, each described in a line.

Models that need more than normal force and velocity are marked: inputs such as externalForce, the
load on the body, or state events of the host."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments import add_version

if TYPE_CHECKING:
    from ...library import Model

EXAMPLES = """
  bristle list                        the FMUs installed with bristle, or in dist/ of a checkout
  bristle list --kind bristle         those of a kind
  bristle list --needs nothing        those that need no further input and no events
  bristle list --needs externalForce  those that need it
  bristle list --rotational           the twins for joints, clutches and bearings
  bristle list my_fmus --json         those of a folder, for programs
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, nargs="?", help="folder with FMUs")
    parser.add_argument(
        "--kind", help="regularized, ideal stick, bristle, hysteresis, spatial, load"
    )
    parser.add_argument("--needs", help="an input, events, or nothing")
    parser.add_argument(
        "--rotational", action="store_true", help="twins that turn instead of models that slide"
    )
    parser.add_argument("--json", action="store_true", help="all that is known, both forms")
    add_version(parser)


def run(arguments: argparse.Namespace) -> None:
    from ... import BristleError
    from ...format.facts import MODEL_KINDS
    from ...library import describe, fmu_folder

    folder = arguments.folder or fmu_folder(arguments.fmi)
    models = [describe(file) for file in sorted(folder.glob("*.fmu"))]
    if not models:
        raise BristleError(f"{folder}: there is no FMU.")
    found = _of_kind(arguments.kind, _needing(arguments.needs, models))
    if arguments.json:
        print(json.dumps([_entry(one) for one in found], ensure_ascii=False, indent=1))
        return
    shown = [one for one in found if bool(one.facts.twin) == arguments.rotational]
    if not shown:
        raise BristleError("there is no such model.")
    width = max(len(one.name) for one in shown)
    for kind in (*MODEL_KINDS, ""):
        members = [one for one in shown if one.facts.kind == kind]
        if members:
            print(MODEL_KINDS.get(kind, "Of another tool"))
        for one in members:
            needs = f"; needs {', '.join(one.needs)}" if one.needs else ""
            print(f"  {one.name:{width}}  {one.title}{needs}")
    if arguments.folder:
        return
    twins = sum(bool(one.facts.twin) for one in found)
    more = f"; {twins} also as <name>Rotational: bristle list --rotational" if twins else ""
    print(
        f"They are in {folder}{'' if arguments.rotational else more}."
        " bristle show <name> describes one.",
        file=sys.stderr,
    )


def _of_kind(kind: str | None, models: list[Model]) -> list[Model]:
    from ... import BristleError
    from ...format.facts import MODEL_KINDS
    from ...library import hint

    if kind is None:
        return models
    wanted = kind.lower().replace("-", " ").rstrip("s")
    if wanted not in MODEL_KINDS:
        raise BristleError(
            f"there is no kind {kind}{hint(wanted, list(MODEL_KINDS))}; there are"
            f" {', '.join(MODEL_KINDS)}."
        )
    return [one for one in models if one.facts.kind == wanted]


def _needing(need: str | None, models: list[Model]) -> list[Model]:
    from ... import BristleError
    from ...format.facts import EVENTS
    from ...library import hint

    if need is None:
        return models
    if need == "nothing":
        return [one for one in models if not one.needs]
    wanted = EVENTS if need == "events" else need
    known = sorted({name for one in models for name in one.needs})
    if wanted not in known:
        raise BristleError(
            f"no model needs {need}{hint(need, known)}; there are {', '.join(known)} and nothing."
        )
    return [one for one in models if wanted in one.needs]


def _entry(model: Model) -> dict[str, Any]:
    from ...format.archive import contents, platforms

    return {
        "name": model.name,
        "file": str(model.file),
        "title": model.title,
        "kind": model.facts.kind,
        "law": model.facts.law,
        "twin": model.facts.twin,
        "needs": model.needs,
        "states": len(model.states),
        "passive": model.facts.passivity(),
        "platforms": platforms(contents(model.file)[1]),
        "bytes": model.file.stat().st_size,
    }
