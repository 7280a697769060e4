"""Al-Bender 2005. Modes: 1 Separated, 2 Stick, 3 SlipForward, 4 SlipBackward, for each of four
elements."""

from . import direction, stribeck

ELEMENTS = (1, 2, 3, 4)


def shares(p):
    whole = sum(p[f"elementShare[{i}]"] for i in ELEMENTS)
    return {i: p[f"elementShare[{i}]"] / whole for i in ELEMENTS}


def evaluate(p, u, x):
    normal, v = u["normalForce"], u["relativeVelocity"]
    rates, force, sliding = {f"elementForce[{i}]": 0.0 for i in ELEMENTS}, 0.0, v
    if normal > 0:
        curve = stribeck.coefficient(p, abs(v)) * normal
        for i, share in shares(p).items():
            carried = direction.held(
                p, x[f"elementForce[{i}]"], share * p["staticFriction"] * normal
            )
            mode = u[f"mode[{i}]"]
            if mode == 2:
                rates[f"elementForce[{i}]"] = p[f"elementStiffness[{i}]"] * v
            elif mode in (3, 4):
                side = 1 if mode == 3 else -1
                rates[f"elementForce[{i}]"] = p["attractionRate"] * (
                    side * share - x[f"elementForce[{i}]"] / (direction.dry(p, side) * curve)
                )
            force += carried
        stiffness = sum(p[f"elementStiffness[{i}]"] for i in ELEMENTS)
        sliding = v - sum(rates.values()) / stiffness
        sticking = (
            sum(p[f"elementStiffness[{i}]"] for i in ELEMENTS if u[f"mode[{i}]"] == 2) / stiffness
        )
        force = direction.held(
            p, force + p["bristleDamping"] * sticking * v, p["staticFriction"] * normal
        ) + stribeck.viscous(p, normal, v)
    return rates, {"frictionForce": force, "slidingVelocity": sliding}


def stored(p, u, x):
    return sum(0.5 * x[f"elementForce[{i}]"] ** 2 / p[f"elementStiffness[{i}]"] for i in ELEMENTS)
