"""Chooses the FMUs and tests for a change."""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import tomllib

from generator.sources import INCLUDE

from .edits import HERE, REPOSITORY, SOURCE, Mutant, MutationError


@functools.cache
def _read() -> dict:
    return tomllib.loads((HERE / "plan.toml").read_text(encoding="utf-8"))


def left_out() -> tuple[str, ...]:
    """Lists the tests that are never used."""
    return tuple(_read()["left_out"])


@functools.cache
def _included(file: str) -> frozenset[str]:
    """Returns a source and all below fmu_src/ that it includes."""
    path = SOURCE / file
    names = INCLUDE.findall(path.read_text(encoding="utf-8")) if path.exists() else []
    return frozenset({file}.union(*map(_included, names)))


@functools.cache
def users_of(file: str) -> list[str]:
    """Lists the models with a source of a law."""
    models = [path.stem for path in sorted((REPOSITORY / "modelDescription").glob("[A-Z]*.toml"))]
    return [model for model in models if file in _included(f"models/{model}.c")]


def planned(mutant: Mutant) -> Mutant:
    """Adds the FMUs and tests that a mutant does not name itself."""
    plan = next(
        (one for one in _read()["plan"] if fnmatch.fnmatch(mutant.file, one["files"])), None
    )
    if plan is None:
        raise MutationError(f"plan.toml: has no entry for {mutant.file}.")
    models = mutant.models or tuple(plan.get("models", ()))
    if not mutant.models and mutant.file.startswith(("common/", "models/")):
        models = tuple(users_of(mutant.file)) + models
    tests: list[str] = []
    for test in mutant.tests or plan["tests"]:
        tests += (
            [
                name
                for model in models
                if (REPOSITORY / "tests" / (name := f"models/test_{model}.py")).exists()
            ]
            if test == "models"
            else [test]
        )
    return dataclasses.replace(mutant, models=models, tests=tuple(tests))
