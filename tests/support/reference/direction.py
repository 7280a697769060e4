"""Friction by direction: in the negative direction its limit and its viscous part are multiplied by
ratios."""


def dry(p, towards):
    """Returns the factor on the friction limit in the direction of the sign of `towards`."""
    return p.get("backwardFrictionRatio", 1.0) if towards < 0 else 1.0


def wet(p, towards):
    """Returns the factor on the viscous part."""
    return p.get("backwardViscousRatio", 1.0) if towards < 0 else 1.0


def held(p, force, limit):
    """Limits a force by those of both sides."""
    return min(max(force, -limit * dry(p, -1)), limit)


# The parameters that the ratios multiply in the negative direction.
SCALED = {
    "backwardFrictionRatio": ("staticFriction", "dynamicFriction", "breakawayDeflection"),
    "backwardViscousRatio": ("viscousFriction", "viscousDamping"),
}


def seen_from(p, side):
    """Returns the parameters of the same contact for a side, by its sign: for the negative one,
    negative motion is forward."""
    if side >= 0:
        return p
    turned = {
        name: p[name] * p[ratio]
        for ratio, names in SCALED.items()
        for name in names
        if name in p and ratio in p
    }
    return {**p, **turned, **{ratio: 1 / p[ratio] for ratio in SCALED if ratio in p}}
