"""Checks a description as a whole: names that importers can use, defaults within their bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bristle.format.names import mangled, taken_symbol, taken_variable
from bristle.format.facts import IN_WORDS
from ..description import Bound, Choice, Description, Variable
from .files import Sources

HOLDS = {
    "at_least": lambda value, limit: value >= limit,
    "above": lambda value, limit: value > limit,
    "at_most": lambda value, limit: value <= limit,
    "below": lambda value, limit: value < limit,
}


def check_names(sources: Sources, description: Description) -> None:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", description.name):
        raise sources.error(
            "",
            "the name of the file has to be a capitalised word, it becomes the name of the model",
        )
    seen: dict[str, str] = {}
    symbols: dict[str, str] = {}
    for table, entry in _named(description):
        path = f"{table}.{entry.name}"
        if reason := taken_variable(entry.name):
            raise sources.error(path, reason)
        if reason := taken_symbol(entry.symbol):
            raise sources.error(f"{path}.symbol", reason)
        if entry.symbol in symbols:
            raise sources.error(
                f"{path}.symbol",
                f'"{entry.symbol}" is the symbol of {symbols[entry.symbol]} too',
            )
        symbols[entry.symbol] = entry.name
        generated = [entry]
        if isinstance(entry, Variable) and entry.derivative and entry.start_parameter:
            generated += [entry.derivative, entry.start_parameter]
        for scalar in (scalar for one in generated for scalar in one.scalar_names):
            if mangled(scalar) in seen:
                raise sources.error(path, _collision(scalar, seen[mangled(scalar)]))
            seen[mangled(scalar)] = scalar


def _collision(name: str, other: str) -> str:
    if name == other:
        return f'"{name}" occurs twice'
    return f'"{name}" and "{other}" become the same name in OpenModelica'


def _named(description: Description) -> Iterator[tuple[str, Variable | Choice]]:
    """Yields the variables that the description itself names, without generated ones, each with its
    table."""
    own_parameters = description.parameters[: len(description.parameters) - len(description.states)]
    yield from (("parameters", entry) for entry in own_parameters)
    yield from (("parameters", entry) for entry in description.options)
    yield from (("inputs", entry) for entry in description.inputs)
    yield from (("states", entry) for entry in description.states)
    yield from (("outputs", entry) for entry in description.all_outputs)
    yield from (("modes", entry) for entry in description.modes)


def check_bounds(sources: Sources, description: Description) -> None:
    parameters = {entry.name: entry for entry in description.parameters}
    starts = {
        state.start_parameter.name: state.name
        for state in description.states
        if state.start_parameter
    }
    for entry in description.parameters + description.inputs:
        table = (
            "inputs"
            if entry in description.inputs
            else "states"
            if entry.name in starts
            else "parameters"
        )
        path = f"{table}.{starts.get(entry.name, entry.name)}"
        for rule in entry.bounds:
            limits = _limits(sources, path, entry, rule, parameters)
            for start, limit in zip(entry.starts, limits, strict=True):
                if not HOLDS[rule.relation](start, limit):
                    words = rule.limit if isinstance(rule.limit, str) else f"{rule.limit:g}"
                    raise sources.error(
                        f"{path}.start", f"{start:g} is not {IN_WORDS[rule.relation]} {words}"
                    )


def _limits(
    sources: Sources, path: str, entry: Variable, bound: Bound, parameters: dict[str, Variable]
) -> tuple[float, ...]:
    """Returns the limit for each scalar of a variable."""
    if not isinstance(bound.limit, str):
        return (bound.limit,) * entry.count
    key = f"{path}.{bound.relation}"
    if bound.limit not in parameters:
        raise sources.error(key, f'"{bound.limit}" is not a parameter of this model')
    other = parameters[bound.limit]
    if other.unit.exponents != entry.unit.exponents:
        raise sources.error(
            key, f"{entry.unit.name} cannot be compared with {other.unit.name} of {other.name}"
        )
    if other.size not in (None, entry.size):
        raise sources.error(key, f"{other.name} has another size")
    return other.starts if other.size else other.starts * entry.count
