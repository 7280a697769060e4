"""Fewer points for the same picture."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np


def kept_rows(
    time: np.ndarray, columns: Sequence[np.ndarray], limit: int, tolerance: float
) -> np.ndarray:
    """Selects rows that draw all columns over time within `tolerance` (of each column's own span)
    by straight lines. The stretch with the largest deviation is split first, so that `limit` drops
    the least important rows.
    """
    last = len(time) - 1
    scaled = np.array([column / (np.ptp(column) or 1.0) for column in columns])
    rows = {0, last}
    waiting: list[tuple[float, int, int, int]] = []

    def split(a: int, b: int) -> None:
        if b - a < 2:
            return
        span = time[b] - time[a]
        weight = (time[a : b + 1] - time[a]) / span if span > 0 else np.zeros(b - a + 1)
        part = scaled[:, a : b + 1]
        straight = part[:, :1] + weight * (part[:, -1:] - part[:, :1])
        apart = np.abs(part - straight)
        deviation = apart.max(axis=0) if len(apart) > 1 else apart[0]
        worst = a + int(deviation[1:-1].argmax()) + 1
        if deviation[worst - a] > tolerance:
            heapq.heappush(waiting, (-float(deviation[worst - a]), a, worst, b))

    split(0, last)
    while waiting and len(rows) < limit:
        _, a, middle, b = heapq.heappop(waiting)
        rows.add(middle)
        split(a, middle)
        split(middle, b)
    return np.array(sorted(rows))
