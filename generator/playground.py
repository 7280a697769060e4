"""Writes dist/playground/index.html: one file with all models as WebAssembly, and their
descriptions."""

from __future__ import annotations

import base64
import itertools
import json
import math
import tomllib
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

from bristle import VERSION, BristleError
from bristle.format.parameter_set import ParameterSet
from bristle.format.facts import MODEL_KINDS
from .description import Description, Variable
from .page import CONTROLS, PALETTE, equations_html, range_text, symbol_html
from .parameter_sets import parameter_sets
from .project import Project, twins_of
from .reading import read_description
from .xml3 import references

# of the page, each after those that it needs
SCRIPTS = (
    "tools module slot drawing plot scene situation parameters host picker verdict address take"
    " page"
).split()
SITUATION_KEYS: dict[str, type | tuple[type, ...]] = {
    "system": str,
    "title": str,
    "summary": str,
    "pace": (int, float),
    "window": (int, float),
    "endless": bool,
}
GUIDE_KEYS = {"title": str, "text": str, "address": str}
SPAN = 30.0  # a slider spans the start value divided and multiplied by this
LINE = 3.0  # one that includes zero spans this many times the nominal size to either side


def write_playground(
    folder: Path,
    descriptions: Path,
    generated: Path,
    module: Path,
    out: Path,
    elements: Collection[str],
) -> None:
    """Assembles the page from the parts in `folder`; the module has these elements."""
    described = [one for one in _described(descriptions) if one.name in elements]
    models = [
        _model(one, generated, folder.parent / "resources")
        for one in described
        if one.kind != "load"
    ]
    catalogue = {
        "version": VERSION,
        "situations": situations(folder),
        "guide": _entries(folder, "guide", GUIDE_KEYS),
        "kinds": [{"name": name, "caption": caption} for name, caption in MODEL_KINDS.items()],
        "models": models,
        "loads": [_element(one, generated) for one in described if one.kind == "load"],
    }
    page = (folder / "page.html").read_text(encoding="utf-8")
    parts = {
        "style": PALETTE + CONTROLS + (folder / "page.css").read_text(encoding="utf-8"),
        "catalogue": _packed(
            json.dumps(catalogue, separators=(",", ":"), ensure_ascii=False).encode()
        ),
        "module": _packed(module.read_bytes()),
        "script": "\n".join(
            (folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS
        ),
        "version": escape(VERSION),
    }
    for name, text in parts.items():
        mark = f"@{name}@"
        if mark not in page:
            raise BristleError(f"{folder / 'page.html'}: there is no {mark}.")
        page = page.replace(mark, text)
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_suffix(".part")
    part.write_text(page, encoding="utf-8", newline="\n")
    part.replace(out)


def _described(descriptions: Path) -> Iterator[Description]:
    """Yields every model, followed by its twins."""
    for file in Project(descriptions.parent).descriptions:
        yield read_description(file)
        for name in twins_of(file):
            yield read_description(file, name.removeprefix(file.stem))


def _packed(data: bytes) -> str:
    """Packs data for the browser's own decompression: raw deflate, in base 64."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(packer.compress(data) + packer.flush()).decode()


def address(
    model: str, situation: str | None = None, settings: Iterable[tuple[str, float]] = (), *more: str
) -> str:
    """Returns the fragment of an address that opens the page with these models, in a situation with
    these settings."""
    pairs = [("situation", situation)] if situation else []
    pairs += [(name, repr(value)) for name, value in settings]
    return "#" + urlencode([*pairs, *((str(i), name) for i, name in enumerate((model, *more), 1))])


def situations(folder: Path) -> list[dict[str, Any]]:
    """Reads the situations that the page offers, from the file in its folder."""
    return _entries(folder, "situation", SITUATION_KEYS)


def _entries(folder: Path, table: str, keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    file = folder / "situations.toml"
    entries = tomllib.loads(file.read_text(encoding="utf-8")).get(table, [])
    for i, entry in enumerate(entries, 1):
        for key, kind in keys.items():
            if not isinstance(entry.get(key), kind):
                raise BristleError(f"{file}: {table} {i}: {key} is missing or of the wrong kind.")
    return entries


def _element(description: Description, generated: Path) -> dict[str, Any]:
    """Returns what the coupling needs of an element."""
    xml = generated / description.name / "modelDescription.xml"
    return {
        "name": description.name,
        "guid": ElementTree.parse(xml).getroot().get("guid"),
        "indicators": description.indicators,
        "variables": list(_variables(description)),
    }


def _model(description: Description, generated: Path, resources: Path) -> dict[str, Any]:
    sets, coupling = parameter_sets(description, resources), description.coupling
    return _element(description, generated) | {
        "title": description.title,
        "kind": description.kind,
        "isTwin": description.name != description.model,
        "otherForms": (
            twins_of(description.file)
            if description.name == description.model
            else [description.model]
        ),
        # its mass in a host with a fixed step
        "couplingMass": coupling and references(description)[coupling.mass.name],
        "summary": " ".join(description.summary.split()),
        "choose": description.choose[0] if description.choose else "",
        "notModelled": list(description.not_modelled),
        "equations": equations_html(description, linked=False),
        "parameters": list(_parameters(description, sets)),
        "options": list(_options(description)),
        "modes": {
            name: [item for item, _ in mode.items]
            for mode in description.mode_outputs
            for name in mode.scalar_names
        },
        "sets": [
            {"name": one.name, "title": one.title, "source": one.source, "values": one.values}
            for one in sets
        ],
    }


def _variables(description: Description) -> Iterator[list[Any]]:
    """Yields all variables for the coupling, in the order of their value references: name, unit,
    type, causality, minimum, maximum, state of a rate."""
    kinds = (
        ("parameter", description.parameters),
        ("input", description.inputs),
        ("local", description.states),
        ("local", description.derivatives),
        ("output", description.all_outputs),
    )
    first_state = 1 + sum(entry.count for entry in description.parameters + description.inputs)
    states = itertools.count(first_state)
    for causality, entries in kinds:
        for entry in entries:
            for name in entry.scalar_names:
                state = next(states) if entry in description.derivatives else 0
                yield [name, entry.unit.name, "Real", causality, *_limits(entry), state]
    for mode in description.mode_outputs:
        for name in mode.scalar_names:
            yield [name, mode.type_name, "Enumeration", "output", None, None, 0]
    for option in description.options:
        for name in option.scalar_names:
            yield [name, "", "Integer", "parameter", 1, option.largest, 0]


def _limits(entry: Variable) -> tuple[float | None, float | None]:
    """Returns the bounds of modelDescription.xml: numbers only."""
    low = [
        b.limit
        for b in entry.bounds
        if b.relation in ("at_least", "above") and not isinstance(b.limit, str)
    ]
    high = [
        b.limit
        for b in entry.bounds
        if b.relation in ("at_most", "below") and not isinstance(b.limit, str)
    ]
    return (max(low) if low else None, min(high) if high else None)


def _parameters(description: Description, sets: Sequence[ParameterSet]) -> Iterator[dict[str, Any]]:
    """Yields the parameters that matter in model exchange."""
    places = references(description)
    starts = [state.start_parameter for state in description.states]
    for entry in description.parameters:
        if entry == description.body:
            continue
        factor = entry.unit.displays[entry.display] if entry.display else 1.0
        for i, name in enumerate(entry.scalar_names):
            yield {
                "name": name,
                "symbol": symbol_html(entry),
                "index": i + 1 if entry.size else 0,
                "unit": entry.display or entry.unit.name,
                "factor": factor,
                "start": entry.starts[i],
                "range": range_text(entry, factor),
                "fixed": entry in starts,  # matters at the start of a run only
                "text": entry.text,
                "reference": places[entry.name] + i,
                "slider": _slider(
                    entry, entry.starts[i], [one.values[name] for one in sets if name in one.values]
                ),
            }


def _slider(entry: Variable, start: float, others: Sequence[float]) -> dict[str, Any]:
    """Returns the range of a slider, logarithmic if the value has one sign. It includes all
    parameter sets."""
    low, high = _limits(entry)
    known = [start, *others]
    positive = [value for value in known if value > 0]
    if low is not None and low >= 0 and start > 0:
        if all(value > 0 for value in known):
            bottom, top = min(positive) / SPAN, max(positive) * SPAN
            return {
                "log": True,
                "low": _nice(max(bottom, low)),
                "high": _nice(top if high is None else min(top, high)),
            }
        return {
            "log": False,
            "low": low,
            "high": high if high is not None else LINE * max(positive),
        }
    size = max([abs(value) for value in known if value] or [entry.nominal or 1.0])
    bottom = -LINE * size if low is None else low
    return {"log": False, "low": bottom, "high": LINE * size if high is None else high}


def _nice(value: float) -> float:
    return float(f"{value:.2g}") if math.isfinite(value) else value


def _options(description: Description) -> Iterator[dict[str, Any]]:
    """Yields the options that matter in model exchange: those with items; integers matter in
    co-simulation only."""
    places, coupling = references(description), description.coupling
    for option in description.options:
        if option.items and not (coupling and option == coupling.timing):
            yield {
                "name": option.name,
                "text": option.text,
                "start": option.start,
                "reference": places[option.name],
                "items": [{"name": name, "text": text} for name, text in option.items],
            }
