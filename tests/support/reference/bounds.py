"""What a contact can carry: the bounds of the option `law`, which 1 sets and 2, as printed, leaves out."""

from . import direction


def is_printed(p):
    return p.get("law", 1) == 2


def within(p, force, limit):
    return force if is_printed(p) else direction.held(p, force, limit)


def damping(p, value, curve, velocity, bound=4.0):
    """Bounded, the damper takes up no more than `bound` times the curve: value |v| <= bound * curve."""
    return value if is_printed(p) or value * abs(velocity) <= bound * curve else bound * curve / abs(velocity)


def springing(p, force, rate, velocity):
    """Bounded, a bristle that comes back against the motion gives nothing rather than a push along with it."""
    return force if is_printed(p) or rate * velocity >= 0 else max(force, 0.0) if velocity > 0 else min(force, 0.0)
