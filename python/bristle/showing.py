"""The text of `bristle show` and print(bristle.describe(…))."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

from .format.archive import opened, platforms
from .format.facts import IN_WORDS
from .format.formulas import plain
from .format.page_parts import numbers_text
from .format.parameter_set import document
from .library import Model, Variable

WIDTH = 100
NARROWEST = 30  # of a column of sentences


def text_of(model: Model, width: int = WIDTH) -> str:
    """Writes everything on its page but the pictures."""
    facts = model.facts
    sections = {
        "Choose it if": _list(facts.choose, width),
        "Not for": _list(facts.not_modelled, width),
        "Inputs": _table(map(_input, groups(model.inputs)), width),
        "Outputs": _table(
            ((_name(group), _unit(group), _sentence(group[0])) for group in groups(model.outputs)),
            width,
        ),
        "Parameters: default, unit, range": _table(
            (_parameter(model, group) for group in groups(model.parameters)), width
        ),
        "Parameter sets": _table(parameter_sets(model).items(), width),
        "Equations": "\n".join(_equation(one, width) for one in facts.equations),
        "Energy": _wrapped(f"{facts.passivity()} {facts.energy}", width, "  "),
    }
    if not facts.law:
        del sections["Energy"]  # an FMU of another tool lacks this
    filled = [f"{title}\n{body}" for title, body in sections.items() if body]
    return "\n\n".join([_head(model, width), *filled])


def groups(variables: Sequence[Variable]) -> list[list[Variable]]:
    """Groups the elements of each vector; a scalar is a group of its own."""
    found: dict[str, list[Variable]] = {}
    for one in variables:
        found.setdefault(one.base, []).append(one)
    return list(found.values())


def parameter_sets(model: Model) -> dict[str, str]:
    """Returns the parameter sets in the FMU: a description by name."""
    with opened(model.file) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".ssv"))
        roots = [document(archive.read(name), f"{model.file}: {name}") for name in names]
    return {root.get("name", ""): root.get("description", "") for root in roots}


def _head(model: Model, width: int) -> str:
    with opened(model.file) as archive:
        runs_on = ", ".join(platforms(archive.namelist()))
    states = len(model.states)
    kind = [model.facts.kind, f"{states} state{'' if states == 1 else 's'}", runs_on]
    usual = [model.facts.roles.get(role) for role in ("normal_force", "velocity")]
    given = ", ".join(name for name in usual if name in {one.base for one in model.inputs})
    asks = f"Needs {', '.join(filter(None, [given, *model.needs])) or 'no input'}."
    lines = [f"{model.name}: {model.title}", f"({'; '.join(filter(None, kind))})", asks]
    if model.facts.summary:
        lines += ["", _wrapped(model.facts.summary, width)]
    return "\n".join(lines)


def _list(texts: Iterable[str], width: int) -> str:
    return "\n".join(_wrapped(text, width, "  - ", "    ") for text in texts)


def _wrapped(text: str, width: int, first: str = "", more: str | None = None) -> str:
    lines = wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=first if more is None else more,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def _table(rows: Iterable[Sequence[str]], width: int) -> str:
    """Writes columns side by side; the last one, of sentences, is wrapped, and goes below the
    others where there is no room beside them."""
    rows = list(rows)
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    indent = 2 + sum(widths) + 2 * len(widths)
    lines = []
    for *cells, text in rows:
        start = "  " + "".join(f"{cell:{size}}  " for cell, size in zip(cells, widths, strict=True))
        if width - indent >= NARROWEST:
            lines.append(_wrapped(text, width, start, " " * indent) or start.rstrip())
        else:
            lines += [start.rstrip(), *([_wrapped(text, width, "      ")] if text else [])]
    return "\n".join(lines)


def _name(group: list[Variable]) -> str:
    return group[0].base + (f"[1…{len(group)}]" if group[0].name != group[0].base else "")


def _unit(group: list[Variable]) -> str:
    return "" if group[0].unit in (None, "1") else group[0].unit


def _sentence(one: Variable) -> str:
    """Returns the description of a variable without the unit, which is there for tools that show no
    other."""
    return one.text.removesuffix(f" [{one.unit}]")


def _default(group: list[Variable]) -> str:
    first = group[0]
    if first.start is None:
        return ""
    return (
        first.items[int(first.start) - 1]
        if first.items
        else numbers_text([one.start or 0 for one in group])
    )


def _input(group: list[Variable]) -> tuple[str, ...]:
    return _name(group), _default(group), _unit(group), _sentence(group[0])


def _parameter(model: Model, group: list[Variable]) -> tuple[str, ...]:
    first, unit = group[0], _unit(group)
    return _name(group), f"{_default(group)} {unit}".strip(), limits(model, first), _sentence(first)


def limits(model: Model, one: Variable) -> str:
    """Writes the limits of a value: items of an option, or bounds, which may be other
    parameters."""
    if one.items:
        return " or ".join(one.items)
    found = {"at_least": one.min, "at_most": one.max}
    words = {relation: f"{limit:g}" for relation, limit in found.items() if limit is not None}
    words |= model.facts.rules.get(one.base, {})
    return ", ".join(
        f"{IN_WORDS[relation]} {words[relation]}" for relation in IN_WORDS if relation in words
    )


def _equation(one: dict[str, str], width: int) -> str:
    source = f" [{one['source']}]" if one["source"] else ""
    return "\n".join(
        [
            _wrapped(f"{one['text']}{source}", width, "  "),
            _wrapped(plain(one["latex"]), width, "      ", "        "),
        ]
    )
