"""Colantonio et al. 2022, eqs 18 and 21 to 24 (turned round: the force is that of the sliding surface), with a grain: friction across it is `transverseFriction`
times that along it. Written in the axes of the plane, where the bristle has two deflections and one that stands out of the plane."""

import math

import numpy as np

from . import stribeck
from .plane import axes, friction_outputs, spread, vector


def rub(p, normal, n, v, z):
    """Rate of the bristle, and the outputs of a contact under a normal force in the plane with the normal n at the relative velocity v."""
    stiffness, damping, ratio = p["bristleStiffness"], p["bristleDamping"], p["transverseFriction"]
    frame = axes(n, vector(p, "frictionAxis"))
    (va, vc, _), (za, zc, zn) = frame @ v, frame @ z
    if normal <= 0:
        rates, force, stored = [-stiffness / damping * one for one in (za, zc, zn)], np.zeros(3), 0.0
    else:
        curve = stribeck.coefficient(p, math.hypot(va, vc))
        fading = stiffness * math.hypot(va, ratio * vc) / curve
        # what stands out of the plane fades in sliding as a bristle without grain, and relaxes as one that nothing holds
        rates = [va - fading * za, vc - fading * zc / ratio**2, -stiffness * (math.hypot(va, vc) / curve + 1 / damping) * zn]
        viscous = stribeck.viscous_damping(p, normal, math.hypot(va, vc))
        plane = [normal * (stiffness * one + damping * rate) + viscous * speed
                 for one, rate, speed in ((za, rates[0], va), (zc, rates[1], vc))]  # fmt: skip
        force = frame.T @ np.array([*plane, 0.0])
        stored = normal * stiffness * (za * rates[0] + zc * rates[1])
    sliding = frame.T @ np.array([va - rates[0], vc - rates[1], 0.0])
    outputs = friction_outputs(normal, force, v, sliding)
    return spread("bristleDeflection", frame.T @ np.array(rates)), outputs | {"heatFlow": outputs["dissipatedPower"] - stored}


def evaluate(p, u, x):
    return rub(p, u["normalForce"], vector(u, "contactNormal"), vector(u, "relativeVelocity"), vector(x, "bristleDeflection"))
