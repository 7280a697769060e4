"""A load that depends on the position, such as gravity on a joint or a spring: detects it in a
record, and chooses the one to fit beside friction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ... import BristleError
from .result import Fit
from .starts import regression
from .statistics import BEYOND_CHANCE, correlation_time
from ..record.reading import GRAVITY, SPRING, Record, directions

AUTO, NONE = "auto", "none"
PLACES = 12  # classes of the position
PLACE = 0.3  # of the squared residual, from which on a load is fitted or reported


def with_load(records: Sequence[Record], kind: str) -> list[Record]:
    """Returns the records with the load of the option or, with "auto", with the one that drive data
    clearly show before any fit."""
    if kind == AUTO:
        return _marked(records, _usual(records)) if _is_seen(records) else list(records)
    if kind == NONE:
        return list(records)
    if not _is_common(records, kind):
        raise BristleError(
            f"--load {kind}: the angle was not measured but comes from the velocity, and begins at"
            " zero in each record; give one record, or a column of the angle."
        )
    if constant := next(
        (
            record
            for record in records
            if kind == GRAVITY and not record.turns and not record.has_offset
        ),
        None,
    ):
        raise BristleError(
            f"--load {kind}: {constant.name}: on an axis gravity is an offset of the force, which"
            " needs motion in both directions and no --offset none."
        )
    return _marked(records, kind)


def fitted_with_load(
    fitted: Callable[[Sequence[Record]], Fit], records: Sequence[Record], kind: str
) -> Fit:
    """Fits; with "auto", again with a load if the residual of drive data depends on the position,
    and if the load removes that."""
    result = fitted(records)
    found = records[0].load
    if kind == AUTO and not found and _may_have(records):
        shares = [
            share_of_place(record, record.force - modelled)
            for record, modelled in zip(records, result.modelled, strict=True)
        ]
        if max(shares) > PLACE:
            again = fitted(_marked(records, _usual(records)))
            result = again if again.quality.rms**2 < (1 - PLACE) * result.quality.rms**2 else result
    return result


def _usual(records: Sequence[Record]) -> str:
    return GRAVITY if records[0].turns else SPRING


def _marked(records: Sequence[Record], kind: str) -> list[Record]:
    marked = [replace(record, load=kind) for record in records]
    return [replace(record, held=regression(record)[1]) for record in marked]


def _is_common(records: Sequence[Record], kind: str) -> bool:
    """Checks whether one load may apply to all records: angles count from the same zero."""
    alike = len({record.turns for record in records}) == 1
    return alike and (
        kind == SPRING
        or not records[0].turns
        or len(records) == 1
        or all(record.displacement_is_measured for record in records)
    )


def _may_have(records: Sequence[Record]) -> bool:
    """Checks whether the force is that of a drive, which includes everything that acts on the body;
    data of a friction sensor are left unchanged unless requested."""
    return all(
        record.external is not None and record.place is not None for record in records
    ) and _is_common(records, _usual(records))


def _is_seen(records: Sequence[Record]) -> bool:
    """Checks whether drive data show the load with any law of friction: beside inertia, one
    coefficient and a viscous part."""
    if not _may_have(records):
        return False
    shares, before, after = [], 0.0, 0.0
    for record, marked in zip(records, _marked(records, _usual(records)), strict=True):
        rest = regression(record)[0]
        shares.append(share_of_place(record, rest))
        counted = record.weight > 0
        before += float(np.sum(rest[counted] ** 2))
        after += float(np.sum(regression(marked)[0][counted] ** 2))
    return max(shares) > PLACE and after < (1 - PLACE) * before


def share_of_place(record: Record, rest: np.ndarray) -> float:
    """Returns the share of the squared residual that is a function of the position alone: the
    common part of both directions, about its mean; zero if noise would show as much."""
    counted = record.weight > 0
    rest, way, moving = (
        rest[counted],
        record.displacement[counted],
        directions(record.velocity)[counted],
    )
    edges = np.quantile(way, np.linspace(0, 1, PLACES + 1))
    places = np.clip(np.searchsorted(edges, way, side="right") - 1, 0, PLACES - 1)
    classes = places + np.where(moving > 0, 0, PLACES)
    counts = np.bincount(classes, minlength=2 * PLACES)
    total = float(np.mean((rest - rest.mean()) ** 2))
    if not counts.all() or total <= 0:
        return 0.0  # one direction or a part of the range is missing
    means = np.bincount(classes, rest) / counts
    forward, backward = (one - one.mean() for one in np.split(means, 2))
    # without noise and without parts that change sign with the direction
    common = float(np.mean(forward * backward))
    noise = rest - means[classes]
    variance = float(noise @ noise) / max(len(rest) - len(means), 1) * correlation_time(noise)
    chance = variance * float(np.sqrt(np.sum(1 / np.prod(np.split(counts, 2), axis=0)))) / PLACES
    return common / total if common > BEYOND_CHANCE * chance else 0.0
