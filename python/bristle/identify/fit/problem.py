"""Compares a model with records: residuals and their slopes, with offset, drift, load and mass
eliminated by linear regression."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ... import BristleError
from ...running import Runs, run_many
from .candidates import DELAY, Candidate, Space
from .solver import Solution, least_squares
from ..record.filtering import coarser, smoothed
from ..record.reading import Record, whole_drive
from .statistics import Quality, quality_of

TOLERANCE = 1e-7  # of the runs: their differences have to be smooth
# of the differences, in logarithms: their truncation error is of this size, and runs add 1e-7/1e-3
# = 1e-4
STEP = 1e-3
# s per sample that a run may take: laws with several solutions may jump between them in endless
# steps
LONGEST = 1e-3
DOUBTFUL = 0.2  # of the change of a run: allowed error of its slopes
# times that slopes of a run may be wrong: they may be so at a start, and not at the solution
TRUST = 3
SLOPES = 10  # factor on the time of a run, with all its slopes
FAILED = 1e3  # residual of a run that failed, in multiples of the measured force
BATCH = 16  # runs between two checks of the time

Reporter = Callable[[str], None]


@dataclass
class Watch:
    """Counts the runs of a fit, reports their purpose, and checks its time limit."""

    seconds: float = math.inf  # of processor time, which does not depend on other load
    report: Reporter = lambda text: None
    step: str = ""
    runs: int = 0
    began: float = field(default_factory=time.process_time)

    def begin(self, step: str) -> None:
        """Begins the next step, unless the time was already up."""
        self.step = self.step if self.step and self.is_up else step
        self.count(0)

    def count(self, runs: int) -> None:
        self.runs += runs
        self.report(f"{self.step}, {self.runs} runs")

    @property
    def is_up(self) -> bool:
        return time.process_time() - self.began > self.seconds


@dataclass(frozen=True)
class Linear:
    """The linear part that is added to the friction of the model to give the measured force."""

    mass: float | None
    offsets: tuple[float, ...]  # N per record
    drifts: tuple[float, ...]  # N/s per record
    load: tuple[
        float, ...
    ] = ()  # per shape of the load that depends on the position, the same in all records

    def part(self, records: Sequence[Record]) -> np.ndarray:
        """Returns its contribution, sample by sample, in the records one after the other."""
        parts = []
        for record, offset, drift in zip(records, self.offsets, self.drifts, strict=True):
            part = offset + drift * (record.time - record.time.mean())
            if self.load:
                part = part + np.array(self.load) @ record.shapes
            if record.acceleration is not None and self.mass is not None:
                part = part + self.mass * record.acceleration
            parts.append(part)
        return np.concatenate(parts)


@dataclass
class Problem:
    """Fits one model to some records; weights select the samples that count."""

    of: Candidate
    records: Sequence[Record]
    space: Space
    weights: Sequence[np.ndarray] | None = None
    anchor: np.ndarray | None = (
        None  # a weak spring to this point keeps undetermined parameters from running away
    )
    spring: np.ndarray | float = 0.0
    watch: Watch = field(default_factory=Watch)

    def __post_init__(self) -> None:
        self.trust = TRUST
        self.weights = (
            [record.weight for record in self.records]
            if self.weights is None
            else list(self.weights)
        )
        self.measured = np.concatenate([record.force for record in self.records])
        self.weight = np.concatenate(self.weights)
        self.loaded_scale = float(np.sqrt(np.mean(self.measured[self.weight > 0] ** 2))) or 1.0
        self.design = self._design()
        kept = self.design * self.weight[:, None]
        self.basis: np.ndarray = kept
        self.triangle: np.ndarray = np.empty((0, 0))
        if kept.shape[1]:
            self.basis, self.triangle = np.linalg.qr(kept)

    def _design(self) -> np.ndarray:
        """Returns a column per unknown of the linear part: offset and drift of each record, the
        load of all, and the mass as the last."""
        lengths = [len(record.time) for record in self.records]
        ends = np.cumsum(lengths)
        columns = []
        for record, end, length in zip(self.records, ends, lengths, strict=True):
            if record.has_offset:
                for values in (np.ones(length), record.time - record.time.mean()):
                    column = np.zeros(ends[-1])
                    column[end - length : end] = values
                    columns.append(column)
        columns += list(np.concatenate([record.shapes for record in self.records], axis=1))
        if self.has_mass:
            columns.append(
                np.concatenate(
                    [
                        r.acceleration if r.acceleration is not None else np.zeros(len(r.time))
                        for r in self.records
                    ]
                )
            )
        return np.stack(columns, axis=1) if columns else np.empty((ends[-1], 0))

    @property
    def has_mass(self) -> bool:
        """Checks whether a mass is fitted with the parameters."""
        return any(record.acceleration is not None for record in self.records)

    def finer(self) -> Problem:
        """Returns the problem with more points of a run for each mean."""
        return self.like([record.finer for record in self.records])

    def lagging(self, kind: str, lag: float) -> Problem:
        """Returns the problem with a force that lags behind the motion."""
        change = Record.delayed if kind == DELAY else Record.slowed
        return self.like([change(record, lag) for record in self.records])

    def like(self, records: Sequence[Record] | None = None, space: Space | None = None) -> Problem:
        """Returns the problem with other records or another space; springs belong to their
        space."""
        other = Problem(
            self.of,
            self.records if records is None else records,
            space or self.space,
            self.weights,
            None if space else self.anchor,
            0.0 if space else self.spring,
            self.watch,
        )
        other.trust = self.trust
        return other

    def narrower(self) -> Problem | None:
        """Returns the problem with half the window for the velocity, if it came from a wider
        one."""
        found = [record.narrower for record in self.records]
        pairs = zip(found, self.records, strict=True)
        return self.like([one or old for one, old in pairs]) if any(found) else None

    def with_other_filters(self) -> list[tuple[Problem, float]]:
        """Returns the problem with other filters for the velocity, if it was filtered, and a factor
        from each one's change to the error."""
        made = []
        for i in range(max(len(record.others) for record in self.records)):
            records, times = list(self.records), 1.0
            for k, record in enumerate(self.records):
                if i < len(record.others):
                    velocity, more = record.others[i]
                    records[k], times = replace(record, velocity=velocity), max(times, more)
            made.append((self.like(records), times))
        return made

    # ---- running the model ----

    def _motion(self, record: Record) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Returns times and inputs of a run over a record."""
        normal, velocity, external = (
            record.normal,
            record.velocity,
            record.external if self.of.needs_load else None,
        )
        external = external if external is None or record.held is None else external - record.held
        times = record.time
        if record.block > 1:
            times, velocity, normal = (
                _between_means(values, record.fineness) for values in (times, velocity, normal)
            )
            external = None if external is None else _between_means(external, record.fineness)
        return times, self.of.form.inputs(normal, velocity, external, self.of.radius)

    def _at_the_radius(self, found: np.ndarray) -> np.ndarray:
        """Converts a torque, or its slopes, to the force of records."""
        return found / self.of.radius**self.of.form.power

    def forces(self, points: Sequence[np.ndarray]) -> np.ndarray:
        """Returns the model's friction force at each sample, a row per point; NaN if the model
        refuses its parameters or takes too long."""
        values = [self.space.values(point) for point in points]
        force = self.of.form.force
        self.watch.count(len(points))
        parts = []
        for i, record in enumerate(self.records):
            times, inputs = self._motion(record)
            sets = [self.of.place | self.space.of_fmu(one, i) for one in values]
            found = run_many(
                str(self.of.file),
                times,
                inputs,
                sets,
                [force],
                tolerance=TOLERANCE,
                failed="nan",
                seconds=LONGEST * len(times),
            )
            parts.append(_as_measured(found[force], record))
        return self._at_the_radius(np.concatenate(parts, axis=1))

    # ---- least squares ----

    def residuals(self, forces: np.ndarray) -> np.ndarray:
        """Returns measured minus modelled force, where it counts, after the best linear part; of
        one or several runs."""
        rest = (self.measured - forces) * self.weight
        shares = rest @ self.basis
        if self.has_mass:
            shares[..., -1] = self._mass_share(shares)
        rest = rest - shares @ self.basis.T
        return np.where(np.isfinite(rest), rest, FAILED * self.loaded_scale)

    def project(self, change: np.ndarray) -> np.ndarray:
        """Removes from a change of the force the part that the linear part can represent."""
        return change - self.basis @ (self.basis.T @ change)

    def _mass_share(self, shares: np.ndarray) -> np.ndarray:
        """Returns the part of a residual along the last direction of the basis, the mass's: zero if
        the mass would be negative."""
        share = shares[..., -1]
        return np.where(share * self.triangle[-1, -1] > 0, share, 0.0)

    def objectives(self, points: Sequence[np.ndarray]) -> np.ndarray:
        """Returns the residuals of several points, followed by the springs."""
        rests = self.residuals(self.forces(points))
        if self.anchor is None:
            return rests
        return np.hstack([rests, self.spring * (np.stack(points) - self.anchor)])

    def objective_slopes(self, point: np.ndarray) -> np.ndarray:
        slopes = self.jacobian(point)
        return (
            slopes
            if self.anchor is None
            else np.concatenate([slopes, np.diag(self.spring * np.ones(len(point)))])
        )

    def solved(
        self, begin: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], iterations: int
    ) -> Solution:
        """Solves least squares from a point."""
        inside = self.space.inside(begin, bounds)
        slopes = self.objective_slopes
        return least_squares(
            self.objectives, slopes, inside, bounds, iterations, lambda: self.watch.is_up
        )

    def costs(self, points: Sequence[np.ndarray]) -> np.ndarray:
        """Returns the sums of squares; infinite for those left when the time is up."""
        costs = np.full(len(points), math.inf)
        for i in range(0, len(points), BATCH):
            if i and self.watch.is_up:
                break
            rests = self.residuals(self.forces(points[i : i + BATCH]))
            costs[i : i + BATCH] = (rests**2).sum(axis=1)
        return costs

    def jacobian(self, point: np.ndarray, central: bool = False) -> np.ndarray:
        """Returns the slopes of the residual: from the exact ones of the FMU or, if modes make
        those of a run jump, from differences of whole runs."""
        slopes = self._slopes(point, central)
        basis = self.basis
        if self.has_mass:
            shares = (self.measured - self.forces([point])[0]) * self.weight @ basis
            basis = basis if self._mass_share(shares) else basis[:, :-1]
        return -(slopes - basis @ (basis.T @ slopes))

    def _slopes(self, point: np.ndarray, central: bool) -> np.ndarray:
        slopes = self._exact_slopes(point) if self.trust > 0 else None
        if slopes is None:
            self.trust -= 1
            slopes = self._differences(point, central)
        return np.nan_to_num(slopes) * self.weight[:, None]

    def lag_slope(self, point: np.ndarray) -> np.ndarray:
        """Returns the change of the residuals with the lag of all records, per second."""
        forces = self.forces([point])[0]
        modelled = self.modelled(forces, self.linear(forces))
        ends = np.cumsum([len(record.time) for record in self.records])[:-1]
        slopes = [
            smoothed(np.gradient(part, record.interval), coarser(record.kernel, record.block))
            if record.time_constant
            else np.gradient(part, record.interval)
            for part, record in zip(np.split(modelled, ends), self.records, strict=True)
        ]
        return self.project(np.concatenate(slopes) * self.weight)

    def linear_alone(self, point: np.ndarray) -> np.ndarray:
        """Returns the part of each column of the linear part that neither the others nor the
        parameters can represent."""
        columns = self.design * self.weight[:, None]
        table = np.column_stack([self._slopes(point, central=True), columns])
        sizes = np.linalg.norm(table, axis=0)
        table = table[:, sizes > 0] / sizes[sizes > 0]
        first = table.shape[1] - columns.shape[1]
        alone = np.empty_like(columns)
        for i in range(columns.shape[1]):
            others = np.delete(table, first + i, axis=1)
            alone[:, i] = (
                columns[:, i] - others @ np.linalg.lstsq(others, columns[:, i], rcond=1e-9)[0]
            )
        return alone

    def _exact_slopes(self, point: np.ndarray) -> np.ndarray | None:
        """Returns slopes from the derivatives of the law; None if a step in all parameters at once
        changes the run differently, as when a bristle jumps."""
        values, force = self.space.values(point), self.of.form.force
        parts, forces = [], []
        self.watch.count(1)
        for i, record in enumerate(self.records):
            times, inputs = self._motion(record)
            along = Runs(
                str(self.of.file),
                times,
                inputs,
                [force],
                tolerance=10 * TOLERANCE,  # no differences are taken of them
                seconds=SLOPES * LONGEST * len(times),
            )
            states = [one for one in self.space.nuisances if one.record == i]
            names = [*self.space.law, *(name for one in states for name in one.weights)]
            try:
                found = along.one(self.of.place | self.space.of_fmu(values, i), names)
            except BristleError:
                return None
            columns = [found[force, name] for name in self.space.law]
            for one in self.space.nuisances:
                column = np.zeros(len(times))
                for name, weight in one.weights.items() if one in states else ():
                    column += weight * found[force, name]
                columns.append(column)
            parts.append(_as_measured(np.stack(columns), record).T)
            forces.append(_as_measured(found[force], record))
        slopes = self._at_the_radius(np.concatenate(parts)) @ self.space.slopes(point)
        change = (
            self.forces([point + STEP])[0] - self._at_the_radius(np.concatenate(forces))
        ) / STEP
        missing = (change - slopes.sum(axis=1)) * self.weight
        return (
            slopes
            if np.linalg.norm(missing) <= DOUBTFUL * np.linalg.norm(change * self.weight)
            else None
        )

    def _differences(self, point: np.ndarray, central: bool) -> np.ndarray:
        steps = np.eye(len(point)) * STEP
        points = [point, *(point + step for step in steps)] + (
            [point - step for step in steps] if central else []
        )
        forces = self.forces(points)
        n = len(point)
        if central:
            return ((forces[1 : n + 1] - forces[n + 1 :]) / (2 * STEP)).T
        return ((forces[1:] - forces[0]) / STEP).T

    # ---- the linear part ----

    def shares_of(self, forces: np.ndarray) -> np.ndarray:
        """Returns the shares of the columns of the linear part in a run's residual."""
        rest = (self.measured - forces) * self.weight
        shares = rest @ self.basis
        if self.has_mass:
            shares[-1] = self._mass_share(shares)
        return np.linalg.solve(self.triangle, shares) if self.design.shape[1] else np.empty(0)

    def linear(self, forces: np.ndarray) -> Linear:
        """Returns the best offset, drift, load and mass for a run."""
        found = list(self.shares_of(forces))
        mass = found.pop() if self.has_mass else None
        offsets, drifts = [], []
        for record in self.records:
            offsets.append(float(found.pop(0)) if record.has_offset else 0.0)
            drifts.append(float(found.pop(0)) if record.has_offset else 0.0)
        return Linear(
            None if mass is None else float(mass),
            tuple(offsets),
            tuple(drifts),
            tuple(map(float, found)),
        )

    def modelled(self, forces: np.ndarray, linear: Linear) -> np.ndarray:
        """Returns the modelled measurement, sample by sample."""
        return forces + linear.part(self.records)

    def quality(self, forces: np.ndarray, linear: Linear) -> Quality:
        """Returns how well a run and its linear part agree with the measurement."""
        part = linear.part(self.records)
        counted, drive = self.weight > 0, whole_drive(self.records)
        return quality_of(self.measured, forces + part, part, counted, drive)


def _between_means(means: np.ndarray, fineness: int) -> np.ndarray:
    """Converts means over blocks to values at the ends and in the middle of each, or on the lines
    between them, in the middles of its parts. Values that keep the means exactly would be rougher,
    which is worse with the noise of real records: on the tribometer's the error grew from 5.3 to
    5.4 %.
    """
    ends = np.concatenate(
        (
            [1.5 * means[0] - 0.5 * means[1]],
            (means[1:] + means[:-1]) / 2,
            [1.5 * means[-1] - 0.5 * means[-2]],
        )
    )
    values = np.empty(2 * len(means) + 1)
    values[::2], values[1::2] = ends, means
    if not fineness:
        return values
    places = (np.arange(len(means) * fineness) + 0.5) * 2 / fineness
    return np.interp(places, np.arange(len(values)), values)


def _as_measured(values: np.ndarray, record: Record) -> np.ndarray:
    """Processes the force of a run like that of the record: through the filter of its acceleration,
    and as means over blocks."""
    stride = record.block / (record.fineness or 2) if record.block > 1 else 1.0
    values = smoothed(values, coarser(record.kernel, stride))
    if record.fineness:
        return values.reshape(*values.shape[:-1], -1, record.fineness).mean(axis=-1)
    return _means(values, record.block)


def _means(values: np.ndarray, block: int) -> np.ndarray:
    """Returns means over blocks from values at the ends and in the middle of each, with the weights
    for a parabola and this number of samples."""
    if block <= 1:
        return values
    end = (1 - 1 / block**2) / 6  # Simpson's rule for many samples
    return end * (values[..., :-2:2] + values[..., 2::2]) + (1 - 2 * end) * values[..., 1::2]
