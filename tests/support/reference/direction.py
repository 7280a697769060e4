"""Friction by direction: what limits it, and its viscous part, count as many times as the
parameters say in the negative direction."""


def dry(p, towards):
    """Factor on the friction limit on the side to which `towards` points, by its sign."""
    return p.get("backwardFrictionRatio", 1.0) if towards < 0 else 1.0


def wet(p, towards):
    """Factor on the viscous part."""
    return p.get("backwardViscousRatio", 1.0) if towards < 0 else 1.0


def held(p, force, limit):
    """A force between the limits of both sides."""
    return min(max(force, -limit * dry(p, -1)), limit)


# What the ratios multiply in the negative direction.
SCALED = {
    "backwardFrictionRatio": ("staticFriction", "dynamicFriction", "breakawayDeflection"),
    "backwardViscousRatio": ("viscousFriction", "viscousDamping"),
}


def seen_from(p, side):
    """The parameters of the same contact seen from a side, by its sign: from the negative one,
    motions to there are forward."""
    if side >= 0:
        return p
    turned = {
        name: p[name] * p[ratio]
        for ratio, names in SCALED.items()
        for name in names
        if name in p and ratio in p
    }
    return {**p, **turned, **{ratio: 1 / p[ratio] for ratio in SCALED if ratio in p}}
