"""Reads papers.toml: the numbers that the papers print, each with the run of the rig that gives
ours.

A case names a system, a model and an expression over the columns of the rig's results. The tests
and the report both read the cases here, so that they cannot differ.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np

from bristle import BristleError
from bristle.expressions import quantity

_CHANGES = ("fmu", "sets", "set", "param")  # of the run to compare with
_RELATIONS = {"=": "", "<": "< ", ">": "> "}
FILE = Path(__file__).with_suffix(".toml")
Results = dict[str, dict[str, np.ndarray]]  # columns by model
Runner = Callable[[Sequence[str]], Results]
STATUS = {
    "explained": "we know why, and why ours is right or the paper's cannot be had",
    "open": "what could be thought of was tried, and nothing gives the printed number",
    "not known": "a part of the difference has a cause that we do not know",
}


@dataclass(frozen=True)
class Case:
    id: str
    paper: str  # key of the references
    where: str
    what: str
    system: str
    fmu: str
    quantity: str  # expression over the columns, see quantity()
    unit: str
    printed: float
    tolerance: float  # in the unit
    reason: str  # for the tolerance, or for not meeting the printed value
    # "<" or ">": in the paper the number is only an upper or a lower bound
    relation: str = "="
    sets: str | None = None  # instead of the system's own parameter set
    set: dict[str, float | str] = field(default_factory=dict)
    param: dict[str, float] = field(default_factory=dict)
    stop: float | None = None
    interval: float = 0  # 0: a row for every step of the solver
    solver_tolerance: float | None = None  # relative; if the paper's own one matters
    minus: str | None = None  # another model, whose quantity is subtracted
    # changes (fmu, sets, set, param) for a second run, by whose quantity ours is divided
    over: dict | None = None
    # the number was used to choose parameters, so that agreement is no evidence
    calibrated: bool = False
    # ours, if the printed value is not met or is a bound; the tolerance is then about this one
    obtained: float | None = None
    status: str = ""  # of a number that is not met, one of STATUS

    def __post_init__(self) -> None:
        if self.relation not in _RELATIONS:
            raise BristleError(f'{self.id}: the relation "{self.relation}" is none of =, < and >.')
        if self.is_bound and self.obtained is None:
            raise BristleError(f"{self.id}: a bound needs the number that we obtained.")
        if (self.status in STATUS) != self.is_excused:
            raise BristleError(
                f"{self.id}: a number that is not met, and no other, needs a status:"
                f" {', '.join(STATUS)}."
            )
        if unknown := sorted((self.over or {}).keys() - set(_CHANGES)):
            raise BristleError(f"{self.id}: unknown key {unknown[0]} in over.")

    @property
    def is_bound(self) -> bool:
        return self.relation != "="

    @property
    def printed_text(self) -> str:
        return f"{_RELATIONS[self.relation]}{self.printed:g}"

    @property
    def is_excused(self) -> bool:
        """Checks whether ours differs from the printed one, for the given reason."""
        return self.obtained is not None and not self.is_bound

    @property
    def expected(self) -> float:
        return self.printed if self.obtained is None else self.obtained

    @property
    def models(self) -> list[str]:
        """Lists all models that the case needs."""
        others = [self.minus, (self.over or {}).get("fmu")]
        return list(dict.fromkeys([self.fmu, *(model for model in others if model)]))

    @property
    def divisor(self) -> Case | None:
        """Returns the case with the changes of `over`; those of set and param are added to its
        own."""
        if self.over is None:
            return None
        changes = {
            key: getattr(self, key) | value if isinstance(value, dict) else value
            for key, value in self.over.items()
        }
        return replace(self, over=None, **changes)

    def arguments(self, fmus: Path) -> list[str]:
        """Returns the arguments of the rig, without the file for the results."""
        files = [str(fmus / f"{model}.fmu") for model in self.models]
        words = [self.system, *files, "--output-interval", str(self.interval)]
        if self.sets is not None:
            words += ["--sets", self.sets]
        for name, value in self.set.items():
            words += ["--set", f"{name}={value}"]
        for name, value in self.param.items():
            words += ["--param", f"{name}={value}"]
        if self.stop is not None:
            words += ["--stop", str(self.stop)]
        if self.solver_tolerance is not None:
            words += ["--tolerance", str(self.solver_tolerance)]
        return words

    def is_met(self, value: float) -> bool:
        if (self.relation == "<" and not value < self.printed) or (
            self.relation == ">" and not value > self.printed
        ):
            return False
        return abs(value - self.expected) <= self.tolerance


def cases() -> list[Case]:
    """Reads all cases; refuses incomplete ones."""
    groups = tomllib.loads(FILE.read_text(encoding="utf-8"))["group"]
    known = {entry.name for entry in fields(Case)}
    result = []
    for entry in (group | case for group in groups for case in group.pop("case")):
        name = entry.get("id", "a case without id")
        if unknown := sorted(entry.keys() - known):
            raise BristleError(f"{FILE}: {name}: unknown key {unknown[0]}.")
        try:
            result.append(Case(**entry))
        except TypeError as error:
            raise BristleError(f"{FILE}: {name}: {error}.") from None
    return result


def evaluate(case: Case, run: Runner, fmus: Path) -> float:
    """Runs a case with the rig and these arguments, and returns its quantity."""
    if case.divisor:
        return evaluate(replace(case, over=None), run, fmus) / evaluate(case.divisor, run, fmus)
    results = _results(run, tuple(case.arguments(fmus)))
    values = [quantity(case.quantity, results[model]) for model in case.models]
    return values[0] if len(values) == 1 else values[0] - values[1]


def _results(run: Runner, arguments: tuple[str, ...]) -> Results:
    """Returns the results of the rig; cached, as one run often has several numbers, and run once
    for all threads."""
    with _LOCKS.setdefault(arguments, Lock()):
        return _run(run, arguments)


_LOCKS: dict[tuple[str, ...], Lock] = {}  # by arguments


@cache
def _run(run: Runner, arguments: tuple[str, ...]) -> Results:
    return run(arguments)
