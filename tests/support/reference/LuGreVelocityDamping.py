"""Rill 2023, Listing 5 (type 5): LuGre with a damping that fades with the speed."""

import math

from . import LuGre


def damping(p, velocity):
    return p["bristleDamping"] * math.exp(
        -((abs(velocity) / p["stribeckVelocity"]) ** p["stribeckExponent"])
    )


def linear(p, normal, velocity):
    return LuGre.linear(p, normal, velocity, damping)


def evaluate(p, u, x):
    return LuGre.evaluate(p, u, x, damping)
