"""Colantonio et al. 2022, eq 19 for delta > 0 and never negative, with the penetration in units of
`referencePenetration`."""


def press(p, depth, rate):
    """Returns the normal force, and the heat: power in minus that stored in the spring, also if the
    surfaces part before it is unloaded."""
    if depth <= 0:
        return 0.0, 0.0
    part = depth / p["referencePenetration"]
    spring = p["contactStiffness"] * part ** p["stiffnessExponent"]
    normal = max(0.0, spring + p["contactDamping"] * part ** p["dampingExponent"] * rate)
    return normal, (normal - spring) * rate


def evaluate(p, u, x):
    normal, heat = press(p, u["penetration"], u["penetrationRate"])
    return {}, {
        "normalForce": normal,
        "dissipatedPower": normal * u["penetrationRate"],
        "heatFlow": heat,
    }
