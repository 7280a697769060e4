"""Writes the page of an identification: numbers, pictures and doubts in one file that needs no
network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import VERSION
from ...pages.sheet import figure, paragraph, sentences, sheet, table
from ...pages.svg import Line, Panel, bars, drawing
from ..fit.candidates import DELAY, LOW_PASS, Candidate
from ..fit.intervals import GEARS
from ..fit.result import Estimate, Fit
from ..fit.ranking import Ranking
from ..fit.statistics import Quality
from ..record.reading import Record
from .words import (
    HEADS,
    ranking_rows,
    doubts,
    interval_text,
    quality_text,
    starts_text,
    unit_text,
    value_text,
)


def fit_page(
    fit: Fit,
    validation: Sequence[tuple[Record, Quality, np.ndarray]],
    ranking: Ranking | None = None,
    verdicts: Sequence[str] = (),
) -> str:
    names = ", ".join(record.name for record in fit.records)
    body = [
        paragraph(fit.of.title, "soft"),
        paragraph(
            f"{quality_text(fit.quality, fit.of)}. Coulomb friction with one coefficient:"
            f" {fit.baseline.relative:.1%}.",
            "facts",
        ),
        *(ranking_section(ranking, verdicts) if ranking else []),
        "<h2>Parameters</h2>",
        _parameters(fit),
        sentences("What the data do not determine", doubts(fit)),
        "<h2>Measured and modelled</h2>",
        *(
            picture
            for i in range(len(fit.records))
            for picture in _pictures(fit.records[i], fit.modelled[i])
        ),
        *_validation(validation, fit.of),
        sentences(
            "How the record was read", [note for record in fit.records for note in record.notes]
        ),
        paragraph(f"{fit.runs} runs of the FMU. {starts_text(fit)} Bristle {VERSION}.", "soft"),
    ]
    return sheet(f"{fit.of.name} from {names}", body)


def _parameters(fit: Fit) -> str:
    rows = [
        (one.name, value_text(one), unit_text(one.unit), interval_text(one), fit.of[one.name].text)
        for one in fit.estimates
    ]
    rows += [
        (name, f"{value:g}", unit_text(fit.of[name].unit), "given", fit.of[name].text)
        for name, value in fit.fixed.items()
    ]
    rows += [(name, str(value), "", "given", "An option") for name, value in fit.of.chosen.items()]
    rows += [
        (one.name, value_text(one), unit_text(one.unit), interval_text(one), _meaning(one))
        for one in fit.beside
    ]
    return table(("Parameter", "Value", "Unit", "95 % interval", "Meaning"), rows, 1)


_MEANINGS = {
    "mass": "Moved mass, fitted as well",
    "inertia": "Moved inertia, fitted as well",
    DELAY: "Lag of the force behind the motion: no parameter of the element",
    LOW_PASS: "Time constant of a low-pass in the force's way: no parameter of the element",
    GEARS[0]: "Difference of the loss coefficient: larger in driving, smaller in being driven",
    GEARS[1]: "Share of the transmitted torque that is friction: a loss coefficient of GearLoad",
    "gravityCosine": "Load proportional to the cosine of the angle: no parameter of the element",
    "gravitySine": "Load proportional to the sine of the angle: no parameter of the element",
    "loadStiffness": "Load proportional to the displacement: no parameter of the element",
}


def _meaning(one: Estimate) -> str:
    """Describes what was fitted beside the parameters."""
    if "Start" in one.name:
        return "State at the first sample of the record, fitted as well"
    return _MEANINGS.get(one.name, "Constant load on the axis: no parameter of the element")


def pictures_of(record: Record, modelled: np.ndarray) -> dict[str, str]:
    """Draws the pictures of a record by name: over time, close, over displacement and velocity, and
    the residual; of a joint with its angles and torques. Samples that do not count at the ends of a
    record are not drawn: the model is not fitted there."""
    counted = np.flatnonzero(record.weight)
    rows, whole = _close(record), slice(counted[0], counted[-1] + 1)
    way, speed = record.displacement - record.displacement.mean(), record.velocity
    force, model, unit = record.force, modelled, "N"
    ways, speeds = "displacement [mm]", "velocity [mm/s]"
    if record.radius:
        way, speed = way / record.radius, speed / record.radius
        force, model, unit = force * record.radius, model * record.radius, "N.m"
        ways, speeds = "angle [rad]", "angular velocity [rad/s]"
    else:
        way, speed = 1e3 * way, 1e3 * speed
    what = "torque" if record.radius else "force"
    what = f"{'friction' if record.acceleration is None else 'driving'} {what} [{unit}]"

    def panel(x: np.ndarray, label: str, part: slice, is_time: bool = False) -> Panel:
        order = None if is_time else record.time[part]
        lines = [
            Line(x[part], values[part], name, order)
            for name, values in (("measured", force), ("modelled", model))
        ]
        return Panel(lines, label, what)

    rest = Line(record.time[whole], (force - model)[whole])
    left = Panel([rest], "time [s]", f"measured − modelled [{unit}]")
    return {
        "time": drawing([panel(record.time, "time [s]", whole, True)], 860),
        "close": drawing([panel(record.time, "time [s]", rows, True)]),
        "loop": drawing([panel(way, ways, rows)]),
        "velocity": drawing([panel(speed, speeds, whole)]),
        "residual": drawing([left], 860, 220),
    }


CAPTIONS = {
    "time": "{name}: the whole record.",
    "close": "A part of it, closer.",
    "loop": "The same part over the motion about its mean.",
    "velocity": "The whole record over the velocity.",
    "residual": "What is left.",
}


def _pictures(record: Record, modelled: np.ndarray) -> list[str]:
    return [
        figure(svg, CAPTIONS[name].format(name=record.name))
        for name, svg in pictures_of(record, modelled).items()
    ]


def _close(record: Record) -> slice:
    """Returns a twentieth of the record, or two strokes if that is less, about the reversal in its
    middle; without any, about its fastest change of force."""
    count, turns = len(record.time), record.reversals()
    if len(turns):
        middle = int(turns[len(turns) // 2])
        half = min(count // 40, int(np.median(np.diff([0, *turns, count]))))
    else:
        middle, half = int(np.argmax(np.abs(np.diff(record.force)))), count // 40
    half = max(half, min(50, count // 4))
    first = max(0, min(middle - half, count - 2 * half))
    return slice(first, first + 2 * half)


def _validation(
    validation: Sequence[tuple[Record, Quality, np.ndarray]], of: Candidate
) -> list[str]:
    parts = ["<h2>On data that were not used</h2>"] if validation else []
    for record, quality, modelled in validation:
        parts.append(paragraph(f"{record.name}: {quality_text(quality, of)}."))
        parts += _pictures(record, modelled)
    return parts


def ranking_section(ranking: Ranking, verdicts: Sequence[str]) -> list[str]:
    return [
        "<h2>All models</h2>",
        paragraph(" ".join(verdicts)),
        figure(
            ranking_picture(ranking),
            f"RMS error on the held-out data, relative to the RMS {_compared(ranking)}.",
        ),
        table(HEADS, ranking_rows(ranking), 6),
    ]


def _compared(ranking: Ranking) -> str:
    """Returns the force that the errors are relative to."""
    best = ranking.places[0]
    what = "torque" if best.of.form.turns else "force"
    return f"{'friction' if best.held_out.relative_to_drive is None else 'driving'} {what}"


def ranking_picture(ranking: Ranking) -> str:
    return bars(
        [(one.of.name, 100 * one.held_out.share) for one in ranking.places],
        f"error on held-out strokes [% of the RMS {_compared(ranking)}]",
    )
