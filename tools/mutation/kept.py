"""Stores outcomes in a file, a line each: an interrupted run resumes, and a run on changed sources
or tests first tries the test that last killed a mutant."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path

from .edits import REPOSITORY, Mutant, change_of, text_of
from .workshop import Outcome

STATE = (
    "fmu_src modelDescription tests tools generator python resources".split()
)  # all that an outcome depends on


def state_of_the_project() -> str:
    """Returns a digest of all files that an outcome depends on."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in STATE for path in (REPOSITORY / folder).rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(
                path.relative_to(REPOSITORY).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
            )
    return digest.hexdigest()


class Kept:
    def __init__(self, file: Path) -> None:
        self.file, self.state, self.outcomes = file, state_of_the_project(), {}
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            entry = json.loads(line)
            self.outcomes[tuple(entry["mutant"])] = entry

    def outcome(self, mutant: Mutant) -> Outcome | None:
        """Returns the outcome for the present state."""
        entry = self.outcomes.get(_identity(mutant))
        if not entry or entry["state"] != self.state:
            return None
        return Outcome(**{**entry["outcome"], "models": tuple(entry["outcome"]["models"])})

    def killer(self, mutant: Mutant) -> str:
        """Returns the test that last killed the mutant."""
        entry = self.outcomes.get(_identity(mutant))
        return entry["outcome"]["by"] if entry and "::" in entry["outcome"]["by"] else ""

    def note(self, mutant: Mutant, outcome: Outcome) -> None:
        entry = {
            "mutant": _identity(mutant),
            "state": self.state,
            "outcome": dataclasses.asdict(outcome),
        }
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def _identity(mutant: Mutant) -> tuple[str | int, ...]:
    """Identifies a mutant by its text, which survives changes elsewhere in the file, and the number
    of equal lines before it."""
    source = text_of(mutant.file)
    first = source.rfind("\n", 0, mutant.begin) + 1
    line = source[first:].partition("\n")[0]
    return mutant.name, *change_of(mutant), source[:first].splitlines().count(line)
