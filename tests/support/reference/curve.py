"""What all laws without memory share: a coefficient of the velocity times the normal force, nothing without contact."""


def evaluate_curve(coefficient, p, u):
    normal, velocity = u["normalForce"], u["relativeVelocity"]
    return {}, {"frictionForce": coefficient(p, velocity) * normal if normal > 0 else 0.0, "slidingVelocity": velocity}
