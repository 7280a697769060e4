"""The page of an identification: numbers, pictures and doubts in one file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import VERSION
from ..pages.sheet import figure, paragraph, sentences, sheet, table
from ..pages.svg import Line, Panel, bars, drawing
from .fitting import Estimate, Fit, Quality
from .ranking import Place
from .records import Record
from .words import doubts, interval_text, quality_text, value_text, with_prefix

ZOOM = 5  # strokes that the close view shows


def fit_page(
    fit: Fit,
    validation: Sequence[tuple[Record, Quality, np.ndarray]],
    places: Sequence[Place] = (),
    verdicts: Sequence[str] = (),
) -> str:
    names = ", ".join(record.name for record in fit.records)
    body = [
        paragraph(fit.of.title, "soft"),
        paragraph(
            f"{quality_text(fit.quality)}. Coulomb friction with one coefficient:"
            f" {fit.baseline.relative:.1%}.",
            "facts",
        ),
        *ranking_section(places, verdicts),
        "<h2>Parameters</h2>",
        _parameters(fit),
        sentences("What the data do not tell", doubts(fit)),
        "<h2>Measured and modelled</h2>",
        *(
            picture
            for i in range(len(fit.records))
            for picture in _pictures(fit.records[i], fit.modelled[i])
        ),
        *_validation(validation),
        "<h2>Profiles</h2>",
        paragraph(
            "The least sum of squared errors with one parameter held, relative to the best; the"
            " line is the limit of the 95 % interval. A flat profile is a parameter that the data"
            " do not determine.",
            "soft",
        ),
        *(_profile(one, fit.threshold) for one in fit.estimates if one.profile is not None),
        sentences(
            "How the record was read", [note for record in fit.records for note in record.notes]
        ),
        paragraph(
            f"{fit.runs} runs of the"
            f" FMU{', with a global search for the start' if fit.searched_globally else ''}."
            f" Bristle {VERSION}.",
            "soft",
        ),
    ]
    return sheet(f"{fit.of.name} from {names}", body)


def _parameters(fit: Fit) -> str:
    rows = [
        (one.name, value_text(one), one.unit, interval_text(one), fit.of[one.name].text)
        for one in fit.estimates
    ]
    rows += [
        (name, f"{value:g}", fit.of[name].unit, "given", fit.of[name].text)
        for name, value in fit.fixed.items()
    ]
    rows += [(name, str(value), "", "given", "An option") for name, value in fit.of.chosen.items()]
    rows += [
        (one.name, value_text(one), one.unit, interval_text(one), _meaning(one))
        for one in fit.beside
    ]
    return table(("Parameter", "Value", "Unit", "95 % interval", "Meaning"), rows, 1)


def _meaning(one: Estimate) -> str:
    """Of what was fitted beside the parameters."""
    if one.name in ("mass", "inertia"):
        return f"Moved {one.name}, fitted with the rest"
    return (
        f"{_LOADS.get(one.name, 'Constant load on the axis')}, fitted with the rest: no parameter"
        " of the element"
    )


_LOADS = {
    "gravityCosine": "Load that goes with the cosine of the angle",
    "gravitySine": "Load that goes with the sine of the angle",
    "loadStiffness": "Load that goes with the way from its mean",
}


def pictures_of(record: Record, modelled: np.ndarray) -> dict[str, str]:
    """The pictures of a record by name: over time, close, over the displacement, and the
    residual."""
    rows = _close(record)
    way = 1e3 * (record.displacement - record.displacement.mean())
    what = "friction" if record.acceleration is None else "driving force"
    close = [
        Line(record.time[rows], record.force[rows], "measured"),
        Line(record.time[rows], modelled[rows], "modelled"),
    ]
    loop = [
        Line(way[rows], record.force[rows], "measured", record.time[rows]),
        Line(way[rows], modelled[rows], "modelled", record.time[rows]),
    ]
    whole = [Line(record.time, record.force, "measured"), Line(record.time, modelled, "modelled")]
    return {
        "time": drawing([Panel(whole, "time [s]", f"{what} [N]")], width=860),
        "close": drawing([Panel(close, "time [s]", f"{what} [N]")]),
        "loop": drawing([Panel(loop, "displacement [mm]", f"{what} [N]")]),
        "residual": drawing(
            [
                Panel(
                    [Line(record.time, record.force - modelled)],
                    "time [s]",
                    "measured − modelled [N]",
                )
            ],
            width=860,
            height=220,
        ),
    }


CAPTIONS = {
    "time": "{name}: the whole record.",
    "close": "A part of it, closer.",
    "loop": "The same part over the displacement, about its mean.",
    "residual": "What is left.",
}


def _pictures(record: Record, modelled: np.ndarray) -> list[str]:
    return [
        figure(svg, CAPTIONS[name].format(name=record.name))
        for name, svg in pictures_of(record, modelled).items()
    ]


def _close(record: Record) -> slice:
    """Some strokes in the middle of the record."""
    turns = record.reversals()
    if len(turns) <= ZOOM:
        return slice(0, len(record.time))
    first = (len(turns) - ZOOM) // 2
    return slice(
        int(turns[first]),
        int(turns[first + ZOOM]) if first + ZOOM < len(turns) else len(record.time),
    )


def _validation(validation: Sequence[tuple[Record, Quality, np.ndarray]]) -> list[str]:
    parts = ["<h2>On data that were not used</h2>"] if validation else []
    for record, quality, modelled in validation:
        parts.append(paragraph(f"{record.name}: {quality_text(quality)}."))
        parts += _pictures(record, modelled)
    return parts


def _profile(one: Estimate, threshold: float) -> str:
    values, sums = one.profile
    order = np.argsort(values)
    values, sums = values[order], np.minimum(sums[order], 3 * threshold)
    level = Line(values[[0, -1]], np.full(2, threshold))
    panel = Panel([Line(values, sums), level], f"{one.name} [{one.unit}]", "sum of squares")
    return figure(drawing([panel], width=360, height=220), one.name)


def ranking_section(places: Sequence[Place], verdicts: Sequence[str]) -> list[str]:
    if not places:
        return []
    rows = []
    for i, one in enumerate(places, 1):
        if one.held_out is None:
            rows.append(
                (one.of.name, "–", "–", "–", "–", "–", str(one.parameters), "–", one.failure)
            )
            continue
        rows.append(
            (
                one.of.name,
                str(i),
                f"{one.held_out.relative:.2%}",
                with_prefix(one.held_out.rms, "N"),
                f"{one.fit.quality.relative:.2%}",
                f"{one.aic:.0f} / {one.bic:.0f}",
                str(one.parameters),
                f"{one.seconds:.2g}",
                "",
            )
        )
    heads = (
        "Model",
        "Place",
        "Held out",
        "RMS held out",
        "Fitted part",
        "AIC / BIC",
        "Parameters",
        "µs per sample",
        "",
    )
    return [
        "<h2>All models</h2>",
        paragraph(" ".join(verdicts)),
        figure(
            ranking_picture(places),
            "RMS error on the strokes that were held out, relative to the RMS friction force.",
        ),
        table(heads, rows, 7),
    ]


def ranking_picture(places: Sequence[Place]) -> str:
    good = [one for one in places if one.held_out]
    return bars(
        [(one.of.name, 100 * one.held_out.relative) for one in good],
        "error on held-out strokes [% of the RMS force]",
    )
