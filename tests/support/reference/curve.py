"""All laws without memory: a coefficient, a function of velocity, times the normal force, and zero
without contact."""

from . import direction


def evaluate_curve(coefficient, p, u):
    normal, velocity = u["normalForce"], u["relativeVelocity"]
    force = direction.dry(p, velocity) * coefficient(p, velocity) * normal if normal > 0 else 0.0
    return {}, {"frictionForce": force, "slidingVelocity": velocity}
