"""Colantonio et al. 2022, eqs 18 and 21 to 24 (turned round: the force is that of the sliding
surface), with a grain: friction across it is `transverseFriction` times that along it. Written in
the axes of the plane, where the bristle has two deflections and one out of the plane.
"""

import math

import numpy as np

from . import bounds, stribeck
from .plane import axes, friction_outputs, spread, vector


def together(p, speeds, springs, rates):
    """Returns the force of springs and dampers along and across the grain, per unit of normal
    force. If Bounded, the damper only takes of the spring's power along the motion what the spring
    does not store, and the line from the spring's force to that of both ends at the limit, a circle
    after division of forces across by the ratio."""
    ratio, most = p["transverseFriction"], p["staticFriction"]
    dampers = [p["bristleDamping"] * rate for rate in rates]
    if not bounds.is_printed(p):
        stored = max(0.0, sum(spring * rate for spring, rate in zip(springs, rates)))
        powers = [
            sum(part * speed for part, speed in zip(parts, speeds)) for parts in (springs, dampers)
        ]
        if (
            powers[1] < 0 and sum(powers) < stored
        ):  # it would drive the body or create energy: only the part of the damper that does not
            dampers = [damper * max(0.0, powers[0] - stored) / -powers[1] for damper in dampers]
    force = [spring + damper for spring, damper in zip(springs, dampers)]
    if bounds.is_printed(p) or math.hypot(force[0], force[1] / ratio) <= most:
        return force
    begin, change = (complex(one[0], one[1] / ratio) for one in (springs, dampers))
    towards = (begin.conjugate() * change).real
    ends = np.roots([abs(change) ** 2, 2 * towards, abs(begin) ** 2 - most**2])
    end = 0.0  # without a damper the spring's force itself is scaled down
    if ends.size:
        end = max(ends.real) if np.isreal(ends).all() else -towards / abs(change) ** 2
    found = begin + min(max(end, 0.0), 1.0) * change
    found *= min(1.0, most / abs(found))
    return [found.real, ratio * found.imag]


def rub(p, normal, n, v, z):
    """Returns the rate of the bristle, and the outputs of a contact under a normal force in the
    plane with the normal n at the relative velocity v."""
    stiffness, damping, ratio = p["bristleStiffness"], p["bristleDamping"], p["transverseFriction"]
    frame = axes(n, vector(p, "frictionAxis"))
    (va, vc, _), (za, zc, zn) = frame @ v, frame @ z
    if normal <= 0:
        rates, force, stored = (
            [-stiffness / damping * one for one in (za, zc, zn)],
            np.zeros(3),
            0.0,
        )
    else:
        curve = stribeck.coefficient(p, math.hypot(va, vc))
        fading = stiffness * math.hypot(va, ratio * vc) / curve
        # the part out of the plane fades in sliding as a bristle without grain, and relaxes as an
        # unloaded one
        rates = [
            va - fading * za,
            vc - fading * zc / ratio**2,
            -stiffness * (math.hypot(va, vc) / curve + 1 / damping) * zn,
        ]
        viscous = stribeck.viscous_damping(p, normal, math.hypot(va, vc))
        carried = together(p, (va, vc), (stiffness * za, stiffness * zc), rates[:2])
        plane = [normal * one + viscous * speed for one, speed in zip(carried, (va, vc))]
        force = frame.T @ np.array([*plane, 0.0])
        stored = normal * stiffness * (za * rates[0] + zc * rates[1])
    sliding = frame.T @ np.array([va - rates[0], vc - rates[1], 0.0])
    outputs = friction_outputs(normal, force, v, sliding)
    return spread("bristleDeflection", frame.T @ np.array(rates)), outputs | {
        "heatFlow": outputs["dissipatedPower"] - stored
    }


def evaluate(p, u, x):
    return rub(
        p,
        u["normalForce"],
        vector(u, "contactNormal"),
        vector(u, "relativeVelocity"),
        vector(x, "bristleDeflection"),
    )
