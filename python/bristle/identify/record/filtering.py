"""Computes rates of measured signals: Savitzky-Golay, as wide as the noise requires and the signal
allows. It shifts nothing in time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

# its rate is a mean of differences with positive weights: it never overshoots, and reverses only
# where the signal does
DEGREE = 2
WIDTHS = (5, 7, 9, 11, 15, 19, 25, 33, 45, 61, 81, 107, 141, 187, 249, 331)
# orders of the differences that show noise: they suppress smooth signals, and from order 4 on show
# the bends of a motion with fewer than 40 samples per period
_DIFFERENCES = (4, 6, 8)
_MEDIAN_TO_DEVIATION = 1.4826  # of a normal distribution
_SHARE = 0.9
# standard deviations, beyond which a single sample needs a narrower window: noise exceeds them once
# in 2000 times
_BENT = 3.5
_APART = 2.0  # standard deviations: this share of normally distributed noise is within 1.64


# over an interval, from the neighbouring samples: exact for a cubic
_MEAN = np.array([-1, 13, 13, -1]) / 24


@dataclass(frozen=True)
class Rate:
    values: np.ndarray
    width: int  # samples
    noise: float  # standard deviation of the signal's noise
    step: float  # of the signal's quantization, 0 if there is none
    white: float  # standard deviation of the noise of the measured signal, the source
    gains: np.ndarray  # weights of the measured samples in the rate
    # weights of the true rate in the rate: the filter takes this mean of it
    kernel: np.ndarray

    @property
    def noise_left(self) -> float:
        """The standard deviation of the noise in the rate."""
        return float(self.white * np.linalg.norm(self.gains))


def rate_of(
    signal: np.ndarray, interval: float, step: float = 0.0, before: Rate | None = None
) -> Rate:
    """Returns the time derivative of a uniformly sampled signal, measured in steps of this size or
    itself a rate, `before`."""
    signal, coarse = _between_steps(signal, step)
    white = before.white if before else max(noise_of(signal), coarse)
    earlier = before.gains if before else np.ones(1)
    width = _width(signal, white, earlier)
    gains = _gains(width) / interval
    kernel = np.convolve(np.cumsum(gains[::-1])[:-1] * -interval, _MEAN)
    return Rate(
        _filtered(signal, width, 1) / interval,
        width,
        before.noise_left if before else white,
        step,
        white,
        np.convolve(earlier, gains),
        np.convolve(before.kernel, kernel) if before else kernel,
    )


def windows(width: int) -> list[int]:
    """Lists a window twice as wide, half of it, half of that, and so on to the narrowest."""
    found = [2 * width - 1]
    while narrower := [one for one in WIDTHS if one <= width / 2]:
        width = narrower[-1]
        found.append(width)
    return found


def through_window(
    signal: np.ndarray, interval: float, rate: Rate, width: int, order: int
) -> np.ndarray:
    """Returns a rate (order 1), or a value without noise (0), with another window."""
    return _filtered(_between_steps(signal, rate.step)[0], width, order) / interval**order


def smoothed_velocity(velocity: np.ndarray, noise: float) -> Rate:
    """Removes the noise of a measured velocity."""
    width = _width(velocity, noise, np.ones(1), 0)
    values = _filtered(velocity, width, 0)
    return Rate(values, width, noise, 0.0, noise, _gains(width, 0), np.ones(1))


def local_rate(signal: np.ndarray, interval: float, rate: Rate) -> np.ndarray:
    """Returns the rate with narrower windows where the signal bends more, as at starts and stops:
    at each sample the widest window whose rate agrees with those of all narrower ones."""
    signal = _between_steps(signal, rate.step)[0]
    widths = [width for width in WIDTHS if width <= rate.width]
    rates = [_filtered(signal, width, 1) for width in widths]
    deviations = [rate.white * float(np.linalg.norm(_gains(width))) for width in widths]
    chosen, agrees = rates[0].copy(), np.ones(len(signal), dtype=bool)
    for i in range(1, len(widths)):
        for other, deviation in zip(rates[:i], deviations[:i], strict=True):
            agrees &= np.abs(rates[i] - other) <= _BENT * deviation
        chosen[agrees] = rates[i][agrees]
    return chosen / interval


def _gains(width: int, order: int = 1) -> np.ndarray:
    """Returns the weights of a signal's samples in its value (order 0) or its rate per sample (1)
    in the middle of the window, in the order of a convolution."""
    return _parabola(width)[order][::-1]


def _parabola(width: int) -> np.ndarray:
    """Returns rows that multiply the samples of a window to give the coefficients of the best
    parabola about its middle."""
    places = np.arange(width) - width // 2
    return np.linalg.pinv(np.vander(places, DEGREE + 1, increasing=True).astype(float))


def _filtered(signal: np.ndarray, width: int, order: int) -> np.ndarray:
    """Returns the value or the rate per sample by Savitzky and Golay; within half a window of the
    ends by the parabola of the first or last window."""
    half, table = width // 2, _parabola(width)
    middle = np.convolve(signal, _gains(width, order), "valid")
    places = np.arange(1, half + 1, dtype=float)
    ends = []
    for part, side in ((signal[:width], -places[::-1]), (signal[-width:], places)):
        constant, slope, bend = table @ part
        ends.append(slope + 2 * bend * side if order else constant + (slope + bend * side) * side)
    return np.concatenate((ends[0], middle, ends[1]))


def _between_steps(signal: np.ndarray, step: float) -> tuple[np.ndarray, float]:
    """Interpolates the signal of an encoder; returns it and the standard deviation of white noise
    with the same effect on a rate as its steps. If it moves by a step and rests for samples, the
    times of the steps are known to a sample, v/√12, and there is one every step/v: that is white
    noise of √(v step/12). Straight lines connect them. If every sample moves by steps, their
    rounding is white: step/√12."""
    moved = np.abs(np.diff(signal))
    changes = np.flatnonzero(moved > 0)
    if not step or len(changes) < 2 or np.median(moved[changes]) > 1.5 * step:
        return signal, step / np.sqrt(12)
    places = np.concatenate(([0], changes + 0.5, [len(signal) - 1]))
    values = np.concatenate((signal[:1], (signal[changes] + signal[changes + 1]) / 2, signal[-1:]))
    spans = np.maximum(np.diff(changes), 1)
    speed = step / float(np.quantile(spans, 0.25))
    lines = np.interp(np.arange(len(signal)), places, values)
    return lines, float(np.sqrt(min(speed, step) * step / 12))


def later(values: np.ndarray, shift: float) -> np.ndarray:
    """Shifts a signal by this many samples, along its last axis: by the cubic through the four
    nearest samples, constant beyond the ends."""
    whole = math.floor(shift)
    part, places = shift - whole, np.arange(values.shape[-1]) - whole
    weights = {
        1: -part * (1 - part) * (2 - part) / 6,
        0: (1 - part**2) * (2 - part) / 2,
        -1: part * (1 + part) * (2 - part) / 2,
        -2: -part * (1 - part**2) / 6,
    }
    ends = 0, values.shape[-1] - 1
    return np.sum(
        [weight * values[..., np.clip(places + k, *ends)] for k, weight in weights.items()], axis=0
    )


def low_pass(time_constant: float) -> np.ndarray:
    """Returns the kernel of a low-pass of first order, with its time constant in samples: exact for
    values that are linear in between, cut where less than a millionth remains."""
    kept = math.exp(-1 / time_constant)
    rest = (1 - kept) * time_constant
    past = np.arange(math.ceil(14 * time_constant))
    weights = np.append((rest * (1 - kept) * kept**past)[::-1], 1 - rest)
    return np.append(weights, np.zeros(len(past)))


def smoothed(values: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """Returns the mean of values, along their last axis, that a filter of this kernel takes of
    rates."""
    if len(kernel) < 2:
        return values
    half = len(kernel) // 2
    ends = [(0, 0)] * (values.ndim - 1) + [(half, len(kernel) - 1 - half)]
    padded = np.pad(values, ends, mode="edge")
    return np.apply_along_axis(np.convolve, -1, padded, kernel[::-1], "valid")


def median_about(values: np.ndarray, reach: int) -> np.ndarray:
    """Returns the median of each sample and its neighbours within reach."""
    padded = np.pad(values, reach, mode="edge")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1), axis=1)


def coarser(kernel: np.ndarray, stride: float) -> np.ndarray:
    """Returns the kernel for values that are `stride` samples apart and linear in between."""
    places = (np.arange(len(kernel)) - len(kernel) // 2) / stride
    reach = int(np.ceil(np.abs(places).max())) if len(places) else 0
    hats = np.maximum(1 - np.abs(places - np.arange(-reach, reach + 1)[:, None]), 0)
    return hats @ kernel


def noise_of(signal: np.ndarray) -> float:
    """Returns the standard deviation of white noise in a signal: the least that differences show.
    Those of white noise are larger by the root of the sum of their squared weights."""
    return min(
        float(_MEDIAN_TO_DEVIATION * np.median(np.abs(np.diff(signal, order))))
        / math.sqrt(math.comb(2 * order, order))
        for order in _DIFFERENCES
    )


def quantization(signal: np.ndarray) -> float:
    """Returns the step of an encoder or converter, of which all differences are multiples; 0 if
    there is none."""
    values = np.unique(signal)
    spans = np.diff(values)
    spans = spans[spans > 1e-9 * (values[-1] - values[0])]
    if not len(spans) or 4 * len(spans) > len(signal) and len(spans) < 10:
        return 0.0  # few values show a step only if each occurs in several samples
    step = float(np.quantile(spans, 0.02))
    step = float(np.median(spans[spans < 1.5 * step]))
    multiples = spans / step
    exact = np.abs(multiples - np.round(multiples)) < 0.05
    return step if exact.mean() > 0.9 and np.median(multiples) < 50 else 0.0


def _width(signal: np.ndarray, noise: float, earlier: np.ndarray, order: int = 1) -> int:
    """Returns the widest window whose rate still agrees with those of all narrower ones within
    their noise (Lepski's rule). Agreement is required in all but a share of the moving samples: a
    motion has corners, and samples at rest carry no information.
    """
    narrower: list[tuple[np.ndarray, float]] = []
    best = WIDTHS[0]
    for width in WIDTHS:
        if width > len(signal) // 4:
            break
        rate = _filtered(signal, width, order)
        if narrower:
            moving = np.abs(rate) > 0.05 * np.abs(rate).max()
            if not moving.any() or any(
                np.quantile(np.abs(rate - other)[moving], _SHARE) > _APART * deviation
                for other, deviation in narrower
            ):
                break
        narrower.append(
            (rate, noise * float(np.linalg.norm(np.convolve(earlier, _gains(width, order)))))
        )
        best = width
    return best
