"""The numbers that the papers print, each with the run of the rig that gives ours:
python/bristle/papers.toml.

A case names a system, a model and an expression over the columns of the rig's results. The tests
and the report both read the cases here, so that they cannot differ.
"""

from __future__ import annotations

from typing import Any
import ast
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from threading import Lock
from types import CodeType

import numpy as np

from . import BristleError

_ALLOWED = (
    ast.Expression,
    ast.Call,
    ast.keyword,
    ast.Name,
    ast.Load,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.Pow,
    ast.USub,
    ast.UAdd,
    ast.cmpop,
)
# characters of an expression, so that its work is bounded by that and the length of a column
_LONGEST = 1000
_CHANGES = ("fmu", "sets", "set", "param")  # of the run that a case is compared with
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
    reason: str  # for the tolerance, or why the printed value is not met
    # "<" or ">": the paper only says that its number is not reached, or is exceeded
    relation: str = "="
    sets: str | None = None  # another parameter set than the system's own
    set: dict[str, float | str] = field(default_factory=dict)
    param: dict[str, float] = field(default_factory=dict)
    stop: float | None = None
    interval: float = 0  # 0: a row for every step of the solver
    solver_tolerance: float | None = None  # relative; where the paper's own one matters
    minus: str | None = None  # another model, whose quantity is subtracted
    # changes (fmu, sets, set, param) that make a second run, by whose quantity ours is divided
    over: dict | None = None
    # the number was used to choose parameters, so that agreement is no evidence
    calibrated: bool = False
    # ours, where the printed value is not met or is a bound; the tolerance then is about this one
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
        """Whether ours differs from what is printed, for the reason given."""
        return self.obtained is not None and not self.is_bound

    @property
    def expected(self) -> float:
        return self.printed if self.obtained is None else self.obtained

    @property
    def models(self) -> list[str]:
        """All models that the case needs."""
        others = [self.minus, (self.over or {}).get("fmu")]
        return list(dict.fromkeys([self.fmu, *(model for model in others if model)]))

    @property
    def divisor(self) -> Case | None:
        """The case with the changes of `over`; those of set and param come on top of its own."""
        if self.over is None:
            return None
        changes = {
            key: getattr(self, key) | value if isinstance(value, dict) else value
            for key, value in self.over.items()
        }
        return replace(self, over=None, **changes)

    def arguments(self, fmus: Path) -> list[str]:
        """The arguments of the rig, without the file for the results."""
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
    """All cases; an error where one is not whole."""
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
    """Runs a case by the rig, with such arguments, and returns its quantity."""
    if case.divisor:
        return evaluate(replace(case, over=None), run, fmus) / evaluate(case.divisor, run, fmus)
    results = _results(run, tuple(case.arguments(fmus)))
    values = [quantity(case.quantity, results[model]) for model in case.models]
    return values[0] if len(values) == 1 else values[0] - values[1]


def _results(run: Runner, arguments: tuple[str, ...]) -> Results:
    """What the rig gives; kept, as several numbers are often taken from one run, and run once
    although several threads ask for it."""
    with _LOCKS.setdefault(arguments, Lock()):
        return _run(run, arguments)


_LOCKS: dict[tuple[str, ...], Lock] = {}  # of the arguments that were asked for


@cache
def _run(run: Runner, arguments: tuple[str, ...]) -> Results:
    return run(arguments)


class WrongExpression(BristleError):
    """One that has a value in no run."""


def quantity(expression: str, columns: dict[str, np.ndarray]) -> float:
    """The value of an expression over columns (`top.frictionForce` is written top_frictionForce).

    at(a, t): value at a time, interpolated, after a jump; start(a), final(a); largest(a),
    smallest(a), mean(a) (over time); between(a, t0, t1): the part of a column in a time span;
    crossing(a, level, after=0): first time at which a crosses a level; abs, sqrt, sign, where;
    time.
    """
    time = columns["time"]

    def at(a: np.ndarray, t: float) -> Any:
        return np.interp(t, time, a)

    def mean(a: np.ndarray) -> Any:
        return np.trapezoid(a, time) / (time[-1] - time[0])

    def between(a: np.ndarray, t0: float, t1: float) -> np.ndarray:
        return a[(time >= t0) & (time <= t1)]

    def crossing(a: np.ndarray, level: float, after: float = 0.0) -> float:
        above = a > level
        turns = np.flatnonzero((above[1:] != above[:-1]) & (time[1:] >= after))
        if not turns.size:
            raise BristleError(f"{expression}: the level is never crossed.")
        i = turns[0]
        if time[i + 1] == time[i] or a[i + 1] == a[i]:
            return time[i + 1]
        return time[i] + (level - a[i]) / (a[i + 1] - a[i]) * (time[i + 1] - time[i])

    names: dict[str, Any] = {re.sub(r"\W", "_", name): values for name, values in columns.items()}
    names |= {
        "at": at,
        "start": lambda a: a[0],
        "final": lambda a: a[-1],
        "largest": lambda a: np.max(a),
        "smallest": lambda a: np.min(a),
        "mean": mean,
        "between": between,
        "crossing": crossing,
        # numpy's own take places for their results, and other forms of the same
        "abs": lambda a: np.abs(a),
        "sqrt": lambda a: np.sqrt(a),
        "sign": lambda a: np.sign(a),
        "where": lambda condition, a, b: np.where(condition, a, b),
    }
    try:
        with np.errstate(all="ignore"):
            return float(eval(_checked(expression), {"__builtins__": {}}, names))
    except NameError as error:
        found = ", ".join(sorted(names))
        raise WrongExpression(
            f"{expression}: {error.name} is neither a column nor a function; there are {found}."
        ) from None
    except (TypeError, ArithmeticError) as error:
        # the latter of its own numbers alone: columns overflow to infinity
        raise WrongExpression(f"{expression}: {error.args[-1]}.") from None
    except (ValueError, IndexError) as error:
        raise BristleError(f"{expression}: {error}.") from None


def check_expression(expression: str) -> None:
    """Refuses what is not an expression over columns."""
    _checked(expression)


@cache
def _checked(expression: str) -> CodeType:
    """The expression, compiled: names, numbers, arithmetic and calls, but nothing that reaches
    beyond them.

    Numbers are of floating point: a power of whole ones may have more digits than there is memory.
    """
    if len(expression) > _LONGEST:
        raise BristleError(
            f'"{expression[:20]}…" has {len(expression)} characters, more than {_LONGEST}.'
        )
    try:
        tree = ast.parse(expression, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
                node.value = float(node.value)
            elif not isinstance(node, _ALLOWED):
                raise BristleError(
                    f'"{expression}": only names, numbers, arithmetic, comparisons and calls are'
                    " known."
                )
        return compile(tree, "<quantity>", "eval")
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        raise BristleError(f'"{expression}" is not an expression.') from None
