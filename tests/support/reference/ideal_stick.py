"""What the laws with an ideal stick share. Modes: 1 Separated, 2 Stick, 3 SlipForward, 4 SlipBackward."""


def limited(value, limit):
    return max(-limit, min(value, limit))


def stick_force(p, u, speed):
    limit = p["staticFriction"] * u["normalForce"]
    return limited(u["externalForce"] + limit * u["relativeVelocity"] / speed, limit)


def evaluate_ideal(sliding, p, u):
    """`sliding`: the friction force of a slip, of parameters, normal force and speed."""
    normal, velocity, mode = u["normalForce"], u["relativeVelocity"], u["mode"]
    force = 0.0
    if normal > 0 and mode == 2:
        force = stick_force(p, u, p["regularizationVelocity"])
    elif normal > 0:
        force = {1: 0.0, 3: 1.0, 4: -1.0}[mode] * sliding(p, normal, abs(velocity))
    return {}, {"frictionForce": force, "slidingVelocity": velocity}
