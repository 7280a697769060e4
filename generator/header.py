"""Writes the C header of a model: structs, sizes and, for the FMI layer, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .description import Choice, Description, Variable
from .frame import renames

RULES = {
    "at_least": "RULE_AT_LEAST",
    "above": "RULE_ABOVE",
    "at_most": "RULE_AT_MOST",
    "below": "RULE_BELOW",
}


def types_text(description: Description) -> str:
    """Writes the structs and enumerators for a model's C file."""
    names = renames(description)
    law = [
        (name, entries)
        for name, entries in (
            ("Inputs", description.law.inputs),
            ("Outputs", description.law.outputs),
        )
        if name in names
    ]
    blocks = [
        _enumerators(choice) for choice in description.modes + description.options if choice.items
    ]
    blocks += [
        _struct("Parameters", "double", description.parameters),
        _struct("Inputs", "double", description.inputs),
        _struct("States", "double", description.states),
        _struct("Outputs", "double", description.outputs),
        _struct("Modes", "int", description.modes + description.options),
        *(_struct(names[name], "double", entries) for name, entries in law),
    ]
    return "\n".join(blocks)


def header_text(description: Description, functions: Iterable[str]) -> str:
    """Writes the whole header; `functions` are the names that the model's C file defines."""
    guard = f"BRISTLE_{description.name.upper()}_H"
    return f"""/* {description.title}. Generated from its description. */
#ifndef {guard}
#define {guard}

#define HAS_INITIALIZE {int("initialize" in functions)}
#define HAS_CHECK {int("check" in functions)}
#define HAS_CHECK_INPUTS {int("check_inputs" in functions)}
#define HAS_CONSTRAIN {int("constrain" in functions)}
#define HAS_RESOLUTION {int("resolution" in functions)}
#define HAS_APPROACH {int("approach" in functions)}
#define HAS_ADVICE {int("advice" in functions)}
#define LINEAR_STATES {int(description.linear_states)}
#define HAS_COUPLING {int(description.coupling is not None)}

{types_text(description)}
{_sizes(description)}
#ifdef BRISTLE_TABLES

{_tables(description)}
#endif

#endif
"""


def counts(description: Description) -> dict[str, int]:
    """Returns the sizes of the model, by their names in C."""
    sizes = {
        "N_PARAMETERS": _count(description.parameters),
        "N_INPUTS": _count(description.inputs),
        "N_STATES": _count(description.states),
        "N_OUTPUTS": _count(description.outputs),
        "N_OBSERVED": _count(description.observed),
        "N_MODES": _count(description.modes),
        "N_MODE_OUTPUTS": _count(description.mode_outputs),
        "N_OPTIONS": _count(description.options),
        "N_INDICATORS": description.indicators,
        "N_RULES": len(_rules(description)),
    }
    return sizes | {"N_REALS": _count(description.reals)}


def _count(entries: Sequence[Variable] | Sequence[Choice]) -> int:
    return sum(entry.count for entry in entries)


def _struct(name: str, number: str, entries: Sequence[Variable] | Sequence[Choice]) -> str:
    members = [
        f"    {number} {_member(entry)}; /* {entry.name}{_unit(entry)} */" for entry in entries
    ]
    return "\n".join(["typedef struct {", *(members or [f"    {number} none;"]), f"}} {name};", ""])


def _member(entry: Variable | Choice) -> str:
    return entry.symbol if entry.size is None else f"{entry.symbol}[{entry.size}]"


def _unit(entry: Variable | Choice) -> str:
    return f" [{entry.unit.name}]" if isinstance(entry, Variable) else ""


def _enumerators(choice: Choice) -> str:
    items = [
        f"    {enumerator(choice, item)} = {i}, /* {text} */"
        for i, (item, text) in enumerate(choice.items, 1)
    ]
    return "\n".join(["enum {", *items, "};", ""])


def enumerator(choice: Choice, item: str) -> str:
    """Returns the C name of an item: Stick of the mode becomes MODE_STICK."""
    return f"{choice.symbol}_{item}".upper()


def _sizes(description: Description) -> str:
    lines = [f"    {name} = {value}," for name, value in counts(description).items()]
    return "\n".join(["enum {", *lines, *_coupling_places(description), "};", ""])


def _coupling_places(description: Description) -> list[str]:
    """Writes the places in the structs of the variables that close the loop over the body; -1 for
    none."""
    coupling = description.coupling
    if coupling is None:
        place = _place(description.parameters, description.body)
        nothing = [f"    COUPLED_{what} = -1," for what in ("VELOCITY", "LOAD", "FORCE")]
        return [*nothing, f"    COUPLED_MASS = {place},", "    N_AXES = 0,"]
    places = {
        "COUPLED_VELOCITY": _place(description.inputs, coupling.velocity),
        "COUPLED_LOAD": _place(description.inputs, coupling.load),
        "COUPLED_NORMAL": _place(description.inputs, coupling.normal),
        "COUPLED_FORCE": _place(description.outputs, coupling.force),
        "OPPOSED_FORCE": _place(description.outputs, coupling.opposed),
        "COUPLED_COEFFICIENT": _place(description.outputs, coupling.proportional[0]),
        "COUPLED_MASS": _place(description.parameters, description.body),
        "COUPLED_LIMIT": _place(description.parameters, coupling.limit),
        "COUPLED_RATIO": _place(description.parameters, coupling.ratio),
        "COUPLED_REST": _place(description.parameters, coupling.rest),
        "COUPLED_PRELOAD": _place(description.parameters, coupling.preload),
        "COUPLED_LEVER": _place(description.parameters, coupling.lever),
        "NORMAL_FORCE_INPUT": _place(description.inputs, coupling.normal_force),
        "NORMAL_FORCE_OUTPUT": _place(description.outputs, coupling.normal_force),
        "N_AXES": coupling.velocity.count,
    }
    return [f"    {name} = {value}," for name, value in places.items()]


def _place(entries: Sequence[Variable], wanted: Variable | None) -> int:
    return _count(entries[: entries.index(wanted)]) if wanted in entries else -1


def _tables(description: Description) -> str:
    tables = [
        _names("real_names", description.reals),
        _table("const unsigned char", "array_sizes", _array_sizes(description)),
        _table(
            "const double",
            "state_nominals",
            [_nominal(x) for x in description.states for _ in range(x.count)],
        ),
        _table("const Rule", "rules", _rules(description), empty="{0, 0, -1, 0}"),
        _table("const int", "mode_output", _mode_places(description)),
        _names("mode_names", description.modes),
        _texts("mode_items", [item for mode in description.modes for item, _ in mode.items]),
        _table("const int", "mode_first_item", _first_items(description)),
        _table(
            "const int",
            "mode_item_count",
            [str(len(m.items)) for m in description.modes for _ in range(m.count)],
        ),
        _names("option_names", description.options),
        _table(
            "const int",
            "option_largest",
            [str(o.largest) for o in description.options for _ in range(o.count)],
        ),
    ]
    coupling, outputs = description.coupling, description.outputs
    if coupling:
        for name, entries in (
            ("proportional", coupling.proportional),
            ("powers", [one for one in (coupling.power, coupling.heat) if one]),
        ):
            tables.append(
                _table(
                    "const int", name, [str(_place(outputs, one)) for one in entries], empty="-1"
                )
            )
    return (
        '#include "core/defaults.h"\n#include "core/rule.h"\n#include "own_defaults.h"\n\n'
        + "\n".join(tables)
    )


def _table(kind: str, name: str, values: Sequence[str], empty: str = "0") -> str:
    """Writes a table in C; an empty one gets an unused value, since C has no empty arrays."""
    rows = [f"    {value}," for value in values or [empty]]
    return "\n".join([f"static {kind} {name}[{len(rows)}] = {{", *rows, "};", ""])


def _names(table: str, entries: Sequence[Variable] | Sequence[Choice]) -> str:
    return _texts(table, [name for entry in entries for name in entry.scalar_names])


def _texts(table: str, names: Sequence[str]) -> str:
    """Writes a table of strings without pointers, so that loading the library needs no
    relocations."""
    names = names or [""]
    rows = [f'    "{name}",' for name in names]
    width = max(len(name) for name in names) + 1
    return "\n".join([f"static const char {table}[{len(names)}][{width}] = {{", *rows, "};", ""])


def _array_sizes(description: Description) -> list[str]:
    """Returns for each value reference the size of the variable that begins there; 0 inside a
    variable."""
    reals, choices = description.reals, description.mode_outputs + description.options
    entries: list[Variable | Choice] = [*reals, *choices]
    return [str(entry.count if i == 0 else 0) for entry in entries for i in range(entry.count)]


def _nominal(entry: Variable) -> str:
    return repr(float(entry.nominal or 1))


def _mode_places(description: Description) -> list[str]:
    """Returns for each exposed mode its place among the ints of Modes."""
    exposed = [mode.output for mode in description.modes for _ in range(mode.count)]
    return [str(place) for place, output in enumerate(exposed) if output]


def _first_items(description: Description) -> list[str]:
    """Returns for each mode the place of its first item among those of all modes."""
    places, place = [], 0
    for mode in description.modes:
        places += [str(place)] * mode.count
        place += len(mode.items)
    return places


def _rules(description: Description) -> list[str]:
    first: dict[str, tuple[int, Variable]] = {}
    place = 0
    for entry in description.parameters:
        first[entry.name] = (place, entry)
        place += entry.count
    rows = []
    for start, entry in first.values():
        for bound in entry.bounds:
            for i in range(entry.count):
                rows.append(
                    f"{{{start + i}, {RULES[bound.relation]}, {_limit(bound.limit, i, first)}}}"
                )
    return rows


def _limit(limit: float | str, i: int, first: dict[str, tuple[int, Variable]]) -> str:
    if not isinstance(limit, str):
        return f"-1, {limit!r}"
    place, other = first[limit]
    return f"{place + (i if other.size else 0)}, 0"
