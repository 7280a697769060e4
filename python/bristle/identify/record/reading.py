"""Converts a file to a record for a model: columns, units, gaps, outliers, velocity, sign. Each
step is reported."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ... import BristleError
from . import units
from .filtering import (
    DEGREE,
    Rate,
    later,
    local_rate,
    low_pass,
    median_about,
    noise_of,
    quantization,
    rate_of,
    smoothed,
    smoothed_velocity,
    through_window,
    windows,
)
from .roles import BY_NAME, find_roles, misfits
from .tables import Column, Table, read_table

GRAVITY, SPRING = "gravity", "spring"  # loads that depend on the position
FEWEST = 30  # samples, below which nothing is fitted
BRIDGED = 5  # samples: longer gaps do not count in the fit
# share of the displacement in each direction, from which on an offset can be distinguished from
# friction
BOTH_WAYS = 0.05
FINEST = 8  # points of a run for each mean over more samples
STILL = 10  # samples without any change, from which on a noisy signal counts as frozen
_BEYOND_NOISE = 3.0  # standard deviations: larger values have a sign
# of a signal's range: smaller noise does not count, as rounding in a table of four digits is a
# third of it
_SILENCE = 1e-4
_JUMP = 5.0  # times the usual step: the jump at the end of a frozen displacement
_FLAT = 1e-3  # of a motion: what a filter may take; the message is rounded to as much
# ratio of a displacement to the integral of the velocity that is reported, as from a gear between
# both, and that is refused
_ALIKE, _UNLIKE = 1.1, 2.0
_STEADY = 0.02  # of the mean velocity: smaller changes, beside noise, are constant
# of the mean load of a gear: below, its loss changes by less than residuals at reversals, and 0.09
# was found for 0.12 in a simulated record with 14 %
_STEADY_LOAD = 0.2
_COUNTS = "counts"
_SLOW = 1.0  # s: an interval that makes a time without a unit doubtful
# of the samples: if more have the time of another one, the clock is too coarse
_REPEATED = 0.05
_TURN = 2 * math.pi
# in SI units: beyond any measurement, and far from the overflow of squares
_LARGEST = 1e15
_SPARSE = 20  # times as many samples in gaps as measured: the record would be mostly bridged
_OUTLIERS = 0.02  # of the samples: more frequent outliers belong to the signal
_TIME_ROUNDING = 0.02  # of an interval: time stamps that differ by less are uniform


@dataclass(frozen=True)
class Options:
    """Options for reading a measurement; None is found in the file or left out."""

    columns: Mapping[str, str] = field(default_factory=dict)
    normal: float | None = None  # N
    mass: float | str | None = None  # kg, of what turns kg.m2; or "identify"
    constant: float | None = None  # N/A, or N.m/A where there is a radius
    radius: float | None = None  # m
    turns: bool = False  # columns without units are angles and torques
    assumed_radius: float | None = None  # m, if none is given and the element turns
    rate: float | None = None  # Hz, if there is no column of time
    start: float | None = None  # s
    stop: float | None = None  # s
    sign: str = "auto"  # auto, + or -
    offset: str = "auto"  # auto, none
    samples: int = 10_000  # at most; beyond, neighbours are averaged


# fields of a record with a value for each sample, beside the weight
SIGNALS = (
    "time",
    "velocity",
    "normal",
    "force",
    "displacement",
    "external",
    "acceleration",
    "place",
    "rougher",
    "held",
    "transmitted",
)


_MOTION = ("velocity", "displacement", "acceleration", "place", "rougher")


@dataclass(frozen=True)
class Record:
    """A measurement in SI units at uniform times, with friction in the direction of the motion."""

    name: str
    time: np.ndarray
    velocity: np.ndarray
    normal: np.ndarray
    force: np.ndarray  # the friction force, or the driving force
    weight: np.ndarray  # 1, or 0 for a sample that does not count
    displacement: np.ndarray
    displacement_is_measured: bool
    external: np.ndarray | None  # the load, if it is measured
    acceleration: np.ndarray | None  # of drive data with an unknown mass
    mass: float | None  # of drive data, if it is known: already subtracted
    has_offset: bool  # whether an offset can be distinguished from friction
    notes: tuple[str, ...]
    radius: float | None = None  # of a joint: displacements and forces are those at this radius
    smoothing: float = 0.0  # s: window of the filter of the velocity
    block: int = 1  # samples of the measurement in the mean of each sample
    # points of a run for each mean, if ends and middles of the blocks do not follow the force
    fineness: int = 0
    # weights of the filter of the force, that of the acceleration
    kernel: np.ndarray = field(default_factory=lambda: np.ones(1))
    # a row each: the displacement about its mean, and of a joint cosine and sine of its angle,
    # through the same filter
    place: np.ndarray | None = None
    load: str = ""  # that is fitted beside friction: "", gravity or spring
    # where a filter has given the velocity, those of others, a row each: with other windows, or,
    # where narrower ones were taken in places, with one for all samples
    rougher: np.ndarray | None = None
    # samples of the window that has given the velocity, and of those of the other rows, where each
    # is one for all samples
    widths: tuple[int, ...] = ()
    # what a gear passes on to its load, of which a share is friction
    transmitted: np.ndarray | None = None
    # of the driving force, what such a load takes, as far as it is seen before the fit: it does not
    # act on a body that sticks
    held: np.ndarray | None = None
    delay: float = 0.0  # s by which the motion was delayed, as the force lags behind it
    time_constant: float = 0.0  # s of a low-pass that the force has passed, in the kernel

    def delayed(self, delay: float) -> Record:
        """Returns the record with its motion delayed."""
        shift = (delay - self.delay) / self.interval
        if not shift:
            return self
        moved: dict[str, Any] = {
            name: later(values, shift)
            for name in _MOTION
            if (values := getattr(self, name)) is not None
        }
        return replace(self, **moved, delay=delay)

    def slowed(self, time_constant: float) -> Record:
        """Returns the record with a force that passed a low-pass before its measurement."""
        if not time_constant:
            return self
        kernel = low_pass(time_constant * self.block / self.interval)
        return replace(self, kernel=kernel, time_constant=time_constant)

    @property
    def finer(self) -> Record:
        """Returns the record with more points of a run for each mean."""
        return replace(self, fineness=min(self.block, FINEST) if self.block > 1 else 0)

    @property
    def others(self) -> list[tuple[np.ndarray, float]]:
        """Velocities of other filters, and the factor from their difference to the error of this
        one. The error of a window grows with its width: the acceleration jumps where friction
        reverses, and a window over w samples rounds such a bend over w samples. A wider one shows
        this; a narrower one also shows noise and steps of the encoder. The errors of n of them add
        up, as they are not random: |a| + |b| is at most √2 times the root of a² + b². Where windows
        were chosen in places, others are two views of the same error."""
        if self.rougher is None or not self.widths:
            return [] if self.rougher is None else [(row, 1.0) for row in self.rougher]
        width, *others = self.widths[:3]
        most = math.sqrt(len(others)) * width
        pairs = zip(self.rougher, others, strict=False)
        return [(row, most / abs(width - other)) for row, other in pairs]

    @property
    def narrower(self) -> Record | None:
        """The record with half the window for the velocity; None if there is no narrower one."""
        if self.rougher is None or len(self.widths) < 3:
            return None
        note = (
            "Less is left of the force with half the window for the velocity of the contact,"
            f" {self.widths[2]} samples: it was taken."
        )
        return replace(
            self,
            notes=(*self.notes, note),
            velocity=self.rougher[1],
            rougher=np.vstack([self.velocity, self.rougher[2:]]),
            widths=(self.widths[2], self.widths[0], *self.widths[3:]),
            smoothing=self.smoothing * self.widths[2] / self.widths[0],
        )

    @property
    def drive(self) -> np.ndarray | None:
        """The whole driving force of drive data, inertia and friction together."""
        return None if self.acceleration is None and self.mass is None else self.external

    @property
    def turns(self) -> bool:
        """Whether an angle was measured, so that gravity depends on its cosine and sine."""
        return self.place is not None and len(self.place) > 1

    @property
    def shapes(self) -> np.ndarray:
        """How the fitted load depends on the position, a row per unknown: that of gravity on an
        axis is constant, like the offset. The last two are the friction of a gear under its load T,
        if that is measured: a (1 + c sgn(T v)) |T| sgn v is a |T| sgn v + a c T, with a coefficient
        that differs by c between driving and being driven."""
        rows = np.empty((0, len(self.time)))
        if self.place is not None and self.load:
            rows = self.place[:1] if self.load == SPRING else self.place[1:]
        if self.transmitted is not None:
            against = _sense(self.velocity) * np.abs(self.transmitted)
            rows = np.vstack([rows, self.transmitted, against])
        return rows

    @property
    def tells_directions_apart(self) -> bool:
        """Whether friction that differs by direction can be determined: a free offset looks just
        like it."""
        return not self.has_offset and self.goes_both_ways

    @property
    def goes_both_ways(self) -> bool:
        return _goes_both_ways(self.velocity)

    @property
    def smeared(self) -> float:
        """The displacement after a reversal until the filter of the velocity has passed it: below,
        the motion is not resolved."""
        turns = self.reversals()
        if not len(turns) or not self.smoothing:
            return 0.0
        rates = np.abs(np.gradient(self.velocity, self.interval))[turns]
        return float(np.median(rates)) * (self.smoothing / 2) ** 2 / 2

    @property
    def interval(self) -> float:
        return float(self.time[1] - self.time[0])

    def reversals(self) -> np.ndarray:
        """Returns the samples at which a new stroke begins: where the direction of motion has
        changed permanently."""
        return np.flatnonzero(np.diff(directions(self.velocity)) != 0) + 1


def _goes_both_ways(velocity: np.ndarray) -> bool:
    forward = velocity[velocity > 0].sum() / np.abs(velocity).sum()
    return min(forward, 1 - forward) > BOTH_WAYS


def whole_drive(records: Sequence[Record]) -> np.ndarray | None:
    """Returns the driving force of records one after the other, if all of them are of a drive."""
    drives = [record.drive for record in records if record.drive is not None]
    return np.concatenate(drives) if len(drives) == len(records) else None


def directions(velocity: np.ndarray) -> np.ndarray:
    """Returns the direction of motion at each sample, -1 or 1; at rest and in noise the last
    one."""
    threshold = 0.05 * np.quantile(np.abs(velocity), 0.95)
    signs = np.where(velocity > threshold, 1, np.where(velocity < -threshold, -1, 0))
    known = np.flatnonzero(signs)
    if not len(known):
        return np.ones(len(velocity))
    last = np.searchsorted(known, np.arange(len(signs)), side="right") - 1
    return signs[known[np.maximum(last, 0)]].astype(float)


def _sense(velocity: np.ndarray) -> np.ndarray:
    """Returns the sign of the velocity, linear between both within its noise: `directions` would
    change late, which looks like a lag of the force."""
    width = max(_BEYOND_NOISE * noise_of(velocity), 1e-6 * float(np.abs(velocity).max()))
    return np.clip(velocity / width, -1.0, 1.0)


@dataclass
class _Draft:
    """An unfinished record: signals in SI units, and notes on their processing."""

    file: Path
    options: Options
    times: np.ndarray
    signals: dict[str, np.ndarray]
    weight: np.ndarray  # 1, or 0 for a sample that does not count
    notes: list[str]
    step: float = 0.0  # of an encoder
    lever: float | None = None  # m: the radius of a measured angle

    @property
    def interval(self) -> float:
        return float(self.times[1] - self.times[0])

    @property
    def is_drive(self) -> bool:
        return "friction" not in self.signals

    @property
    def known_mass(self) -> float | None:
        mass = self.options.mass
        return None if mass is None or isinstance(mass, str) else float(mass)

    @property
    def has_inertia(self) -> bool:
        """Whether the force passes the filter of an acceleration."""
        return self.is_drive and self.options.mass is not None


def read_record(
    file: Path, options: Options, report: Callable[[str], None] = lambda text: None
) -> Record:
    """Reads a record from a file; `report` is called with the progress."""
    report("reading")
    table = read_table(file)
    report("numbers")
    columns = find_roles(
        table, options.columns, options.normal is not None, options.constant is not None
    )
    draft = _measured(table, columns, options)
    _check_sizes(draft)
    _drop_repeats(draft)
    if len(draft.times) < FEWEST:
        raise BristleError(
            f"{file}: {len(draft.times)} samples are too few, at least {FEWEST} are needed."
        )
    if "displacement" in draft.signals:
        draft.step = quantization(draft.signals["displacement"])
    draft.signals[_COUNTS] = _without_standstill(draft.signals, draft.notes)
    _make_uniform(draft)
    if draft.interval >= _SLOW and columns.get("time") and columns["time"].unit is None:
        draft.notes.append(
            f'There is a sample every {draft.interval:.4g} s, as "{columns["time"].title}" has no'
            " unit; if it is in ms, write so in its title."
        )
    # a resampled one between a sample that counts and one that does not counts in part
    draft.weight = draft.weight * (draft.signals.pop(_COUNTS) > 0.999)
    draft.weight = draft.weight * _without_outliers(draft.signals, draft.notes)
    if draft.weight.sum() < FEWEST:
        raise BristleError(
            f"{file}: {int(draft.weight.sum())} samples are left that count, at least {FEWEST} are"
            " needed."
        )
    report("velocity")
    return _finished(draft)


def _measured(table: Table, columns: Mapping[str, Column], options: Options) -> _Draft:
    """Returns the selected complete rows, in SI units."""
    notes = [_columns_note(columns)]
    options = _at_radius(columns, options, notes)
    times = _times(table, columns, options)
    signals = _signals(table, columns, options, notes)
    lines, times, signals = _without_missing(table, columns, times, signals, notes)
    _check_times(table, columns, lines, times, options)
    rows = _wanted_rows(times, options, table.file)
    motion = [columns[role] for role in ("displacement", "velocity") if role in columns]
    turns = any(column.unit and column.unit.kind in _ANGULAR for column in motion)
    return _Draft(
        table.file,
        options,
        times[rows],
        {name: values[rows] for name, values in signals.items()},
        np.ones(len(rows)),
        notes,
        lever=options.radius if options.turns or turns else None,
    )


def _check_sizes(draft: _Draft) -> None:
    sizes = {BY_NAME[name].text: np.abs(values).max() for name, values in draft.signals.items()}
    sizes["the time"] = float(draft.times[-1]) - float(draft.times[0])
    for text, largest in sizes.items():
        if largest > _LARGEST:
            raise BristleError(
                f"{draft.file}: {text} reaches {largest:.2g} in SI units, so that its unit seems to"
                " be wrong."
            )


_ANGULAR = (units.ANGLE, units.ANGULAR_VELOCITY, units.ANGULAR_ACCELERATION, units.TORQUE)
# power of the radius in the conversion to displacements and forces
_ROLES_THAT_TURN = {
    "velocity": 1,
    "displacement": 1,
    "acceleration": 1,
    "friction": -1,
    "drive": -1,
    "transmitted": -1,
}


def _at_radius(columns: Mapping[str, Column], options: Options, notes: list[str]) -> Options:
    """Sets the options of a joint: its radius, and an inertia in place of a mass."""
    angular = any(column.unit and column.unit.kind in _ANGULAR for column in columns.values())
    if options.assumed_radius is None or not (options.turns or angular):
        return options
    radius = options.radius or options.assumed_radius
    why = "" if options.radius else ", the default of the element (--radius gives another)"
    notes.append(
        f"Angles and torques are taken at a frictionRadius of {radius:g} m{why}: ways, speeds and"
        " forces in this output are those there."
    )
    mass = options.mass / radius**2 if isinstance(options.mass, float) else options.mass
    return replace(options, turns=True, radius=radius, mass=mass)


def _columns_note(columns: Mapping[str, Column]) -> str:
    parts = [
        f'{role} from "{column.title}"{"" if column.unit else " (no unit given: SI)"}'
        for role, column in columns.items()
    ]
    return "Columns: " + ", ".join(parts) + "."


def _times(table: Table, columns: Mapping[str, Column], options: Options) -> np.ndarray:
    if "time" not in columns:
        if options.rate is None:
            raise BristleError(
                f"{table.file}: there is no column of time among"
                f" {table.titles}{misfits(table, ('time',))}; name it with --column time=TITLE, or"
                " give the samples per second with --rate."
            )
        return np.arange(len(table.lines)) / options.rate
    return columns["time"].values


def _check_times(
    table: Table,
    columns: Mapping[str, Column],
    lines: np.ndarray,
    times: np.ndarray,
    options: Options,
) -> None:
    """Checks that times do not go back, and that a given rate is theirs."""
    if "time" not in columns:
        return
    where = f'column "{columns["time"].title}"'
    back = np.flatnonzero(np.diff(times) < 0)
    if len(back):
        i = back[0]
        before, after = f"{times[i]:.9g}", f"{times[i + 1]:.9g}"
        raise BristleError(
            f"{table.file}: line {lines[i + 1]}, {where}: the time goes back from {before} s to"
            f" {after} s."
        )
    if options.rate is not None and len(times) > 1:
        interval = float(np.median(np.diff(times)))
        if not abs(interval * options.rate - 1) < _TIME_ROUNDING:
            raise BristleError(
                f"{table.file}: {where} has a sample every {interval:.4g} s, but --rate"
                f" {options.rate:g} one every {1 / options.rate:.4g} s; leave out --rate, or the"
                " column with --column time=none."
            )


def _without_missing(
    table: Table,
    columns: Mapping[str, Column],
    times: np.ndarray,
    signals: dict[str, np.ndarray],
    notes: list[str],
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Leaves out lines with a missing number: an empty cell, NaN, a dash. The gap in time is
    bridged like any other."""
    lines = np.array(table.lines)
    whole = np.isfinite(times)
    for values in signals.values():
        whole &= np.isfinite(values)
    if whole.all():
        return lines, times, signals
    for column in columns.values():
        missing = np.flatnonzero(~np.isfinite(column.values))
        if 2 * len(missing) > len(lines):
            of = f"{len(missing)} of {len(lines)} lines, the first of them line {lines[missing[0]]}"
            raise BristleError(f'{table.file}: column "{column.title}" has no number in {of}.')
        if len(missing):
            notes.append(
                f'"{column.title}" has no number in {_counted(len(missing), "line")} (first in line'
                f" {lines[missing[0]]}), left out."
            )
    if 2 * whole.sum() < len(lines):
        raise BristleError(
            f"{table.file}: only {int(whole.sum())} of {len(lines)} lines have a number in every"
            " column that is used."
        )
    return lines[whole], times[whole], {name: values[whole] for name, values in signals.items()}


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _wanted_rows(times: np.ndarray, options: Options, file: Path) -> np.ndarray:
    low, high = (options.start or -math.inf), (math.inf if options.stop is None else options.stop)
    rows = np.flatnonzero((times >= low) & (times <= high))
    if not len(rows):
        raise BristleError(f"{file}: there is no sample between {low:g} s and {high:g} s.")
    return rows


def _signals(
    table: Table, columns: Mapping[str, Column], options: Options, notes: list[str]
) -> dict[str, np.ndarray]:
    """Returns the measured signals in N, m, m/s and m/s2."""
    signals = {
        role: _translational(role, column, options, table, notes)
        for role, column in columns.items()
        if role not in ("time", "current")
    }
    if options.constant is not None or not signals.keys() & _FORCES:
        _add_drive_by_current(table, columns, options, signals)
    if not signals.keys() & {"velocity", "displacement"}:
        raise BristleError(
            f"{table.file}: there is neither a velocity nor a displacement among"
            f" {table.titles}{misfits(table, ('velocity', 'displacement'))}; name one with --column"
            " velocity=TITLE or --column displacement=TITLE."
        )
    if options.mass is not None and "friction" in signals and "drive" not in signals:
        signals["drive"] = signals.pop("friction")
        notes.append(
            "With a mass given, the force is that of the drive: friction and inertia together."
        )
    if not signals.keys() & _FORCES:
        raise BristleError(
            f"{table.file}: there is no friction force among"
            f" {table.titles}{misfits(table, ('friction', 'drive'))}; name it with --column"
            " friction=TITLE, or a driving force with --column drive=TITLE."
        )
    _add_normal(table, options, signals, notes)
    if "coefficient" in signals and "friction" not in signals:
        signals["friction"] = signals["coefficient"] * signals["normal"]
        notes.append("The friction force is the coefficient of friction times the normal force.")
    signals.pop("coefficient", None)
    return signals


_FORCES = {"friction", "drive", "coefficient"}


def _add_drive_by_current(
    table: Table, columns: Mapping[str, Column], options: Options, signals: dict[str, np.ndarray]
) -> None:
    """Adds the force of a motor, if its current or its control voltage was measured."""
    taken = next((columns[role] for role in _FORCES if role in columns), None)
    current = columns.get("current")
    if options.constant is not None and (taken or not current):
        why = f'the force is taken from "{taken.title}"' if taken else "there is none"
        raise BristleError(
            f"{table.file}: --constant is for a column of current or voltage, but {why}; name"
            " that column with --column current=TITLE, or leave out --constant."
        )
    if current and options.constant is None:
        per = "V" if current.unit and current.unit.kind == units.VOLTAGE else "A"
        raise BristleError(
            f'{table.file}: the force of "{current.title}" needs a constant in N/{per}: --constant.'
        )
    if current and options.constant is not None:
        signals["drive"] = current.values * options.constant / (options.radius or 1.0)


def _add_normal(
    table: Table, options: Options, signals: dict[str, np.ndarray], notes: list[str]
) -> None:
    if options.normal is not None:
        signals["normal"] = np.full(len(table.lines), float(options.normal))
    if "normal" not in signals:
        raise BristleError(
            f"{table.file}: there is no normal force among"
            f" {table.titles}{misfits(table, ('normal',))}; name it with --column normal=TITLE or"
            " give a constant in N with --normal (with 1, friction coefficients are forces in N)."
        )
    if np.median(signals["normal"]) < 0:
        signals["normal"] = -signals["normal"]
        notes.append("The normal force is negative in the file; its sign was changed.")


def _translational(
    role: str, column: Column, options: Options, table: Table, notes: list[str]
) -> np.ndarray:
    """Returns the values of a column; angles and torques become displacements and forces at the
    radius."""
    kind = column.unit.kind if column.unit else None
    is_bare = column.unit is None and options.turns and role in _ROLES_THAT_TURN
    if kind not in _ANGULAR and not is_bare:
        return column.values
    if options.radius is None:
        raise BristleError(
            f'{table.file}: column "{column.title}" needs a radius in m at which friction acts:'
            " --radius; or take a rotational twin, as LuGreRotational."
        )
    power = _ROLES_THAT_TURN[role] if is_bare else -1 if kind == units.TORQUE else 1
    values = column.values
    if role == "displacement" and (kind == units.ANGLE or is_bare):
        values = _unwrapped(values, column, notes)
    return values * options.radius**power


def _unwrapped(angle: np.ndarray, column: Column, notes: list[str]) -> np.ndarray:
    """Unwraps an angle that is measured within one turn."""
    there = np.isfinite(angle)
    measured = angle[there]
    if (
        len(measured) < 2
        or np.ptp(measured) > 1.001 * _TURN
        or np.abs(np.diff(measured)).max() < 0.9 * _TURN
    ):
        return angle
    notes.append(f'"{column.title}" restarts after each turn; the turns were counted.')
    whole = angle.copy()
    whole[there] = np.unwrap(measured)
    return whole


def _drop_repeats(draft: _Draft) -> None:
    """Leaves out samples with the time of the one before."""
    repeats = np.diff(draft.times) == 0
    repeated = np.flatnonzero(repeats) + 1
    if not len(repeated):
        return
    changes = [np.diff(values) != 0 for values in draft.signals.values()]
    differs = int((repeats & np.any(changes, axis=0)).sum())
    if differs > _REPEATED * len(draft.times):
        raise BristleError(
            f"{draft.file}: {differs} of {len(draft.times)} samples have the same time as the one"
            " before them: the times are too coarse. Leave them out with --column time=none and"
            " give the samples per second with --rate."
        )
    draft.notes.append(
        f"{_counted(len(repeated), 'sample')} with the time of the one before: left out."
    )
    draft.times = np.delete(draft.times, repeated)
    draft.signals = {name: np.delete(values, repeated) for name, values in draft.signals.items()}


def _without_standstill(signals: dict[str, np.ndarray], notes: list[str]) -> np.ndarray:
    """Returns which samples count: not those of a sensor that is frozen or at the end of its range;
    a displacement is interpolated there."""
    counts = np.ones(len(next(iter(signals.values()))))
    for name in signals.keys() & {"friction", "drive"}:
        values = signals[name]
        if (still := _still(values)).any():
            counts[still] = 0
            where = (
                "at the ends of its range"
                if np.isin(values[still], (values.min(), values.max())).all()
                else "frozen"
            )
            notes.append(
                f"{BY_NAME[name].text.capitalize()} does not change at all in {int(still.sum())}"
                f" samples, though it has noise elsewhere: the sensor is {where}, and they do not"
                " count."
            )
    for begin, end in _jumps(signals.get("displacement", np.empty(0))):
        values = signals["displacement"]
        signals["displacement"] = values = values.copy()
        values[begin : end + 1] = np.linspace(values[begin], values[end], end + 1 - begin)
        counts[begin:end] = 0
        words = (
            f"The displacement stands still for {end - begin} samples and then jumps: the sensor"
            " was frozen"
        )
        notes.append(f"{words}; it is interpolated there, and these samples do not count.")
    return counts


def _runs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns first and last sample of each stretch of equal values."""
    changes = np.flatnonzero(np.diff(values)) + 1
    return np.concatenate(([0], changes)), np.concatenate((changes - 1, [len(values) - 1]))


def _still(values: np.ndarray) -> np.ndarray:
    """Finds samples of a noisy signal that do not change: a few in a row at the ends of its range,
    or many anywhere."""
    still = np.zeros(len(values), dtype=bool)
    first, last = _runs(values)
    lengths = last - first + 1
    moving = np.repeat(lengths == 1, lengths)
    noise = rate_of(values[moving], 1.0).noise if moving.sum() > FEWEST else 0.0
    if noise <= _SILENCE * np.ptp(values):
        return still  # without noise, or in larger steps, values repeat normally
    ends = np.isin(values[first], (values.min(), values.max()))
    chosen = (lengths >= STILL) | (ends & (lengths >= 3))
    steps = np.abs(np.diff(values))
    borders = steps[
        np.concatenate((first[chosen & (first > 0)] - 1, last[chosen & (last < len(steps))]))
    ]
    if len(borders) and np.median(borders) < 2 * steps[steps > 0].min():
        return still  # it comes to rest in single steps of its rounding
    for begin, end in zip(first[chosen], last[chosen], strict=True):
        still[begin : end + 1] = True
    return still if still.sum() >= STILL else np.zeros(len(values), dtype=bool)


def _jumps(values: np.ndarray) -> list[tuple[int, int]]:
    """Finds where a signal is constant and then jumps far beyond all other steps: from the first
    constant sample to the one after."""
    if len(values) < FEWEST:
        return []
    first, last = _runs(values)
    steps = np.abs(np.diff(values))
    usual = float(np.quantile(steps[steps > 0], 0.99)) if (steps > 0).any() else 0.0
    stretches = zip(first, last, strict=True)
    return [
        (int(i), int(k) + 1)
        for i, k in stretches
        if k - i + 1 >= STILL and k + 1 < len(values) and steps[k] > _JUMP * usual
    ]


def _make_uniform(draft: _Draft) -> None:
    """Makes times uniform from zero; samples in long gaps do not count."""
    times = draft.times
    spans = np.diff(times)
    interval = float(np.median(spans))
    gaps = spans > 1.5 * interval
    draft.weight = np.ones(len(times))
    if not gaps.any() and np.abs(spans - interval).max() <= _TIME_ROUNDING * interval:
        # the rounding of each averages out
        draft.times = np.linspace(0.0, times[-1] - times[0], len(times))
        return
    count = math.floor((times[-1] - times[0]) / interval + 1e-6) + 1
    if count > _SPARSE * len(times):
        raise BristleError(
            f"{draft.file}: the times of the samples are too uneven: the gaps hold more than"
            f" {_SPARSE} times as many samples as there are."
        )
    grid = np.arange(count) * interval + times[0]
    ahead = np.clip(np.searchsorted(times, grid), 1, len(times) - 1)
    span = times[ahead] - times[ahead - 1]
    draft.signals = {name: np.interp(grid, times, values) for name, values in draft.signals.items()}
    draft.times = grid - times[0]
    # of n samples that are lost n + 1 intervals
    draft.weight = (span < (BRIDGED + 1.5) * interval).astype(float)
    if not gaps.any():
        draft.notes.append(f"Uneven times were resampled to every {interval:.4g} s.")
        return
    lost = int((np.ceil(spans[gaps] / interval - 0.5) - 1).sum())
    longest = float(spans.max())
    left = "" if draft.weight.all() else f", but those above {BRIDGED} samples do not count"
    draft.notes.append(
        f"Gaps in time: {int(gaps.sum())}, with {lost} samples in all, the longest {longest:.3g} s;"
        f" bridged by straight lines{left}."
    )


def _means(values: np.ndarray, block: int) -> np.ndarray:
    """Returns means over blocks along the last axis; an incomplete one is left out."""
    count = values.shape[-1] // block
    return values[..., : count * block].reshape(*values.shape[:-1], count, block).mean(axis=-1)


def _without_outliers(signals: dict[str, np.ndarray], notes: list[str]) -> np.ndarray:
    """Replaces samples far from their neighbours, in a displacement, which cannot jump, as many as
    in a bridged gap; they do not count."""
    weight = np.ones(len(next(iter(signals.values()))))
    for name, values in signals.items():
        reach = BRIDGED if name == "displacement" else 2
        middle = median_about(values, reach)
        apart = np.abs(values - middle)
        limit = max(
            10 * 1.4826 * float(np.median(apart)),
            # a fast reversal is as far from the neighbouring samples
            0.05 * reach * float(np.quantile(values, 0.99) - np.quantile(values, 0.01)),
        )
        far = (apart > limit) & (apart > 0)
        if far.any() and far.mean() < _OUTLIERS:
            rows = np.arange(len(values))
            signals[name] = np.interp(rows, rows[~far], values[~far])
            weight[far] = 0
            count = int(far.sum())
            notes.append(
                f"{count} outlier{'s were' if count > 1 else ' was'} left out of"
                f" {BY_NAME[name].text}."
            )
    return weight


def _finished(draft: _Draft) -> Record:
    """Makes the record, with a velocity and friction in the direction of the motion."""
    velocity, displacement, filtered = _motion(draft)
    force = _resistance(draft)
    moves = velocity if "velocity" in draft.signals else np.diff(displacement)  # a filter rounds
    if not moves.any():
        raise BristleError(f"{draft.file}: nothing moves, so nothing can be learned about sliding.")
    _check_motion(draft, velocity, force)
    both_ways = _goes_both_ways(velocity)
    place = _place(displacement, draft.lever)
    turned = _is_turned(velocity, force, both_ways, draft.options.sign, place[1:])
    if turned:
        draft.notes.append(
            "The force is the one on the body, against the motion; its sign was changed to this"
            " library's."
        )
    sign = -1.0 if turned else 1.0
    force, acceleration, kernel = _without_inertia(draft, velocity, sign * force, filtered)
    ends = len(kernel) // 2  # near the ends the filter lacks samples, and its result is no mean
    if ends and draft.weight[ends:-ends].sum() >= FEWEST:
        draft.weight[:ends] = draft.weight[-ends:] = 0.0
    if not both_ways and draft.options.offset == "auto":
        draft.notes.append(
            "The motion has one direction only, so that an offset of the force cannot be"
            " distinguished from friction; none is assumed."
        )
    signals, options = draft.signals, draft.options
    rougher, widths = _rougher(draft, filtered)
    record = Record(
        name=draft.file.name,
        time=draft.times,
        velocity=velocity,
        normal=signals["normal"],
        force=force,
        weight=draft.weight,
        displacement=displacement,
        displacement_is_measured="displacement" in signals,
        external=sign * signals["drive"] if "drive" in signals else None,
        acceleration=acceleration,
        mass=draft.known_mass if draft.is_drive else None,
        has_offset=both_ways and options.offset == "auto",
        notes=(),
        radius=options.radius if options.turns else None,
        smoothing=filtered.width * draft.interval if filtered else 0.0,
        kernel=kernel,
        place=smoothed(place, kernel),
        transmitted=_transmitted(draft, kernel),
        rougher=rougher,
        widths=widths,
    )
    draft.notes += _doubts(record)
    return replace(averaged(record, options.samples, draft.notes), notes=tuple(draft.notes))


def _resistance(draft: _Draft) -> np.ndarray:
    """Returns the measured force, of a drive without the transmitted part."""
    if not draft.is_drive:
        return draft.signals["friction"]
    if "transmitted" not in draft.signals:
        return draft.signals["drive"]
    draft.notes.append(
        "The transmitted torque was subtracted from the drive's: the remainder is friction and"
        " inertia."
    )
    return draft.signals["drive"] - draft.signals["transmitted"]


def _transmitted(draft: _Draft, kernel: np.ndarray) -> np.ndarray | None:
    """Returns the force that a gear transmits, if it changes enough to show which share of it is
    friction."""
    if "transmitted" not in draft.signals:
        return None
    size = np.abs(draft.signals["transmitted"])
    spread = float(size.std() / max(size.mean(), 1e-300))
    if spread >= _STEADY_LOAD:
        return smoothed(draft.signals["transmitted"], kernel)
    draft.notes.append(
        f"The load of the gear changes by {spread:.0%} about its mean, too little to"
        " distinguish its friction under load (gearLoadCoefficient) from that without: it is not"
        " fitted, and"
        " the friction found is that at this load."
    )
    return None


def _check_motion(draft: _Draft, velocity: np.ndarray, force: np.ndarray) -> None:
    """Refuses a record without information on friction."""
    file = draft.file
    if not np.ptp(force) and (not force[0] or _goes_both_ways(velocity)):
        raise BristleError(
            f"{file}: {BY_NAME['drive' if draft.is_drive else 'friction'].text} is {force[0]:.3g} N"
            " throughout, so that it says nothing about friction."
        )
    if not (draft.signals["normal"] > 0).any():
        raise BristleError(
            f"{file}: the normal force is never above zero, so that there is no contact."
        )
    mean = abs(float(velocity.mean()))
    noise = rate_of(velocity, draft.interval).noise
    if math.sqrt(max(float(velocity.var()) - noise**2, 0.0)) < _STEADY * mean:
        raise BristleError(
            f"{file}: the velocity is constant ({mean:.3g} m/s), so that only the friction at this"
            " speed can be seen; a measurement with reversals or several speeds is needed."
        )


def _without_inertia(
    draft: _Draft, velocity: np.ndarray, force: np.ndarray, filtered: Rate | None
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Returns the force without the inertia of a known mass; the acceleration, if the mass is
    unknown; and the filter of both."""
    if not draft.has_inertia:
        if draft.is_drive:
            draft.notes.append(
                "The driving force is taken as friction: no mass is given, so that inertia is"
                " neglected (--mass)."
            )
        return force, None, np.ones(1)
    acceleration, kernel = _acceleration(draft, velocity, filtered)
    force, mass = smoothed(force, kernel), draft.known_mass
    if mass is None:
        return force, acceleration, kernel
    radius = draft.options.radius
    inertia = f"{mass * radius**2:g} kg.m2" if radius and draft.options.turns else f"{mass:g} kg"
    draft.notes.append(f"The inertia of {inertia} was subtracted from the driving force.")
    return force - mass * acceleration, None, kernel


def _rougher(draft: _Draft, rate: Rate | None) -> tuple[np.ndarray | None, tuple[int, ...]]:
    """Returns the velocities of other filters, and the windows of all."""
    if rate is None:
        return None, ()
    order = 0 if "velocity" in draft.signals else 1
    signal = draft.signals["displacement" if order else "velocity"]
    others = windows(rate.width)
    rows = [through_window(signal, draft.interval, rate, one, order) for one in others]
    if order:
        rows = [row * _flattening(signal, _integral(row, draft.interval)) for row in rows]
    if order and not draft.has_inertia:
        return np.stack([rows[min(1, len(rows) - 1)], rate.values]), ()
    return np.stack(rows), (rate.width, *others)


def averaged(record: Record, samples: int, notes: list[str] | None = None) -> Record:
    """Returns the record with at most this many samples: means over neighbours, if necessary."""
    block = math.ceil(len(record.time) / samples)
    if block <= 1:
        return record
    if notes is not None:
        notes.append(
            f"{len(record.time)} samples at {1 / record.interval:.4g} Hz: means over {block}"
            " neighbours are fitted."
        )
    means: dict[str, Any] = {
        name: _means(values, block)
        for name in SIGNALS
        if (values := getattr(record, name)) is not None
    }
    return replace(
        record, **means, weight=np.floor(_means(record.weight, block)), block=record.block * block
    )


def _motion(draft: _Draft) -> tuple[np.ndarray, np.ndarray, Rate | None]:
    """Returns velocity, displacement and the filter between them, if any: with the same window
    everywhere if the force passes the same one."""
    signals, interval, notes = draft.signals, draft.interval, draft.notes
    if "velocity" not in signals:
        rate = rate_of(signals["displacement"], interval, draft.step)
        notes.append(_rate_note("Velocity", "displacement", rate, interval, "m"))
        values = rate.values
        if not draft.has_inertia:
            values = local_rate(signals["displacement"], interval, rate)
        if not np.array_equal(values, rate.values):
            notes.append(
                "Narrower windows were used where the motion bends more, as at starts and stops."
            )
        gain = _flattening(signals["displacement"], _integral(values, interval))
        if gain > 1 + _FLAT:
            notes.append(
                f"The filter flattens the motion: the velocity was multiplied by {gain:.3f}, so"
                " that its integral meets the displacement."
            )
        return values * gain, signals["displacement"], rate
    velocity, filtered = _without_noise(draft)
    integral = _integral(velocity, interval)
    if "displacement" not in signals:
        return velocity, integral, filtered
    _check_displacement(draft, integral)
    return velocity, signals["displacement"], filtered


def _check_displacement(draft: _Draft, integral: np.ndarray) -> None:
    """Compares the displacement with the integral of the velocity, apart from a straight line: an
    offset of the velocity, however small, adds up to one."""
    way = draft.signals["displacement"]
    lines = (
        [np.ones(len(way)), draft.times] if _goes_both_ways(np.diff(integral)) else [1 + 0 * way]
    )
    table = np.stack([integral, *lines], axis=1)
    ratio = float(np.linalg.lstsq(table, way, rcond=None)[0][0])
    if 1 / _ALIKE < ratio < _ALIKE or not np.ptp(way):
        return
    words = f"the displacement is {ratio:.2g} times the integral of the velocity"
    if not 1 / _UNLIKE < ratio < _UNLIKE:
        raise BristleError(
            f"{draft.file}: {words}; the unit or the sign of one of them is wrong (leave one out"
            " with --column velocity=none or displacement=none)."
        )
    draft.notes.append(f"The velocity is used, but {words}; is one of them wrong?")


def _without_noise(draft: _Draft) -> tuple[np.ndarray, Rate | None]:
    """Removes the noise of a measured velocity, which would move a bristle to and fro and make it
    look softer; unchanged if an acceleration is derived from it, whose filter does the same."""
    velocity = draft.signals["velocity"]
    noise = noise_of(velocity)
    if draft.has_inertia or noise <= _SILENCE * np.ptp(velocity):
        return velocity, None
    rate = smoothed_velocity(velocity, noise)
    draft.notes.append(
        f"The measured velocity has noise of {units.with_prefix(noise, 'm/s')}, which would move a"
        f" bristle: smoothed over {rate.width} samples"
        f" ({units.with_prefix(rate.width * draft.interval, 's')}), which shifts nothing in time"
        f" and leaves {units.with_prefix(rate.noise_left, 'm/s')}."
    )
    return rate.values, rate


def _integral(velocity: np.ndarray, interval: float) -> np.ndarray:
    return np.concatenate(([0.0], np.cumsum((velocity[1:] + velocity[:-1]) / 2) * interval))


def _flattening(way: np.ndarray, integral: np.ndarray) -> float:
    """Returns the ratio of the measured displacement to that of a filtered velocity: a wide window
    reduces an oscillation, and a stiffness would be too large by as much."""
    table = np.column_stack([integral, np.ones(len(way))])
    gain = float(np.linalg.lstsq(table, way, rcond=None)[0][0])
    return gain if gain > 1 + _FLAT else 1.0


def _rate_note(what: str, signal: str, rate: Rate, interval: float, unit: str) -> str:
    steps = f", steps of {units.with_prefix(rate.step, unit)}" if rate.step else ""
    left = units.with_prefix(rate.noise_left, "m/s" if unit == "m" else "m/s2")
    return (
        f"{what} from the {signal}: Savitzky-Golay filter of degree {DEGREE} over {rate.width}"
        f" samples ({units.with_prefix(rate.width * interval, 's')}), chosen by the signal's noise"
        f" ({units.with_prefix(rate.noise, unit)}{steps}); it shifts nothing in time and leaves"
        f" {left}."
    )


def _acceleration(
    draft: _Draft, velocity: np.ndarray, filtered: Rate | None
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the acceleration, and the weights of its filter: forces beside it have to be the same
    mean, or the mass would compensate for the difference."""
    if "acceleration" in draft.signals:
        return draft.signals["acceleration"], np.ones(1)
    rate = rate_of(velocity, draft.interval, before=filtered)
    draft.notes.append(_rate_note("Acceleration", "velocity", rate, draft.interval, "m/s"))
    draft.notes.append(
        "The force, measured and modelled, goes through the same filter as the acceleration, so"
        " that it rounds off neither more nor less."
    )
    return rate.values, rate.kernel


def _place(displacement: np.ndarray, lever: float | None) -> np.ndarray:
    """Returns what a load may depend on: the displacement, and of an angle at this lever its cosine
    and sine."""
    rows = [displacement - displacement.mean()]
    return np.stack(
        rows
        if lever is None
        else [*rows, np.cos(displacement / lever), np.sin(displacement / lever)]
    )


def _is_turned(
    velocity: np.ndarray, force: np.ndarray, both_ways: bool, sign: str, gravity: np.ndarray
) -> bool:
    """Checks the sign of the force: friction dissipates energy, so a force that does not is the one
    on the body. Work of gravity on a joint does not count."""
    if sign != "auto":
        return sign == "-"
    if len(gravity):
        table = np.stack([*gravity, directions(velocity), velocity, np.ones(len(force))], axis=1)
        force = force - np.linalg.lstsq(table, force, rcond=1e-6)[0][: len(gravity)] @ gravity
    middle = (force[velocity > 0].mean() + force[velocity < 0].mean()) / 2 if both_ways else 0.0
    return float((force - middle) @ velocity) < 0


def _doubts(record: Record) -> list[str]:
    """Reports what looks like a wrong unit."""
    doubts = []
    loaded = record.normal > 0.1 * record.normal.max()
    level = float(np.quantile(np.abs(record.force[loaded]), 0.9) / np.median(record.normal[loaded]))
    # with a normal force of 1 N a coefficient is a force, and models accept those from 1e-6 on
    low, high = (1e-5, math.inf) if record.normal.max() == 1.0 else (1e-4, 10.0)
    if not low < level < high:
        doubts.append(
            f"The force is {level:.2g} times the normal force; is the unit of one of them wrong?"
        )
    fastest = float(np.abs(record.velocity).max())
    if fastest > 1000:
        doubts.append(f"The speed reaches {fastest:.2g} m/s; is its unit wrong?")
    return doubts
