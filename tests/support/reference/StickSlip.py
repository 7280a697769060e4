"""Pennestri 2016, eqs 16 to 19 and Table 1 with its errata: the steps have the bars, the deflection
stops at its limit."""

from math import copysign

from .direction import dry
from .steps import step

LAST_PART = 1e-3  # part of the limit over which the deflection comes to rest


def held_rate(limit, x, v):
    if x * v <= 0:
        return v
    return v * min(max((limit - abs(x)) / (LAST_PART * limit), -1.0), 1.0)


def evaluate(p, u, x):
    normal, v, deflection = u["normalForce"], u["relativeVelocity"], x["stictionDeflection"]
    if normal <= 0:
        rate, force = -deflection * p["transitionVelocity"] / p["stictionDisplacement"], 0.0
    else:
        v_t, x_s = p["transitionVelocity"], p["stictionDisplacement"]
        static, dynamic = p["staticFriction"] * normal, p["dynamicFriction"] * normal
        beta = abs(step(v, -v_t, -1.0, v_t, 1.0))
        stiction = (1 - beta) * abs(step(deflection, -x_s, -static, x_s, static))
        sliding = abs(step(v, -v_t, -dynamic, v_t, dynamic))
        rate = v if p["deflectionLimit"] == 2 else held_rate(x_s, deflection, v)
        force = copysign(dry(p, deflection) * stiction, deflection) + copysign(
            dry(p, v) * sliding, v
        )
    return {"stictionDeflection": rate}, {"frictionForce": force, "slidingVelocity": v - rate}
