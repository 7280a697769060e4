"""The unknowns of a fit: parameters of the law, and the state at the beginning of each record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ... import BristleError
from ...running import run
from ..record.reading import Record
from .candidates import BACKWARD, RESTS, VISCOUS, Candidate, Nuisance, Parameter, Space
from .result import Wanted
from .starts import Scales

# displacements of the reversal of friction until a bristle no longer changes: the remainder of a
# state halves over one
_SETTLED_WAYS = 100
# times the state in sliding, the limit for a state at the first sample: an earlier, larger normal
# force may have left one larger than in sliding
_LARGEST_STATE = 10.0


def unknowns(
    of: Candidate,
    records: Sequence[Record],
    seen: Scales,
    first: Mapping[str, float],
    wanted: Wanted,
) -> Space:
    """Returns the fitted parameters, and the first state of each record."""
    hidden = () if any(record.tells_directions_apart for record in records) else (BACKWARD,)
    usual = [one.name for one in of.parameters if not one.is_extra and one.name not in hidden]
    chosen = [
        one.name
        for one in of.parameters
        if one.name not in wanted.fixed
        and one.name in (usual if wanted.fitted is None else wanted.fitted)
    ]
    if not chosen:
        raise BristleError(f"{of.name}: all parameters are fixed, so that nothing is left to fit.")
    held = {one.name: first[one.name] for one in of.parameters if one.name not in chosen}
    held |= {one.name: wanted.fixed[one.name] for one in of.starts if one.name in wanted.fixed}
    typical = dict(first) | {
        VISCOUS: seen.viscous or 0.1 * seen.friction / max(seen.fastest, 1e-12)
    }
    known = wanted.fixed.keys() & {one.name for one in of.starts}
    states = [] if known else first_states(of, records, seen, first)
    return Space(of, chosen, held, typical, _rests(of, records, seen), states)


def first_states(
    of: Candidate, records: Sequence[Record], seen: Scales, values: Mapping[str, float]
) -> list[Nuisance]:
    """Returns the unknown first state of each record: of a vector the common share of its elements
    in the state in sliding, which is that of these values."""
    if not of.starts:
        return []
    sizes = _sliding_states(of, seen, values)
    several = len(sizes) > 1
    size = 1.0 if several else sizes[0] or seen.turning
    weights = {
        one.name: slid_to if several else 1.0 for one, slid_to in zip(of.starts, sizes, strict=True)
    }
    bare, unit = of.starts[0].name.partition("[")[0], "1" if several else of.starts[0].unit
    names = [f"{bare} in {record.name}" if len(records) > 1 else bare for record in records]
    most = _LARGEST_STATE * size
    return [
        Nuisance(Parameter(name, unit, "The state at the first sample", low=-most, high=most),
                 size, i, weights)
        for i, name in enumerate(names)
    ]  # fmt: skip


def _sliding_states(of: Candidate, seen: Scales, values: Mapping[str, float]) -> list[float]:
    """Returns the sizes of the states in steady sliding; 0 if the law cannot be run there."""
    states = [one.name.replace("Start", "") for one in of.starts]
    motion = of.form.inputs(np.full(2, seen.normal), np.full(2, seen.speed), None, of.radius)
    law = {one.name: values[one.name] for one in of.parameters}
    last = _SETTLED_WAYS * seen.turning / max(seen.speed, 1e-12)
    try:
        slid = run(of.file, [0.0, last], motion, of.place | law, states)
    except BristleError:
        return [0.0] * len(states)
    return [abs(float(slid[name][-1])) for name in states]


def first_point(
    space: Space, first: Mapping[str, float], records: Sequence[Record], seen: Scales
) -> np.ndarray:
    """Returns first values of the unknowns, with a state for the force at the beginning of a
    record."""
    values = dict(first)
    for one in space.nuisances:
        level = seen.friction * seen.normal
        share = float(np.clip(np.median(records[one.record].force[:5]) / level, -1.0, 1.0))
        values[one.parameter.name] = share * one.scale
    return space.point(values)


def _rests(of: Candidate, records: Sequence[Record], seen: Scales) -> dict[str, float]:
    """Returns the largest speeds at which an element may take a body for resting: one with the load
    as input would otherwise take every motion for rest, and return the measured force."""
    has_load = of.needs_load and any(record.external is not None for record in records)
    return {
        one.name: seen.slowest
        for one in of.parameters
        if has_load and one.name in RESTS and one.positive and seen.slowest > 0
    }
