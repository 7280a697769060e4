"""Returns the units of an FMU's variables, as exponents of the base units."""

import re

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")


def units(description):
    found = {}
    for element in description.root.findall("UnitDefinitions/Unit"):
        base = element.find("BaseUnit")
        assert base is not None, f"unit {element.get('name')} has no base unit"
        exponents = tuple(int(base.get(name, 0)) for name in BASE)
        found[element.get("name")] = (
            exponents,
            float(base.get("factor", 1)),
            float(base.get("offset", 0)),
        )
    return found


def exponents_of(text):
    """Reads the exponents of a unit in Modelica's notation: N.s/m, m/s2, 1/(m.s)."""
    known = {name: tuple(int(name == other) for other in BASE) for name in BASE} | {
        "1": (),
        "N": (1, 1, -2),
        "W": (1, 2, -3),
        "J": (1, 2, -2),
        "Pa": (1, -1, -2),
        "Hz": (0, 0, -1),
        "C": (0, 0, 1, 1),
        "V": (1, 2, -3, -1),
    }
    total = [0] * len(BASE)
    for sign, part in zip((1, -1), text.split("/", 1)):
        for factor in part.strip("()").split("."):
            symbol, power = re.fullmatch(r"([A-Za-z]+|1)(-?\d+)?", factor).groups()
            for i, exponent in enumerate(known[symbol]):
                total[i] += sign * exponent * int(power or 1)
    return tuple(total)


def scaled(description, metre, kilogram, second):
    """Returns the factor of each Real when the base units change by these factors."""
    factors = {}
    for name, (exponents, _, _) in units(description).items():
        factors[name] = kilogram ** exponents[0] * metre ** exponents[1] * second ** exponents[2]
    return {v.name: factors[v.unit] for v in description.reals}
