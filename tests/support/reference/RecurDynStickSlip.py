"""Schuderer 2023, eqs 2, 3 and 5: with corrected signs, the law of Adams with a fixed ratio of
velocities."""

from . import AdamsStickSlip


def evaluate(p, u, x):
    return AdamsStickSlip.evaluate(p, u, x, ratio=1.5)
