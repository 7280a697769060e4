"""Schuderer 2023, eqs 2 to 4, with STEP5 as the packages print it. Modes: 1 Separated, 2 Stick, 3
Slip."""

import math

from .direction import dry


def step5(x, x0, h0, x1, h1):
    if x <= x0:
        return h0
    if x >= x1:
        return h1
    u = (x - x0) / (x1 - x0)
    return h0 + (h1 - h0) * u**3 * (10 - 15 * u + 6 * u**2)


def evaluate(p, u, x, ratio=None):
    normal, v, mode = u["normalForce"], u["relativeVelocity"], u["mode"]
    deflection, limit = x["stictionDeflection"], p["stictionDisplacement"]
    force = rate = 0.0
    if normal > 0 and mode == 2:
        beta = step5(abs(v), -p["staticVelocity"], -1, p["staticVelocity"], 1)
        spring = step5(abs(deflection), -limit, -p["staticFriction"], limit, p["staticFriction"])
        force = (
            (1 - beta) * math.copysign(dry(p, deflection) * spring, deflection)
            + p["staticFriction"] * math.copysign(dry(p, v) * beta, v)
        ) * normal
        near = 100 * (1 - abs(deflection) / limit)  # distance to the limit, in hundredths of it
        rate = v if deflection * v <= 0 else v * max(-1.0, min(near, 1.0))
    elif normal > 0 and mode == 3:
        dynamic = (ratio or p["velocityRatio"]) * p["staticVelocity"]
        force = (
            math.copysign(
                dry(p, v)
                * step5(
                    abs(v), p["staticVelocity"], p["staticFriction"], dynamic, p["dynamicFriction"]
                ),
                v,
            )
            * normal
        )
    return {"stictionDeflection": rate}, {"frictionForce": force, "slidingVelocity": v - rate}
