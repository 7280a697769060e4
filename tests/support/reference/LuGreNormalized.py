"""Colantonio et al. 2022, eqs 9 to 11; relaxed with its own time constant when separated."""

from . import bounds, direction, stribeck


def evaluate(p, u, x):
    normal, velocity, z = u["normalForce"], u["relativeVelocity"], x["bristleDeflection"]
    if normal <= 0:
        rate = -z * p["bristleStiffness"] / p["bristleDamping"]
        force = 0.0
    else:
        level = direction.dry(p, velocity) * stribeck.coefficient(p, abs(velocity))
        rate = velocity - z * p["bristleStiffness"] * abs(velocity) / level
        carried = bounds.springing(
            p, p["bristleStiffness"] * z + p["bristleDamping"] * rate, rate, velocity
        )
        force = bounds.within(p, carried, p["staticFriction"]) * normal + stribeck.viscous(
            p, normal, velocity
        )
    return {"bristleDeflection": rate}, {"frictionForce": force, "slidingVelocity": velocity - rate}


def stored(p, u, x):
    return 0.5 * max(u["normalForce"], 0.0) * p["bristleStiffness"] * x["bristleDeflection"] ** 2
