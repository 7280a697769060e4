"""The common part of laws with ideal stick. Modes: 1 Separated, 2 Stick, 3 SlipForward, 4
SlipBackward."""

from . import direction


def stick_force(p, u, speed):
    limit, velocity = p["staticFriction"] * u["normalForce"], u["relativeVelocity"]
    return direction.held(
        p, u["externalForce"] + limit * direction.dry(p, velocity) * velocity / speed, limit
    )


def evaluate_ideal(sliding, p, u):
    """Evaluates a law; `sliding` is its friction force in slip, from parameters, normal force and
    velocity."""
    normal, velocity, mode = u["normalForce"], u["relativeVelocity"], u["mode"]
    force = 0.0
    if normal > 0 and mode == 2:
        force = stick_force(p, u, p["regularizationVelocity"])
    elif normal > 0:
        side = {1: 0.0, 3: 1.0, 4: -1.0}[mode]
        force = side * sliding(p, normal, side * abs(velocity))
    return {}, {"frictionForce": force, "slidingVelocity": velocity}
