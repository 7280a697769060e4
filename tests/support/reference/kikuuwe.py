"""Kikuuwe et al. 2006: a spring and a damper in series with Coulomb friction, and its implicit
Euler step with a fixed step."""


def saturated(force, limit):
    return max(-limit, min(force, limit))


def law(stiffness, damping, limit, deflection, velocity):
    """Returns (friction force, rate of the deflection) of K e + B de/dt = F sgn(v - de/dt)."""
    force = saturated(stiffness * deflection + damping * velocity, limit)
    return force, (force - stiffness * deflection) / damping


def step(stiffness, damping, limit, deflection, velocity, step):
    """Returns (friction force, deflection) after an implicit Euler step under a velocity."""
    force = saturated(stiffness * deflection + (stiffness * step + damping) * velocity, limit)
    return force, (damping * deflection + step * force) / (stiffness * step + damping)
