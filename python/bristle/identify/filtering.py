"""Rates of measured signals: Savitzky-Golay, as wide as the noise asks for and the signal allows.
It shifts nothing in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import correlate1d
from scipy.signal import savgol_coeffs, savgol_filter

# its rate is a mean of differences with positive weights: it never overshoots, and turns back only
# where the signal does
DEGREE = 2
WIDTHS = (5, 7, 9, 11, 15, 19, 25, 33, 45, 61, 81, 107, 141)
_DIFFERENCES = 4  # order of the differences that show the noise: they hide everything smooth
_DIFFERENCES_GAIN = np.sqrt(70.0)  # root of the sum of the squares of 1 4 6 4 1
_MEDIAN_TO_DEVIATION = 1.4826  # of a normal distribution
_SHARE = 0.9
# standard deviations, beyond which a single sample is believed to need a narrower window: noise
# goes beyond once in 2000 times
_BENT = 3.5
_APART = 2.0  # standard deviations: this share of normally distributed noise is within 1.64


_MEAN = (
    np.array([-1, 13, 13, -1]) / 24
)  # over an interval, from the samples about it: exact for a cubic


@dataclass(frozen=True)
class Rate:
    values: np.ndarray
    width: int  # samples
    noise: float  # standard deviation of the signal's noise
    step: float  # of the signal's quantization, 0 where there is none
    white: float  # standard deviation of the noise of what was measured, from which it all comes
    gains: np.ndarray  # of what was measured, sample by sample, in the rate
    kernel: (
        np.ndarray
    )  # of the true rate, sample by sample, in the rate: the filter takes this mean of it

    @property
    def noise_left(self) -> float:
        """The standard deviation of the noise in the rate."""
        return float(self.white * np.linalg.norm(self.gains))


def rate_of(
    signal: np.ndarray, interval: float, step: float = 0.0, before: Rate | None = None
) -> Rate:
    """The time derivative of a uniformly sampled signal, which was measured in steps of this size
    or is itself a rate, the one `before`."""
    white = before.white if before else max(_noise(signal), step / np.sqrt(12))
    earlier = before.gains if before else np.ones(1)
    width = _width(signal, white, earlier)
    gains = _gains(width) / interval
    kernel = np.convolve(np.cumsum(gains[::-1])[:-1] * -interval, _MEAN)
    return Rate(
        savgol_filter(signal, width, DEGREE, deriv=1, delta=interval),
        width,
        before.noise_left if before else white,
        step,
        white,
        np.convolve(earlier, gains),
        np.convolve(before.kernel, kernel) if before else kernel,
    )


def rougher_rate(signal: np.ndarray, interval: float, rate: Rate) -> np.ndarray:
    """The rate with half the window: what it changes tells what the window does to a result."""
    width = max((width for width in WIDTHS if width <= rate.width / 2), default=WIDTHS[0])
    return savgol_filter(signal, width, DEGREE, deriv=1, delta=interval)


def local_rate(signal: np.ndarray, interval: float, rate: Rate) -> np.ndarray:
    """The rate with windows that are narrower where the signal bends more than elsewhere, as where
    a motion starts and stops: at each sample the widest whose rate agrees with those of all
    narrower ones."""
    widths = [width for width in WIDTHS if width <= rate.width]
    rates = [savgol_filter(signal, width, DEGREE, deriv=1) for width in widths]
    deviations = [rate.white * float(np.linalg.norm(_gains(width))) for width in widths]
    chosen, agrees = rates[0].copy(), np.ones(len(signal), dtype=bool)
    for i in range(1, len(widths)):
        for other, deviation in zip(rates[:i], deviations[:i], strict=True):
            agrees &= np.abs(rates[i] - other) <= _BENT * deviation
        chosen[agrees] = rates[i][agrees]
    return chosen / interval


def _gains(width: int) -> np.ndarray:
    """Of a signal's samples in its rate per sample, in the order of a convolution."""
    return savgol_coeffs(width, DEGREE, deriv=1)


def smoothed(values: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """The mean of values, along their last axis, with which a filter of this kernel gives a
    rate."""
    return correlate1d(values, kernel, axis=-1, mode="nearest") if len(kernel) > 1 else values


def coarser(kernel: np.ndarray, stride: float) -> np.ndarray:
    """The kernel for values that lie `stride` samples apart and go straight in between."""
    places = (np.arange(len(kernel)) - len(kernel) // 2) / stride
    reach = int(np.ceil(np.abs(places).max())) if len(places) else 0
    hats = np.maximum(1 - np.abs(places - np.arange(-reach, reach + 1)[:, None]), 0)
    return hats @ kernel


def _noise(signal: np.ndarray) -> float:
    differences = np.diff(signal, _DIFFERENCES)
    return float(_MEDIAN_TO_DEVIATION * np.median(np.abs(differences)) / _DIFFERENCES_GAIN)


def quantization(signal: np.ndarray) -> float:
    """The step of an encoder or converter, of which all differences are multiples; 0 where there is
    none."""
    values = np.unique(signal)
    spans = np.diff(values)
    spans = spans[spans > 1e-9 * (values[-1] - values[0])]
    if len(spans) < 10:
        return 0.0
    step = float(np.quantile(spans, 0.02))
    step = float(np.median(spans[spans < 1.5 * step]))
    multiples = spans / step
    exact = np.abs(multiples - np.round(multiples)) < 0.05
    return step if exact.mean() > 0.9 and np.median(multiples) < 50 else 0.0


def _width(signal: np.ndarray, noise: float, earlier: np.ndarray) -> int:
    """The widest window whose rate still agrees with those of all narrower ones within their noise
    (Lepski's rule).

    Agreement is asked for in all but a share of the samples that move: there are corners in a
    motion, and rests say nothing.
    """
    narrower: list[tuple[np.ndarray, float]] = []
    best = WIDTHS[0]
    for width in WIDTHS:
        if width > len(signal) // 4:
            break
        rate = savgol_filter(signal, width, DEGREE, deriv=1)
        if narrower:
            moving = np.abs(rate) > 0.05 * np.abs(rate).max()
            if not moving.any() or any(
                np.quantile(np.abs(rate - other)[moving], _SHARE) > _APART * deviation
                for other, deviation in narrower
            ):
                break
        narrower.append((rate, noise * float(np.linalg.norm(np.convolve(earlier, _gains(width))))))
        best = width
    return best
