"""Pennestrì 2016, eq 12."""

from .ideal_stick import evaluate_ideal
from .stribeck import force


def evaluate(p, u, x):
    return evaluate_ideal(force, p, u)
