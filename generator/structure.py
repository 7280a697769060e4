"""Computes ModelStructure, which variable depends on which, from the model's C code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .description import Choice, Description, Variable


@dataclass(frozen=True)
class Structure:
    """The names of the knowns that each unknown depends on."""

    running: dict[str, frozenset[str]]  # outputs and derivatives, on inputs and states
    # outputs, derivatives and event indicators, also on tunable parameters, which FMI 3.0 counts
    # among the knowns of a run
    tuned: dict[str, frozenset[str]]
    initial: dict[str, frozenset[str]]  # outputs, states and derivatives, on inputs and parameters


def indicator_names(description: Description) -> list[str]:
    """Returns the names of the event indicators, which are variables in FMI 3.0."""
    return [f"eventIndicator{i + 1}" for i in range(description.indicators)]


def model_structure(description: Description, code: Mapping[str, Iterable[str]]) -> Structure:
    """Computes the structure from the dependencies of the code: {"dx.z": {"p.sigma0", "u.v",
    "x.z"}, …, "init.z": {"p.z_start"}}.

    Between events modes are constant. At the start they are unknown, and what depends on them
    depends on everything they are computed from: that of "start.dx.z" if the code has it, otherwise
    everything known then.
    """
    names = _names(description)
    inputs, states, parameters = (_scalars(group) for group in _knowns(description))
    options = frozenset(name for option in description.options for name in option.scalar_names)
    # Read by no law, although one that passes all its parameters to a companion seems to.
    hidden = frozenset(description.body.scalar_names if description.body else ())
    hidden |= frozenset(option.name for option in description.options if not option.items)
    hidden |= frozenset([description.coupling.timing.name]) if description.coupling else frozenset()
    everything = (inputs | parameters | options) - hidden

    running: dict[str, frozenset[str]] = {}
    initial: dict[str, frozenset[str]] = {}
    at_start: dict[str, frozenset[str]] = {}
    for member, roots in code.items():
        if member.startswith("g["):
            continue
        known = frozenset(names[root] for root in roots) - hidden
        if member.startswith("init."):
            initial[names["x" + member.removeprefix("init")]] = known
        elif member.startswith("start."):
            at_start[names[member.removeprefix("start.")]] = known
        else:
            running[names[member]] = known
    for unknown, known in running.items():
        through_states = frozenset().union(*(initial.get(name, {name}) for name in known))
        initial[unknown] = at_start.get(
            unknown, through_states | everything if description.modes else through_states
        )
    for i, name in enumerate(indicator_names(description)):
        found = code.get(f"g[{i}]")
        running[name] = (
            inputs | states | everything
            if found is None
            else frozenset(names[root] for root in found) - hidden
        )
    for output in description.observed:
        for name in output.scalar_names:
            # it changes with every step, from the observations of earlier steps
            running[name] = initial[name] = frozenset()
    for mode in (name for entry in description.mode_outputs for name in entry.scalar_names):
        running[mode] = inputs | states | everything
        initial[mode] = at_start.get(mode, everything)
    tunable = inputs | states | _scalars(description.tunable)
    return Structure(
        {unknown: known & (inputs | states) for unknown, known in running.items()},
        {unknown: known & tunable for unknown, known in running.items()},
        initial,
    )


def _knowns(description: Description) -> tuple[tuple[Variable, ...], ...]:
    return description.inputs, description.states, description.parameters


def _scalars(entries: Iterable[Variable]) -> frozenset[str]:
    return frozenset(name for entry in entries for name in entry.scalar_names)


def _names(description: Description) -> dict[str, str]:
    """Returns the variable behind each member of the C structs."""
    groups: dict[str, tuple[Variable | Choice, ...]] = {
        "p": description.parameters,
        "u": description.inputs,
        "x": description.states,
        "y": description.outputs,
        "m": description.modes + description.options,
    }
    names: dict[str, str] = {}
    for struct, entries in groups.items():
        for entry in entries:
            members = (
                [entry.symbol]
                if entry.size is None
                else [f"{entry.symbol}[{i}]" for i in range(entry.size)]
            )
            names |= {
                f"{struct}.{member}": name
                for member, name in zip(members, entry.scalar_names, strict=True)
            }
    rates = {
        f"d{member}": f"der({name})" for member, name in names.items() if member.startswith("x.")
    }
    return names | rates
