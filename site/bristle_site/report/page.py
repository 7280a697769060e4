"""Writes index.html: tables from here, plots drawn in the browser, everything in one file."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

from bristle import VERSION
from bristle.pages.simplify import kept_rows
from .papers import STATUS, Case
from generator.description import Reference
from generator.page import CONTROLS, PALETTE
from generator.playground import address
from ..frame import head
from ..twins import without_suffix
from .properties import Cell, Property
from .rig import Run
from .sections import Plot, Quantity, Section, in_words, pretty_unit

HERE = Path(__file__).parent
PLAYGROUND = HERE.parents[2] / "playground"  # whose tools and drawings the page uses
ROWS, TOLERANCE = 800, 1.5e-3  # of one line of one plot: a third of a pixel
NOISE = 1e-12  # in SI units: smaller values are rounding, and drawn as zero
LARGE = 1e4  # such a large number at an axis gets the next larger unit
SHOWN_AT_FIRST = 6
MOST_PLOTS = 6
MARKS = {"met": "good", "explained": "note", "open": "bad", "not known": "bad", "missed": "bad"}
SCROLL = 'class="scroll" role="region" tabindex="0"'  # reachable by keyboard


@dataclass(frozen=True)
class Model:
    name: str
    title: str


@dataclass(frozen=True)
class Number:
    """A printed number and ours, or the reason why there is none."""

    case: Case
    ours: float | None
    problem: str = ""

    @property
    def state(self) -> str:
        if self.ours is None or not self.case.is_met(self.ours):
            return "missed"
        return self.case.status or "met"


@dataclass(frozen=True)
class Report:
    models: Sequence[Model]
    sections: Sequence[Section]
    runs: Mapping[str, Sequence[Run]]  # by the id of the section
    numbers: Mapping[str, Sequence[Number]]  # by the id of the section
    properties: Sequence[Property]
    cells: Mapping[str, Sequence[Cell | None]]  # by the name of the model
    references: Mapping[str, Reference]
    playground: str | None = None  # its path from the page, if it exists
    situations: Collection[str] = ()  # systems that it offers


def page_text(report: Report) -> str:
    style = (HERE / "page.css").read_text(encoding="utf-8")
    files = (PLAYGROUND / "tools.js", PLAYGROUND / "drawing.js", HERE / "page.js")
    script = "\n".join(file.read_text(encoding="utf-8") for file in files)
    drawn = {section.id: _plots(section, report.runs[section.id]) for section in report.sections}
    body = "\n".join(_section(report, section, drawn[section.id]) for section in report.sections)
    return f"""{head("Bristle: friction models side by side", PALETTE + CONTROLS + style)}
<body>
<div class="layout">
<aside aria-label="Models">
<div class="brand"><span>≋</span> Bristle {VERSION}</div>
<h2>Models</h2>
<div class="buttons"><button id="all" type="button">all</button><button id="none" type="button">\
none</button></div>
<div class="models">
{_chips(report.models)}
</div>
</aside>
<main>
{_header(report)}
<nav aria-label="Sections"><a href="#properties">What each model can do</a>
{_links(report.sections)}</nav>
{_properties(report)}
{body}
{_not_met(report)}
{_footer(report)}
</main>
</div>
<script id="data" type="application/json">{_data(report, drawn)}</script>
<script>{script}</script>
</body>
</html>
"""


def _header(report: Report) -> str:
    numbers = [number for group in report.numbers.values() for number in group]
    met = sum(number.state == "met" for number in numbers)
    runs = sum(bool(run) for group in report.runs.values() for run in group)
    facts = [
        (str(len(report.models)), "models"),
        (str(len(report.sections)), "situations"),
        (str(runs), "simulations"),
    ]
    if numbers:
        calibrated = sum(number.state == "met" and number.case.calibrated for number in numbers)
        note = f", {calibrated} of them calibrated" if calibrated else ""
        facts.append((f"{met} of {len(numbers)}", f"printed numbers met{note}"))
    items = "".join(f"<li><b>{value}</b>{escape(text)}</li>" for value, text in facts)
    if met < len(numbers):
        items += (
            f'<li><a href="#not-met"><b>{len(numbers) - met}</b>are not met: these, and'
            " why</a></li>"
        )
    return f"""<header>
<h1>Friction models, side by side</h1>
<p>Every model of the library in the benchmark systems of the literature, integrated together with \
the system by
SUNDIALS CVODE through the FMI interface. Select models in the list (double click: only this one), \
drag in a
plot to zoom, double click in it to zoom out, and point at a line to read values.</p>
<ul class="facts">{items}</ul>
</header>"""


def _chips(models: Sequence[Model]) -> str:
    return "\n".join(
        f'<button class="plain chip" type="button" data-model="{model.name}"'
        f' title="{escape(model.title)}">{model.name}</button>'
        for model in models
    )


def _links(sections: Sequence[Section]) -> str:
    return "\n".join(f'<a href="#{section.id}">{escape(section.title)}</a>' for section in sections)


def _properties(report: Report) -> str:
    heads = "".join(
        f'<th title="{escape(one.text)}"><button type="button" class="plain">'
        f"{escape(one.title)}</button></th>"
        for one in report.properties
    )
    rows = "\n".join(
        f"<tr><td><b>{_tried(report, model.name)}</b><small"
        f' data-page="{model.name}">{escape(model.title)}</small></td>'
        + "".join(_cell(cell) for cell in report.cells[model.name])
        + "</tr>"
        for model in report.models
        if any(report.cells[model.name])
    )
    meaning = "".join(
        f"<dt>{escape(one.title)}</dt><dd>{escape(one.text)}</dd>" for one in report.properties
    )
    return f"""<section id="properties">
<h2>What each model can do</h2>
<p>Measured from runs of the rig: on the belt with the surface of Rill's demonstration model 2, else
with that of model 1. What a model needs beyond the paper's values stays at its default. A click on
a title sorts by it.</p>
<div {SCROLL} aria-label="What each model can do"><table class="properties">
<tr><th><button type="button" class="plain">model</button></th>{heads}</tr>
{rows}
</table></div>
<dl class="meaning">{meaning}</dl>
</section>"""


def _tried(report: Report, model: str) -> str:
    """Writes the name of a model, with a link to the playground."""
    if not report.playground:
        return model
    return (
        f'<a href="{report.playground}{address(model)}" title="Try {model} in the'
        f' playground">{model}</a>'
    )


def _play(report: Report, section: Section) -> str:
    """Writes the link to the same situation in the playground, with at most three of the models
    shown at first, or of those that run."""
    one = section.experiment
    if not report.playground or one.system not in report.situations or one.set or one.sets:
        return ""
    running = [run.model for run in report.runs[section.id] if run]
    models = [name for name in running if name in _shown_at_first(report)] or running
    if not models:
        return ""
    link = report.playground + address(models[0], one.system, one.param, *models[1:3])
    return f'<a class="play" href="{escape(link)}">try it live</a>'


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td>–</td>"
    return (
        f"<td>{escape(cell.text)}</td>"
        if cell.verdict == "plain"
        else f'<td><span class="mark {cell.verdict}">{escape(cell.text)}</span></td>'
    )


def _section(report: Report, section: Section, plots: Sequence[Plot]) -> str:
    numbers, runs = report.numbers[section.id], report.runs[section.id]
    models = sorted(
        {without_suffix(number.case.fmu) for number in numbers} & {run.model for run in runs if run}
    )
    button = (
        f'<button class="paper-models" type="button" data-models="{" ".join(models)}">show those'
        " with numbers</button>"
    )
    boxes = "\n".join(
        f"""<div class="plot" id="{section.id}-{i}"><h3>{escape(plot.title)} <span class="save">
<button type="button" class="plain" data-as="png">PNG</button>
<button type="button" class="plain" data-as="svg">SVG</button>
<button type="button" class="plain" data-as="csv">CSV</button></span></h3>
<div class="legend"></div><canvas role="img" aria-label="{escape(plot.title)}"></canvas>
<div class="empty" hidden>None of the selected models runs here.</div>
<div class="tooltip" hidden></div></div>"""
        for i, plot in enumerate(plots)
    )
    known = section.system.parameters.values()
    values = {one.name: one.value for one in known} | dict(section.experiment.param)
    parameters = ", ".join(
        f"{in_words(one.name)} = {values[one.name]:g} {pretty_unit(one.unit)}".rstrip()
        for one in known
    )
    origin = " ".join(
        f"{text}." for text in (section.system.source, parameters and f"With {parameters}") if text
    )
    return f"""<section id="{section.id}">
<h2>{escape(section.title)}</h2>
<p>{escape(section.text)}</p>
<p class="origin">{escape(origin)} {button if models else ""} {_play(report, section)}</p>
<div class="plots">
{boxes}
</div>
{_numbers(report, numbers, section.title)}
{_absent(runs)}
</section>"""


def _not_met(report: Report) -> str:
    """Lists all printed numbers that are not met, with links to their systems."""
    rows = [
        f'<li><span class="mark {MARKS[number.state]}">{number.state}</span> <a'
        f' href="#{section.id}">{escape(section.title)}</a>, {escape(number.case.fmu)}: '
        f"{escape(number.case.what)}."
        f" {escape(f'{number.problem} {number.case.reason}'.strip())}</li>"
        for section in report.sections
        for number in report.numbers[section.id]
        if number.state != "met"
    ]
    return (
        f"""<section id="not-met">
<h2>Printed numbers that are not met</h2>
<p>{" ".join(f"{state.capitalize()}: {escape(text)}." for state, text in STATUS.items())} Missed: \
no run, or not the number it should give.</p>
<ul>{"".join(rows)}</ul>
</section>"""
        if rows
        else ""
    )


def _numbers(report: Report, numbers: Sequence[Number], title: str) -> str:
    if not numbers:
        return ""
    rows = "\n".join(_number_row(report, number) for number in numbers)
    return f"""<div {SCROLL} aria-label="Printed numbers, {escape(title)}"><table class="printed">
<tr><th>printed number</th><th>model</th><th class="number">paper</th><th class="number">ours</th>
<th class="number">deviation</th><th class="number">tolerance</th><th>state</th></tr>
{rows}
</table></div>"""


def _number_row(report: Report, number: Number) -> str:
    case = number.case
    reference = report.references[case.paper]
    cite = (
        f'<a href="https://doi.org/{reference.doi}">{escape(reference.cite)}</a>'
        if reference.doi
        else escape(reference.cite)
    )
    mark = f'<span class="mark {MARKS[number.state]}">{number.state}</span>'
    if case.calibrated and number.state == "met":
        mark += " (calibrated)"
    ours, deviation = (
        ("–", "–")
        if number.ours is None
        else (_value(number.ours, case), _deviation(number.ours, case))
    )
    reason = f"{number.problem} {case.reason}".strip()
    cells = [
        (
            f'<td>{escape(case.what)} <span class="origin">({cite}, {escape(case.where)})</span>'
            f'<p class="reason">{escape(reason)}</p></td>'
        ),
        f"<td>{escape(case.fmu)}</td>",
        f'<td class="number">{escape(case.printed_text)} {_unit(case)}</td>',
        f'<td class="number">{ours}</td>',
        f'<td class="number">{deviation}</td>',
        f'<td class="number">± {case.tolerance:g}</td>',
        f"<td>{mark}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _unit(case: Case) -> str:
    return escape(pretty_unit(case.unit))


def _value(value: float, case: Case) -> str:
    return f"{value:.5g} {_unit(case)}".replace("-", "−")


def _deviation(ours: float, case: Case) -> str:
    difference = ours - case.printed
    share = f" ({difference / case.printed:+.2%})" if case.printed else ""
    return f"{difference:+.3g}{share}".replace("-", "−")


def _absent(runs: Sequence[Run]) -> str:
    items = [f"<li><b>{run.model}</b>: {escape(run.misfit)}</li>" for run in runs if run.misfit]
    items += [f"<li><b>{run.model}</b>: {escape(run.failure)}</li>" for run in runs if run.failure]
    if not items:
        return ""
    return (
        f"<details><summary>Not shown: {len(items)} of {len(runs)}"
        f" models</summary><ul>{''.join(items)}</ul></details>"
    )


def _footer(report: Report) -> str:
    used = {number.case.paper for group in report.numbers.values() for number in group}
    items = "".join(f"<li>{escape(report.references[key].entry)}</li>" for key in sorted(used))
    return f"""<footer>
<details><summary>References</summary><ul>{items}</ul></details>
<p>Bristle {VERSION}, MIT licence.</p>
</footer>"""


def _plots(section: Section, runs: Sequence[Run]) -> list[Plot]:
    """Lists the plots of a section whose columns at least one run has: each pair of columns once,
    and not too many."""
    known: dict[tuple[str, str], Plot] = {}
    for plot in section.plots:
        pair = (plot.x.column, plot.y.column)
        if any(set(pair) <= run.columns.keys() for run in runs):
            known.setdefault(pair, plot)
    return list(known.values())[:MOST_PLOTS]


def _data(report: Report, drawn: Mapping[str, Sequence[Plot]]) -> str:
    shown = _shown_at_first(report)
    content = {
        "models": [{"name": model.name, "shown": model.name in shown} for model in report.models],
        "sections": [
            {
                "id": section.id,
                "title": section.title,
                "models": _models_of(report, section, shown),
                "plots": [
                    _drawing(plot, [run for run in report.runs[section.id] if run])
                    for plot in drawn[section.id]
                ],
            }
            for section in report.sections
        ],
    }
    return json.dumps(content, separators=(",", ":")).replace("</", "<\\/")


def _models_of(report: Report, section: Section, shown: set[str]) -> list[str]:
    """Returns the models that a section shows if none of the default ones runs in it: those with
    printed numbers, otherwise the first ones."""
    running = [run.model for run in report.runs[section.id] if run]
    if shown & set(running):
        return []
    printed = [
        name
        for name in running
        if any(without_suffix(number.case.fmu) == name for number in report.numbers[section.id])
    ]
    return (printed or running)[:SHOWN_AT_FIRST]


def _drawing(plot: Plot, runs: Sequence[Run]) -> dict[str, object]:
    """Returns a plot with its lines, each thinned out by itself, in SI units."""
    lines = {
        run.model: _line(run, plot, plot.y.column)
        for run in runs
        if {plot.x.column, plot.y.column} <= run.columns.keys()
    }
    reference = next(
        (
            _line(run, plot, plot.reference)
            for run in runs
            if plot.reference and plot.reference in run.columns
        ),
        None,
    )
    x, y = (
        quantity.readable(_largest(runs, plot, quantity.column), LARGE)
        for quantity in (plot.x, plot.y)
    )
    limits = plot.range and [value * x.factor / plot.x.factor for value in plot.range]
    options = {"reference": reference, "range": limits}
    return {"x": _axis(x), "y": _axis(y), "lines": lines} | {
        name: value for name, value in options.items() if value
    }


def _axis(quantity: Quantity) -> dict[str, object]:
    return {"column": quantity.column, "factor": quantity.factor, "label": quantity.label}


def _largest(runs: Sequence[Run], plot: Plot, column: str) -> float:
    """Returns the largest value of a column in the part shown at first."""
    largest = 0.0
    for run in runs:
        if {column, plot.x.column} <= run.columns.keys():
            values, along = np.abs(run.columns[column]), run.columns[plot.x.column] * plot.x.factor
            inside = (
                (along >= plot.range[0]) & (along <= plot.range[1])
                if plot.range
                else np.full(len(along), True)
            )
            largest = max(largest, float(values[inside].max(initial=0.0)))
    return largest


def _shown_at_first(report: Report) -> set[str]:
    """Returns all models if they are few, otherwise those with the most printed numbers."""
    if len(report.models) <= SHOWN_AT_FIRST + 2:
        return {model.name for model in report.models}
    counts = {model.name: 0 for model in report.models}
    for group in report.numbers.values():
        for number in group:
            if number.case.fmu in counts:
                counts[number.case.fmu] += 1
    return set(sorted(counts, key=lambda name: (-counts[name], name))[:SHOWN_AT_FIRST])


def _line(run: Run, plot: Plot, column: str) -> list[str]:
    """Packs x and y of a line, with as many rows as it needs, as little-endian floats."""
    pair = [run.columns[plot.x.column], run.columns[column]]
    close = (
        [np.clip(pair[0], plot.range[0] / plot.x.factor, plot.range[1] / plot.x.factor)]
        if plot.range
        else []
    )
    rows = kept_rows(run.columns["time"], [_quiet(one) for one in pair + close], ROWS, TOLERANCE)
    return [base64.b64encode(_quiet(one)[rows].astype("<f4").tobytes()).decode() for one in pair]


def _quiet(column: np.ndarray) -> np.ndarray:
    return np.where(np.abs(column) < NOISE, 0.0, column)
