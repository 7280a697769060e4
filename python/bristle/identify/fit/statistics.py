"""Evaluates residuals: the quality of a fit, the uncertainty of its numbers, and the part due to
defects of the law."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from ..record.reading import Record, directions

BLOCKS = 40  # blocks of the residual: enough for a variance, each with many samples
# classes of the velocity, and of the displacement after a reversal, in the search for a repeating
# residual: eight in each direction
CLASSES = 16
BEYOND_CHANCE = 3.0  # standard deviations of noise there: exceeded once in 700 times
CONFIDENCE = 0.95
# singular value, relative to the largest, of a direction that the data do not determine: slopes
# from differences are accurate to 1e-4
SINGULAR = 1e-6


def student(freedom: float) -> float:
    """Returns half the width of the confidence interval in standard deviations, by the expansion of
    Student's distribution about the normal one; within 0.2 % from 3 degrees of freedom on."""
    z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**k for k, term in enumerate(terms, 1))


@dataclass(frozen=True)
class Quality:
    """How well modelled and measured forces agree."""

    rms: float  # N
    relative: float  # relative to the rms of the measured force without its offset
    relative_to_largest: float
    r2: float
    samples: int
    independent: float  # number of samples that count as independent
    relative_to_drive: float | None = None  # likewise of the whole driving force

    @property
    def share(self) -> float:
        """Returns the error by which laws are compared: of drive data relative to the whole driving
        force, as published elsewhere, otherwise to the friction force."""
        return self.relative if self.relative_to_drive is None else self.relative_to_drive

    def compared_with(self, other: Quality) -> Quality:
        """Returns the quality relative to the friction force of another one on the same samples."""
        size = other.rms / other.relative if other.relative else 0.0
        return replace(self, relative=self.rms / size) if size else self


def quality_of(
    measured: np.ndarray,
    modelled: np.ndarray,
    linear_part: np.ndarray,
    counted: np.ndarray,
    drive: np.ndarray | None = None,
) -> Quality:
    """Computes errors, where samples count, relative to the friction itself, the measured force
    without offset, drift and inertia."""
    measured, modelled, linear_part = measured[counted], modelled[counted], linear_part[counted]
    rest = measured - modelled
    friction = measured - linear_part
    size = float(np.sqrt(np.mean(friction**2))) or 1e-300
    rms = float(np.sqrt(np.mean(rest**2)))
    spread = float(np.sum((friction - friction.mean()) ** 2)) or 1e-300
    return Quality(
        rms=rms,
        relative=rms / size,
        relative_to_largest=rms / (float(np.abs(friction).max()) or 1e-300),
        r2=1 - float(np.sum(rest**2)) / spread,
        samples=len(rest),
        independent=len(rest) / correlation_time(rest),
        relative_to_drive=(
            None
            if drive is None
            else rms / (float(np.sqrt(np.mean(drive[counted] ** 2))) or 1e-300)
        ),
    )


def correlation_time(rest: np.ndarray) -> float:
    """Returns the correlation time of a residual in samples: twice the sum of its autocorrelation
    up to the first zero. It is at most a fifth of them: a residual that drifts through the whole
    record still counts as five independent samples.
    """
    n = len(rest)
    centred = rest - rest.mean()
    power = float(centred @ centred)
    if power <= 0:
        return 1.0
    spectrum = np.fft.rfft(centred, 2 * n)
    correlation = np.fft.irfft(np.abs(spectrum) ** 2)[: n // 2] / power
    below = np.flatnonzero(correlation <= 0)
    end = below[0] if len(below) else len(correlation)
    return min(1 + 2 * float(correlation[1:end].sum()), max(n / 5, 1.0))


def systematic_part(records: Sequence[Record], rest: np.ndarray) -> float:
    """Returns the rms of the residual that repeats in every stroke at the same velocity, or at the
    same displacement after a reversal, unlike noise: a defect of the law. The means of classes in
    one half of the strokes are multiplied by those in the other half, so that noise averages to
    zero.
    """
    ends = np.cumsum([len(record.time) for record in records])[:-1]
    found = [0.0]
    for seen in (lambda record: record.velocity, way_after_reversal):
        total, left = 0.0, []
        for record, part in zip(records, np.split(rest, ends), strict=True):
            counted = record.weight > 0
            values, part = seen(record)[counted], part[counted]
            halves = half_of(record)[counted]
            # narrower at rest and after a reversal, where laws differ
            edges = np.quantile(np.abs(values), np.linspace(0, 1, CLASSES // 2 + 1)[1:-1] ** 2)
            places = 2 * np.searchsorted(edges, np.abs(values), side="right") + (values > 0)
            for i in range(CLASSES):
                one, other = (places == i) & halves, (places == i) & ~halves
                if one.any() and other.any():
                    total += float(part[one].mean() * part[other].mean()) * int(
                        one.sum() + other.sum()
                    )
                    part = np.where(one | other, part - part[one | other].mean(), part)
            left.append(part)
        noise = np.concatenate(left)
        count = len(noise)
        # of the sum, if nothing repeats
        chance = 2 * math.sqrt(CLASSES) * float(np.mean(noise**2)) * correlation_time(noise)
        found.append(total / count if total > BEYOND_CHANCE * chance else 0.0)
    return math.sqrt(max(found))


def distance_after_reversal(record: Record) -> np.ndarray:
    """Returns the distance of each sample from the last reversal."""
    moved = np.concatenate(([0.0], np.cumsum(np.abs(record.velocity[1:])) * record.interval))
    starts = np.concatenate(([0], record.reversals()))
    began = starts[np.searchsorted(starts, np.arange(len(moved)), side="right") - 1]
    return moved - moved[began]


def way_after_reversal(record: Record) -> np.ndarray:
    """Returns the displacement after a reversal, with the sign of the direction."""
    return distance_after_reversal(record) * directions(record.velocity)


def half_of(record: Record) -> np.ndarray:
    """Returns every second pair of strokes, there and back; if there are few, every second of some
    blocks of time."""
    strokes = np.searchsorted(record.reversals(), np.arange(len(record.time)), side="right")
    if strokes[-1] < 4:
        strokes = 2 * (np.arange(len(record.time)) * BLOCKS // len(record.time))
    return strokes // 2 % 2 == 0


def covariance_of(
    slopes: np.ndarray, rest: np.ndarray, quality: Quality, systematic: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the covariance of the fitted numbers: from the whole residual, with its correlation
    in time, or from its scatter over blocks of time, whichever is larger. More samples do not
    compensate for a wrong law: its systematic part counts as often as there are classes, minus the
    fitted numbers. The second value is the directions that the data do not determine, one per
    column.
    """
    sizes = np.linalg.norm(slopes, axis=0)
    scale = np.where(sizes > 0, sizes, 1.0)
    _, singular, rotation = np.linalg.svd(slopes / scale, full_matrices=False)
    kept = singular > SINGULAR * max(singular[0], 1e-300)
    inverse = (rotation[kept].T / singular[kept] ** 2) @ rotation[kept]
    lost = rotation[~kept].T
    n, count = quality.samples, slopes.shape[1]
    variance = float(rest @ rest) / max(quality.independent - count, 3.0) / n * quality.independent
    simple = inverse * variance * (n / quality.independent)
    blocks = np.array_split(np.arange(len(rest)), BLOCKS)
    scores = np.array([(slopes[rows] / scale).T @ rest[rows] for rows in blocks])
    robust = inverse @ (scores.T @ scores) @ inverse * BLOCKS / max(BLOCKS - count, 1)
    diagonal = np.maximum(np.diag(simple), np.diag(robust))
    larger = simple if np.trace(simple) >= np.trace(robust) else robust
    old = np.sqrt(np.where(np.diag(larger) > 0, np.diag(larger), 1.0))
    together = larger * np.outer(
        np.sqrt(diagonal) / old, np.sqrt(diagonal) / old
    ) + inverse * n * systematic**2 / max(CLASSES - count, 3)
    together[sizes == 0, sizes == 0] = np.inf
    return together / np.outer(scale, scale), lost


def confusions_of(lost: np.ndarray, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    groups = []
    for direction in lost.T:
        members = tuple(
            name for name, share in zip(names, direction, strict=True) if abs(share) > 0.2
        )
        if len(members) > 1:
            groups.append(members)
    return tuple(groups)


def partner_of(names: Sequence[str], i: int, covariance: np.ndarray) -> str:
    """Returns the parameter that this one can be exchanged for most easily, if nearly without
    loss."""
    sizes = np.sqrt(np.abs(np.diag(covariance)))
    if not np.isfinite(sizes[i]) or sizes[i] == 0:
        return ""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.abs(covariance[i]) / (sizes * sizes[i])
    shares[i] = 0
    shares[~np.isfinite(shares)] = 0
    j = int(np.argmax(shares))
    return names[j] if shares[j] > 0.95 else ""
