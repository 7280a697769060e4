"""Validates a fitted model on another record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ... import BristleError
from ..record.reading import GRAVITY, Record
from .candidates import Space
from .problem import Linear, Problem
from .result import Fit
from .statistics import Quality, quality_of
from .unknowns import first_states


def validated(result: Fit, record: Record) -> tuple[Quality, np.ndarray]:
    """Runs the fitted model on another record, with its own offset, drift and first state, and the
    fitted mass, load (unless its angle has another zero) and lag."""
    of = result.of
    first = result.records[0]
    record = replace(record, load=first.load).delayed(first.delay).slowed(first.time_constant)
    if width := result.records[0].widths[:1]:
        while record.widths[:1] > width and (narrower := record.narrower):
            record = narrower
    record = record.finer if any(one.fineness for one in result.records) else record
    one_zero = record.displacement_is_measured and result.records[0].displacement_is_measured
    is_load_known = len(result.linear.load) == len(record.shapes) and (
        one_zero or record.load != GRAVITY
    )
    load = result.linear.load if is_load_known else ()
    machine = Linear(result.linear.mass, (0.0,), (0.0,), load).part([record])
    friction = replace(
        record,
        force=record.force - machine,
        acceleration=None,
        load="" if is_load_known else record.load,
    )
    known = {one.name: one.default for one in of.parameters} | result.values
    fixed_start = {one.name for one in of.starts} & result.fixed.keys()
    states = [] if fixed_start else first_states(of, [record], result.seen, known)
    problem = Problem(of, [friction], Space(of, [], result.values, {}, nuisances=states))
    point = np.zeros(len(states))
    if states:
        bounds = problem.space.bounds(point)
        begins = [np.array([share]) for share in (0.0, 1.0, -1.0)]
        begin = begins[int(np.argmin(problem.costs(begins)))]
        point = problem.solved(begin, bounds, 10).point
    forces = problem.forces([point])[0]
    if not np.isfinite(forces).all():
        raise BristleError(
            f"{record.name}: {of.name} cannot follow this record with the fitted parameters."
        )
    linear = problem.linear(forces)
    modelled = problem.modelled(forces, linear) + machine
    beside = problem.modelled(np.zeros(len(forces)), linear) + machine
    return quality_of(record.force, modelled, beside, record.weight > 0, record.drive), modelled
