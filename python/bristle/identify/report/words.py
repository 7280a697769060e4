"""Writes results in words: numbers with significant digits, and a plain sentence for whatever the
data do not determine."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..fit.candidates import LAGS, LOW_PASS, Candidate
from ..fit.intervals import GEARS
from ..fit.result import Estimate, Fit
from ..fit.load import PLACE, share_of_place
from ..fit.ranking import Ranking
from ..fit.statistics import CONFIDENCE, Quality
from ..record.reading import GRAVITY, SPRING
from ..record.units import prefixed, with_prefix

BRISTLE = ("bristle", "stiction", "element", "breakaway")  # act right after a reversal
NOTICED = 0.01  # of the friction force, from which on an offset is reported
WHITE = 0.1  # of the samples: if fewer are independent, it is reported


def rounded(value: float, half_width: float) -> float:
    """Rounds the value to the second digit of its uncertainty."""
    if not math.isfinite(half_width) or half_width <= 0 or value == 0:
        return float(f"{value:.3g}")
    return round(value, 1 - math.floor(math.log10(half_width)))


def shown(value: float, half_width: float) -> str:
    """Writes the value with the digits that its uncertainty leaves."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if not math.isfinite(half_width):
        return f"{value:.1g}"
    if abs(value) < half_width / 20:
        return "0"  # as far as it is known
    first = math.floor(math.log10(abs(value)))
    last = math.floor(math.log10(half_width)) - 1 if half_width > 0 else first - 5
    digits = min(max(first - last + 1, 1), 6)
    if 1e-4 <= abs(value) < 1e8:  # so the ends of an interval are mostly written alike
        return f"{round(value, digits - 1 - first):.{max(digits - 1 - first, 0)}f}"
    return f"{value:.{digits - 1}e}"


def plus_minus(value: float, half_width: float) -> str:
    return f"{shown(value, half_width)} ± {shown(half_width, half_width)}"


def interval_text(one: Estimate) -> str:
    if not one.determined:
        return "not determined"
    return f"{shown(one.low, one.half_width)} … {shown(one.high, one.half_width)}"


def _roughly(value: float) -> str:
    """Writes a value to its first digit."""
    return f"{float(f'{value:.1g}'):g}"


def value_text(one: Estimate) -> str:
    return shown(one.value, one.half_width) if one.determined else f"≈ {_roughly(one.value)}"


def force_text(value: float, of: Candidate) -> str:
    """Writes a force, or of a joint its torque at the radius."""
    return with_prefix(value * of.radius**of.form.power, "N.m" if of.form.turns else "N")


def quality_text(quality: Quality, of: Candidate) -> str:
    what = "torque" if of.form.turns else "force"
    driving = (
        ""
        if quality.relative_to_drive is None
        else f", {quality.relative_to_drive:.2%} of the RMS driving {what}"
    )
    return (
        f"RMS error {force_text(quality.rms, of)}, {quality.relative:.2%} of the RMS friction"
        f" {what} ({quality.relative_to_largest:.2%} of the largest{driving}), R² {quality.r2:.4f}"
    )


def doubts(fit: Fit) -> list[str]:
    """Returns a sentence for whatever the data do not determine, and which measurement would; each
    once."""
    return list(dict.fromkeys(_doubts(fit)))


def _doubts(fit: Fit) -> list[str]:
    return [
        *_of_parameters(fit),
        *_of_mass(fit),
        *_loads(fit),
        *_of_records(fit),
        *_of_missing_load(fit),
        *_offsets(fit),
        *_smeared(fit),
        *_places(fit),
        *_of_law(fit),
    ]


def _of_parameters(fit: Fit) -> list[str]:
    widest = [
        group
        for group in fit.confusions
        if not any(set(group) < set(other) for other in fit.confusions)
    ]
    grouped = {name for group in fit.confusions for name in group}
    lost = [one for one in fit.estimates if not one.determined and one.name not in grouped]
    sentences: list[str] = []
    for one in lost:
        stated = " ".join(sentences)  # what holds for several parameters is stated for the first
        more = [text for text in (_fact(fit.of[one.name].unit, fit), _advice(one, fit)) if text]
        sentences.append(" ".join([_undetermined(one, fit), *(t for t in more if t not in stated)]))
    return [*map(_confused, widest), *sentences]


def _of_mass(fit: Fit) -> list[str]:
    if not fit.mass or fit.mass.determined:
        return []
    like = [one.name for one in fit.load if not one.determined and one.name != GEARS[1]]
    torque = "torque" if fit.of.form.turns else "force"
    reason = (
        f"it can be exchanged for {_listed(like)}. Motion of another frequency, or another load,"
        " would distinguish them"
        if like
        else f"what accelerates it is too small a part of the {torque}. Strokes that reverse"
        " faster would show it"
    )
    return [
        f"The data do not determine the {fit.mass.name}: {reason}; or give it in {fit.mass.unit}"
        " with --mass."
    ]


def _of_missing_load(fit: Fit) -> list[str]:
    if not fit.of.needs_load or any(record.external is not None for record in fit.records):
        return []
    return [
        f"{fit.of.name} needs the load on the body (externalForce), which a record of motion and"
        " friction does not have: at rest it gives no force here, and its error is that of the"
        " rests. Drive data have it (--mass)."
    ]


def _offsets(fit: Fit) -> list[str]:
    """Reports offsets of more than a hundredth of the friction force that differ from zero."""
    level = NOTICED * fit.quality.rms / max(fit.quality.relative, 1e-12)
    sentences = []
    for i, record in enumerate(fit.records):
        least = max(level, fit.linear_doubts[i][0])
        if not record.has_offset or _is_weight(fit) or abs(fit.linear.offsets[i]) <= least:
            continue
        weight = "the weight of an axis that is not level (--load gravity), "
        if record.external is None or record.turns:
            weight = ""
        sentences.append(
            f"{record.name}: {_offset(fit, i)} was subtracted. It may be the sensor's,"
            f" {weight}or friction that differs by twice as much between both directions: the data"
            " do not distinguish these. A reading without contact would; with --offset none it"
            " counts as friction, as backwardFrictionRatio."
        )
    return sentences


def _smeared(fit: Fit) -> list[str]:
    """Reports records with a filter wider than a reversal, if a bristle has intervals."""
    turning = _turning(fit)
    known = [one.name for one in fit.estimates if one.determined]
    if not fit.seen.reverses or not any(name.startswith(BRISTLE) for name in known):
        return []
    return [
        f"{record.name}: the velocity went through a filter over"
        f" {with_prefix(record.smoothing, 's')}, in which the contact moves"
        f" {with_prefix(record.smeared, 'm')} after a reversal, but friction reverses within"
        f" {with_prefix(turning, 'm')}: stiffness and damping of the bristle may lie"
        " outside of their intervals. A finer measurement of the motion or slower reversals would"
        " determine them."
        for record in fit.records
        if record.smeared > 2 * turning
    ]


def _places(fit: Fit) -> list[str]:
    """Reports records whose residual depends on the position."""
    sentences = []
    for record, modelled in zip(fit.records, fit.modelled, strict=True):
        if (share := share_of_place(record, record.force - modelled)) <= PLACE:
            continue
        inertia = ", or inertia, where the force is that of a drive (--mass)"
        if record.acceleration is not None or record.mass is not None:
            inertia = ""
        other, remedy = "another load than the one fitted", "Subtract it from the force"
        if not record.load:
            kind = GRAVITY if record.turns else SPRING
            other, remedy = "a load", f"Fit it with --load {kind}, subtract it from the force"
        sentences.append(
            f"{record.name}: {share:.0%} of the squared residual depends on the position and is"
            f" the same in both directions, so that it is not friction: {other} such as"
            f" gravity, a spring or a cable{inertia}. {remedy}, or measure where it does not"
            " act; the parameters here are spoilt by it."
        )
    return sentences


def _of_law(fit: Fit) -> list[str]:
    """Reports the residual of the law beside noise."""
    sentences = []
    if fit.systematic:
        sentences.append(
            f"{fit.of.name} does not describe the data within their noise: of the RMS error"
            f" {force_text(fit.systematic, fit.of)} repeat in every stroke at the same velocity or"
            " displacement after a reversal. The intervals are widened for that, but they are"
            " those of the best fit of this law: those of a true law may be outside."
        )
    quality = fit.quality
    if quality.independent < WHITE * quality.samples / _filtered_over(fit):
        what = "."
        if any(record.smoothing for record in fit.records):
            what = (
                ", or that the filter of the velocity removed: a measured velocity would show it."
            )
        sentences.append(
            "The residual is not white noise: it is correlated over some"
            f" {quality.samples / quality.independent:.0f} samples, so that {quality.samples}"
            f" samples count as {quality.independent:.0f} in the confidence intervals. The"
            f" residual is something that the law does not describe{what}"
        )
    return sentences


def _of_records(fit: Fit) -> list[str]:
    """Reports what was fitted of the records themselves."""
    sentences = []
    states = [one.name for one in fit.nuisances if one.name not in LAGS]
    if states:
        sentences.append(
            f"The state at the first sample ({_listed(states)}) is not known from a record of"
            " motion and force: it was fitted as well, and intervals include that. It is no"
            " parameter of the element; --fix sets it if it is known, as 0 of a contact without"
            " load."
        )
    if one := fit.lag:
        late = plus_minus(1e3 * abs(one.value), 1e3 * one.half_width)
        place = f"{late} ms {'behind' if one.value > 0 else 'ahead of'} the motion"
        if one.name == LOW_PASS:
            place = f"behind the motion as by a low-pass with a time constant of {late} ms"
        none = ", which may be zero" if one.low <= 0 <= one.high else ""
        sentences.append(
            f"The force is {place}{none}, and was fitted with it: filters and sampling of sensors"
            " cause lags, which would otherwise look like softness of the contact; a law that is"
            " too stiff may need one, too. --delay 0 fits without it."
        )
    if fit.hurried:
        sentences.append(
            f"The time for a fit was up at this step: {fit.hurried}. The result so far is shown: a"
            " better fit may be found, and intervals may be wider. --samples, or --fix of known"
            " values, make it faster."
        )
    if not fit.confirmed:
        sentences.append(
            f"The best of {fit.starts} starts was found only once: another start may lead to a"
            " better fit. --fix of known values, or another --seed, would show it."
        )
    return sentences


def starts_text(fit: Fit) -> str:
    found = "twice" if fit.confirmed else "once"
    return f"Least squares from {fit.starts} starts, of which the best was found {found}."


def _filtered_over(fit: Fit) -> float:
    """Returns the correlation time in samples of noise through the filter of the acceleration,
    which the force passed, too."""
    return max(
        1.0,
        *(
            float(record.kernel.sum() ** 2 / np.sum(record.kernel**2)) / record.block
            for record in fit.records
        ),
    )


def _is_weight(fit: Fit) -> bool:
    """Checks whether the offsets are the weight of an axis."""
    return any(one.name.startswith("weight") for one in fit.load)


_HOST = (
    "It is no parameter of the friction element and belongs into the model around it; --load none"
    " leaves it in the force."
)


def _loads(fit: Fit) -> list[str]:
    """Reports what was fitted beside friction, which is no parameter of the element, and what is
    undetermined."""
    gear = [one for one in fit.load if one.name in GEARS]
    sentences = [_of_gear(gear[0], gear[1], fit.of)] if gear else []
    loads = [one for one in fit.load if one.name not in GEARS]
    if not loads:
        return sentences
    if _is_weight(fit):
        return sentences + [
            "The weight is what is constant in the driving force: an offset of the sensor and half"
            f" of what friction differs by direction are in it. {_HOST}"
        ]
    record = fit.records[0]
    sentences.append(
        _of_gravity(fit, loads) if record.load == GRAVITY else _of_spring(fit, loads[0])
    )
    if lost := [one.name for one in loads if not one.determined]:
        like = [
            *(["the offset"] if record.has_offset else []),
            *([f"the {fit.mass.name}"] if fit.mass else []),
        ]
        exchanged = f", as it can be exchanged for {' or '.join(like)}" if like else ""
        sentences.append(
            f"The data do not determine {_listed(lost)}{exchanged}. Longer strokes, slow and fast,"
            " would."
        )
    return sentences


def _of_gravity(fit: Fit, loads: Sequence[Estimate]) -> str:
    cosine, sine = loads
    largest = shown(math.hypot(cosine.value, sine.value), max(one.half_width for one in loads))
    zero = "counted from the beginning of the record, as the angle was not measured"
    if fit.records[0].displacement_is_measured:
        zero = "measured"
    return (
        f"A load that depends on the angle q was fitted beside friction: {cosine.name}·cos(q) +"
        f" {sine.name}·sin(q), at most {largest} {cosine.unit}, with q as {zero}. {_HOST}"
    )


def _of_spring(fit: Fit, load: Estimate) -> str:
    inertia = "an inertia" if fit.of.form.turns else "a mass"
    wrong = f"; {inertia} that is wrong, or left out, looks alike"
    if fit.records[0].acceleration is not None:
        wrong = ""
    return (
        f"A load proportional to the position was fitted beside friction: {load.name} times the"
        f" displacement from its mean{wrong}. {_HOST}"
    )


def _of_gear(more: Estimate, one: Estimate, of: Candidate) -> str:
    what = "torque" if of.form.turns else "force"
    larger, smaller = ("more", "less") if more.value > 0 else ("less", "more")
    known = (
        f"Of the transmitted {what} {plus_minus(one.value, one.half_width)} is friction"
        f" ({one.name}, the loss coefficient of GearLoad), the mean of driving and being driven."
        if one.determined
        else f"The data do not distinguish the friction of the gear under its load ({one.name})"
        f" from that without load: the transmitted {what} has to change more, at the same speeds."
    )
    half = shown(more.half_width, more.half_width)
    if not more.determined:
        differs = (
            f"A difference of both ({more.name}) does not show: it may be anything within ± {half}."
        )
    elif more.low <= 0 <= more.high:
        differs = f"No difference of both shows beyond ± {half} ({more.name})."
    else:
        differs = (
            f"In driving it is {plus_minus(abs(more.value), more.half_width)} {larger}, in"
            f" being driven as much {smaller} ({more.name}): gravity in the {what}, a wrong"
            " constant of the motor or of the sensor of the load would look the same."
        )
    return f"{known} {differs}"


def _offset(fit: Fit, i: int) -> str:
    """Writes offset and drift of a record with their intervals; a drift that may be zero is left
    out."""
    (around, slope), drift = fit.linear_doubts[i], fit.linear.drifts[i]
    text = f"an offset of {_with_doubt(fit.linear.offsets[i], around, fit.of)}"
    duration = float(fit.records[i].time[-1])
    return (
        text
        if abs(drift) < slope
        else f"{text} that drifts by {_with_doubt(drift * duration, slope * duration, fit.of)}"
    )


def _with_doubt(value: float, half_width: float, of: Candidate) -> str:
    """Writes a force with its confidence interval and a prefix to its unit: -3.15 ± 0.04 N."""
    lever, unit = of.radius**of.form.power, "N.m" if of.form.turns else "N"
    value, half_width = value * lever, half_width * lever
    size, prefix = prefixed(value)
    if not 0 < half_width < math.inf:
        return with_prefix(value, unit)
    return f"{plus_minus(value / size, half_width / size)} {prefix}{unit}"


def _confused(names: Sequence[str]) -> str:
    return (
        f"The data determine {_listed(names)} only together, or not at all: give one of them with"
        " --fix."
    )


def _turning(fit: Fit) -> float:
    """Returns the displacement over which friction reverses: as in the record, or less, as of the
    fitted bristle if that is finer than the samples."""
    stiff = [
        one.value * (fit.seen.normal if one.unit == "1/m" else 1.0)
        for one in fit.estimates
        if one.name == "bristleStiffness" and one.determined
    ]
    return min(
        [fit.seen.turning, *(fit.seen.turning * fit.seen.stiffness / value for value in stiff)]
    )


def _undetermined(one: Estimate, fit: Fit) -> str:
    parameter = fit.of[one.name]
    if one.value in (parameter.low, parameter.high):
        reason = f"the fit moves it to the end of its range, {_roughly(one.value)}"
    elif not math.isfinite(one.high - one.low) or one.half_width > 50 * abs(one.value):
        reason = "it has hardly any effect in this record"
    elif one.partner:
        reason = f"it can be exchanged for {one.partner} almost without loss"
    elif one.at_limit:
        reason = f"the fit moves it to the {one.at_limit} end of its range"
    else:
        ends = f"{_roughly(one.low)} to {_roughly(one.high)}"
        reason = f"anything from {ends} fits about as well"
    unit = f" ({parameter.unit})" if unit_text(parameter.unit) else ""
    return f"The data do not determine {one.name}{unit}: {reason}."


def _advice(one: Estimate, fit: Fit) -> str:
    advice = fit.of[one.name].advice
    return f"How it is measured: {advice}" if advice else ""


def _fact(unit: str, fit: Fit) -> str:
    """States what the record has of what a parameter of this unit needs."""
    seen = fit.seen
    if unit in ("m/s", "s/m") and not seen.slides:
        return (
            "Nothing slides in the record for longer than a reversal of friction; longer strokes,"
            " at several speeds, are needed for a curve."
        )
    if unit in ("m/s", "s/m"):
        slow, fast = with_prefix(seen.slowest, "m/s"), with_prefix(seen.fastest, "m/s")
        return (
            f"The record slides at {slow} to {fast}; speeds from a tenth to ten times these are"
            " needed to see a curve."
        )
    if unit in ("m", "N/m", "1/m") and not seen.reverses:
        return "There is no reversal in this record: reversals would show it."
    if unit in ("m", "N/m", "1/m"):
        turn = with_prefix(seen.turning, "m")
        resolved = (
            ""
            if seen.resolved
            else ", which is less than three samples: sample faster or move slower"
        )
        return f"After a reversal friction changes its sign within {turn}{resolved}."
    if unit in ("N.s/m", "1/s"):
        return (
            "It acts on the time scale of stiffness and mass; there is a sample every"
            f" {with_prefix(seen.interval, 's')}."
        )
    if unit == "s":
        return "It shows if the contact rests for different times, or opens and closes."
    return ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def summary(fit: Fit) -> list[str]:
    """Returns the lines for the terminal."""
    lines = [f"{fit.of.name}: {quality_text(fit.quality, fit.of)}."]
    share = fit.quality.relative / max(fit.baseline.relative, 1e-12)
    lines.append(
        f"Coulomb friction with one coefficient: {fit.baseline.relative:.1%}; the error of the"
        f" model is {share:.2f} times that."
    )
    width = max(len(one.name) for one in [*fit.estimates, *fit.beside])
    for one in [*fit.estimates, *fit.beside]:
        lines.append(
            f"  {one.name:{width}}  {value_text(one):>10} {unit_text(one.unit):6} "
            f"{interval_text(one)}"
        )
    counts = (
        f"{fit.quality.samples} samples count as {fit.quality.independent:.0f} independent ones in"
        " them"
    )
    lines.append(
        f"Intervals of {CONFIDENCE:.0%} confidence; by the autocorrelation of the residual"
        f" {counts}."
    )
    return lines


def unit_text(unit: str) -> str:
    """Returns the shown unit: a pure number has none."""
    return "" if unit == "1" else unit


HEADS = ("Law", "fitted", "held out", "±", "parameters", "fit [s]", "µs/sample", "")


def ranking_rows(ranking: Ranking) -> list[tuple[str, ...]]:
    """Returns a row per law, under these heads."""
    made: list[tuple[str, ...]] = [
        (
            one.of.name,
            f"{one.fit.quality.share:.2%}",
            f"{one.held_out.share:.2%}",
            f"{one.doubt:.2%}",
            str(one.parameters),
            f"{one.spent:.1f}",
            f"{one.seconds:.2g}",
            "",
        )
        for one in ranking.places
    ]
    return made + [(one.of.name, *["–"] * 6, one.why) for one in ranking.failed]


def ranking_lines(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Formats the rows for a terminal."""
    return [
        f"  {name:28} {' '.join(f'{cell:>10}' for cell in cells)}  {more}".rstrip()
        for name, *cells, more in [HEADS, *rows]
    ]
