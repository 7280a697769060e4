"""The bounds of the option `law`: 2 (Bounded) applies them, 1 (Printed) does not."""

from . import direction


def is_printed(p):
    return p.get("law", 1) == 1


def within(p, force, limit):
    return force if is_printed(p) else direction.held(p, force, limit)


def springing(p, force, rate, velocity):
    """Returns the force of a bristle: if Bounded, one that springs back gives zero force rather
    than drive the body."""
    return (
        force
        if is_printed(p) or rate * velocity >= 0
        else max(force, 0.0)
        if velocity > 0
        else min(force, 0.0)
    )
