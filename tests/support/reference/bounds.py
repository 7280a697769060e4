"""What a contact can carry: the bounds of the option `law`, which 2 sets and 1, as printed, leaves
out."""

from . import direction


def is_printed(p):
    return p.get("law", 1) == 1


def within(p, force, limit):
    return force if is_printed(p) else direction.held(p, force, limit)


def springing(p, force, rate, velocity):
    """Bounded, a bristle that comes back against the motion gives nothing rather than a push along
    with it."""
    return (
        force
        if is_printed(p) or rate * velocity >= 0
        else max(force, 0.0)
        if velocity > 0
        else min(force, 0.0)
    )
