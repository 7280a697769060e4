"""The largest step of a host with a fixed step for a contact in the normal direction: for the pages
and for `bristle suggest`."""

from __future__ import annotations

import math

GRAVITY = 9.81
CONTACT = (
    "contactStiffness",
    "contactDamping",
    "referencePenetration",
    "stiffnessExponent",
    "dampingExponent",
)


def contact_step(values: dict[str, float], mass: float, speed: float, late: bool) -> float:
    """Returns the largest step with which a host that holds the normal force of a Hunt-Crossley
    contact gives a body no energy.

    About a penetration the contact is a spring k and a damper d. With x' = x + h v', v' = v - h (k
    x + d v)/m small motions decay for k h²/m + 2 d h/m < 4 and, with the force of the step before,
    for k h²/m < (d h/m) (1 - d h/m) (Jury). The result is two thirds of the smaller limit, of the
    deepest point and of rest; the margin is for the nonlinear impact, measured over stiffnesses of
    1 to 1e4 times the default and masses of 0.01 to 100 kg.
    """
    stiffness, depth = values["contactStiffness"], values["referencePenetration"]
    p, q = values["stiffnessExponent"], values["dampingExponent"]
    deepest = ((p + 1) * mass * speed**2 / (2 * stiffness * depth)) ** (1 / (p + 1))
    limits = []
    for s in (deepest, (mass * GRAVITY / stiffness) ** (1 / p)):
        if s > 0:
            k, d = p * stiffness * s ** (p - 1) / depth, values["contactDamping"] * s**q
            limits.append(
                d / (k + d**2 / mass) if late else 4 * mass / (math.sqrt(d**2 + 4 * k * mass) + d)
            )
    return 2 / 3 * min(limits)
