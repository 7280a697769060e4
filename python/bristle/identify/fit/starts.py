"""Finds first values by stages: the sliding part of a record gives the curve over the speed, the
reversals give the bristle."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .candidates import Candidate, Space
from ..record.reading import Record, directions
from .statistics import distance_after_reversal

# of the displacement from a reversal to where friction is zero: after it 1 - 2/2³ of sliding
# friction acts
_SLID = 3
# trial speeds of the fall of friction, each 1.8 times the one before, up to a third of the usual
# speed: a wider one looks like a viscous part
_FALLS = 7


@dataclass(frozen=True)
class Scales:
    """Rough scales of a record."""

    normal: float  # N, while the contact is loaded
    friction: float  # coefficient in sliding
    static: float  # coefficient at small speeds, or its largest
    dynamic: float  # coefficient at large speeds
    viscous: float  # s/m
    speed: float  # m/s, typical of sliding
    slowest: float  # m/s
    fastest: float  # m/s
    fall: float  # m/s at which friction has fallen, if it falls
    turning: float  # m, from a reversal to where friction has changed its sign
    resolved: bool  # whether this distance holds several samples
    reverses: bool  # whether the motion reverses
    slides: bool  # whether it moves much further than that
    interval: float  # s

    @property
    def stiffness(self) -> float:
        """Returns the stiffness in N/m: after a reversal in sliding a bristle gives F = F_s (1 - 2
        exp(-k d/F_s)), which is 0 at d = ln 2 F_s/k."""
        return float(np.log(2)) * self.friction * self.normal / self.turning


def scales(records: Sequence[Record]) -> Scales:
    parts = [_glance(record) for record in records]
    means: dict[str, Any] = {
        key: float(np.median([getattr(part, key) for part in parts]))
        for key in Scales.__dataclass_fields__
    }
    for key in ("resolved", "reverses", "slides"):
        means[key] = any(getattr(part, key) for part in parts)
    means["fastest"], means["slowest"] = (
        max(p.fastest for p in parts),
        min(p.slowest for p in parts),
    )
    return Scales(**means)


def _glance(record: Record) -> Scales:
    loaded = record.normal > 0.1 * np.quantile(record.normal, 0.95)
    way = directions(record.velocity)
    force = regression(record)[2]
    ratio = np.where(loaded, way * force / np.where(loaded, record.normal, 1.0), 0.0)
    starts = np.concatenate(([0], record.reversals()))
    distance = distance_after_reversal(record)
    speeds = np.abs(record.velocity)
    usual = float(np.quantile(speeds, 0.95))
    moving = loaded & (speeds > 0.05 * usual)
    level = float(np.quantile(ratio[moving], 0.75)) if moving.any() else 0.1
    level = level if level > 0 else float(np.abs(ratio[loaded]).max()) or 0.1
    turning, resolved = _turning(record, force, loaded)
    sliding = moving & (distance > _SLID * turning)
    slides = bool(sliding.sum() >= 20)
    if not slides:
        sliding = moving & (ratio > 0.8 * level)
    static, dynamic, viscous, fall = _curve(speeds[sliding], ratio[sliding], level, usual)
    chosen = speeds[sliding] if sliding.any() else speeds[moving]
    return Scales(
        normal=float(np.median(record.normal[loaded])),
        friction=level,
        static=static,
        dynamic=dynamic,
        viscous=viscous,
        speed=float(np.median(chosen)),
        slowest=float(np.quantile(chosen, 0.05)),
        fastest=float(np.quantile(chosen, 0.95)),
        fall=fall,
        turning=turning,
        resolved=resolved,
        reverses=len(starts) > 1,
        slides=slides,
        interval=record.interval,
    )


def regression(record: Record) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the residual of inertia, one coefficient of friction and a viscous part; the load:
    the part that depends on the position, and the offset, if there is one; and the force without
    inertia and this load."""
    way = directions(record.velocity)
    drift = record.time - record.time.mean()
    friction = [way * record.normal, record.velocity * record.normal, drift]
    parts = [*record.shapes, *([np.ones(len(way))] if record.has_offset else []), *friction]
    counted = record.weight > 0
    for inertia in ([] if record.acceleration is None else [record.acceleration], []):
        table = np.column_stack([*parts, *inertia])
        found = np.linalg.lstsq(table[counted], record.force[counted], rcond=None)[0]
        if inertia and found[-1] > 0:
            break  # a mass is never negative, although a spring or a load may look like one
    held = len(record.shapes) + record.has_offset
    rest = record.force - table @ found
    seen = rest + table[:, held : len(parts)] @ found[held : len(parts)]
    return rest, table[:, :held] @ found[:held], seen


def _turning(record: Record, force: np.ndarray, loaded: np.ndarray) -> tuple[float, bool]:
    """Returns the displacement from a reversal to where friction is zero, and whether it holds
    several samples: the median over all reversals, with straight lines between samples. If the
    samples do not resolve it, it is the displacement from the reversal to the next sample."""
    speeds, rows, interval = record.velocity, np.arange(len(force)), record.interval
    ways, samples, steps = [], [], [float(np.abs(speeds).max()) * interval]
    edges = [0, *record.reversals(), len(force)]
    for before, begin, end in zip(edges, edges[1:], edges[2:], strict=False):
        onward, against = np.sign(speeds[begin]) * speeds, np.sign(speeds[begin]) * force
        still = before + np.flatnonzero(onward[before:begin] <= 0)
        if not len(still):
            continue
        turned = int(still[-1]) + 1
        steps.append(float(onward[turned]) * interval / 2)
        round_again = turned + np.flatnonzero(against[turned:end] > 0)
        if against[turned - 1] >= 0 or not len(round_again) or not loaded[before:end].all():
            continue
        last = int(round_again[0])
        first, later = _crossing(onward, turned), _crossing(against, last)
        places = np.array([first, *range(turned, last), later])
        moved = np.interp(places, rows, onward)
        if later > first:
            ways.append(float(np.sum((moved[1:] + moved[:-1]) / 2 * np.diff(places))) * interval)
            samples.append(last - turned)
    if not ways:
        return max(float(np.median(steps)), 1e-12), False
    return max(float(np.median(ways)), 1e-12), bool(np.median(samples) >= 3)


def _crossing(values: np.ndarray, i: int) -> float:
    """Returns where a signal crosses zero, from the sample before i to i."""
    return i - float(values[i] / (values[i] - values[i - 1]))


def _curve(
    speeds: np.ndarray, ratio: np.ndarray, level: float, usual: float
) -> tuple[float, float, float, float]:
    """Fits static and dynamic coefficient, viscous part and the speed of the fall of the best curve
    over the speed, d + (s - d) exp(-(v/u)²) + b v, which is linear in all but the speed u."""
    best = level, level, 0.0, usual / 3
    # a curve that explains less than half of the scatter could be anything
    least = float(np.sum((ratio - ratio.mean()) ** 2)) / 2 if len(ratio) else 0.0
    for fall in (math.inf, *usual * np.geomspace(0.01, 1 / 3, _FALLS)):
        table = np.column_stack([np.ones(len(speeds)), speeds, np.exp(-((speeds / fall) ** 2))])
        table = table[:, : 2 + math.isfinite(fall)]  # without any it is a straight line
        found = np.linalg.lstsq(table, ratio, rcond=None)[0]
        rest = float(np.sum((ratio - table @ found) ** 2))
        if found.min() >= 0 and rest < least:
            dynamic, rise, drop = map(float, (*found, 0.0)[:3])
            best = dynamic + drop, dynamic, rise, float(fall) if drop else usual / 3
            least = rest
    return best


def first_values(of: Candidate, seen: Scales) -> dict[str, float]:
    """Returns a start for every parameter: by its name if the record shows it, otherwise by its
    unit, in the proportions of the defaults."""
    bristle_time = max(seen.interval, 0.01 * seen.turning / seen.speed)
    known = {
        # off the rule between both, at which slopes end
        "staticFriction": max(seen.static, 1.05 * seen.dynamic),
        "dynamicFriction": (
            seen.dynamic
            if "staticFriction" in (one.name for one in of.parameters)
            else seen.friction
        ),
        "viscousFriction": seen.viscous,
        "stribeckVelocity": seen.fall,
    }
    by_unit = {
        "m/s": 0.2 * seen.speed,
        "m": seen.turning,
        "N/m": seen.stiffness,
        "1/m": seen.stiffness / seen.normal,
        "N.s/m": seen.stiffness * bristle_time,
        "s/m": 5 / seen.speed,
        "1/s": seen.speed / seen.turning,
    }
    values = {}
    for one in of.parameters:
        if one.name in known:
            values[one.name] = known[one.name]
        elif one.name == "bristleDamping" and one.unit == "s/m":
            values[one.name] = by_unit["1/m"] * bristle_time
        elif one.unit in by_unit and one.default > 0 and not one.is_extra:
            values[one.name] = by_unit[one.unit] * _proportion(of, one.name, known)
        else:
            values[one.name] = one.default
    return values


def _proportion(of: Candidate, name: str, known: Mapping[str, float]) -> float:
    """Returns the share of a parameter's default in those of the same kind: elements of a vector
    add up, others keep their ratios."""
    one = of[name]
    alike = [
        other
        for other in of.parameters
        if other.unit == one.unit
        and other.name not in known
        and other.name != "bristleDamping"
        and not other.is_extra
    ]
    if one not in alike:
        return 1.0
    if "[" in name:
        stem = name.partition("[")[0]
        return one.default / sum(
            other.default for other in alike if other.name.startswith(f"{stem}[")
        )
    return one.default / min(other.default for other in alike if other.default > 0)


SPREADS = {
    "m/s": 2.5,
    "m": 1.2,
    "N/m": 1.2,
    "1/m": 1.2,
    "N.s/m": 3.5,
    "s/m": 2.5,
    "s": 3.0,
    "1/s": 2.0,
}


def spreads(space: Space) -> np.ndarray:
    """Returns how far around the first values to search, in logarithms: little for what the record
    shows well."""
    of_law = [
        0.08 if one.name.endswith("Friction") else SPREADS.get(one.unit, 0.7)
        for one in space.parameters[: len(space.law)]
    ]
    return np.array([*of_law, *[0.5] * len(space.nuisances)])
