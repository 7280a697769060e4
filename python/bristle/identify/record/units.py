"""Units in the headers of measurements: their quantity, and their size in SI units."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

TIME, LENGTH, ANGLE, NUMBER = "time", "length", "angle", "number"
VELOCITY, ANGULAR_VELOCITY = "velocity", "angular velocity"
ACCELERATION, ANGULAR_ACCELERATION = "acceleration", "angular acceleration"
FORCE, TORQUE, CURRENT, VOLTAGE, MASS = "force", "torque", "current", "voltage", "mass"


def _sizes(sizes: dict[str, float]) -> dict[str, float]:
    """Returns sizes by each of their names."""
    return {name: size for names, size in sizes.items() for name in names.split()}


_GRAVITY = 9.80665  # of a kilogram-force, by definition
_PREFIXES = _sizes(
    {"n": 1e-9, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 0.1, "da": 10.0, "k K": 1e3, "M": 1e6}
)
_LONG_PREFIXES = _sizes(
    {
        "nano": 1e-9,
        "micro mikro": 1e-6,
        "milli": 1e-3,
        "centi zenti": 1e-2,
        "deci": 0.1,
        "kilo": 1e3,
    }
)
_TIMES = _sizes({"s sec secs second seconds sekunde sekunden": 1.0, "min": 60.0, "h": 3600.0})
_INCH, _FOOT, _POUND, _OUNCE = 0.0254, 0.3048, 4.4482216152605, 0.27801385095378125
_LENGTHS = _sizes(
    {
        "m meter meters metre metres": 1.0,
        "in inch inches": _INCH,
        "ft": _FOOT,
        "mil mils thou": _INCH / 1e3,
        "micron microns": 1e-6,
    }
)
_DEGREE, _TURN = math.pi / 180, 2 * math.pi
_ANGLES = _sizes(
    {
        "rad radian radians": 1.0,
        "deg ° º degree degrees": _DEGREE,
        "arcmin": _DEGREE / 60,
        "arcsec": _DEGREE / 3600,
        "rev revs turn turns": _TURN,
    }
)
_FORCES = _sizes(
    {
        "N newton newtons": 1.0,
        "lbf lb lbs": _POUND,
        "ozf oz": _OUNCE,
        "kgf kp": _GRAVITY,
        "gf": _GRAVITY / 1e3,
    }
)
_CURRENTS = {"A": 1.0, "amp": 1.0, "ampere": 1.0}
_VOLTAGES = {"V": 1.0, "volt": 1.0, "volts": 1.0}
_MASSES = {"kg": 1.0}  # named, so that a force in kilograms is refused as such
_NUMBERS = {"1": 1.0, "-": 1.0, "–": 1.0, "": 1.0, "%": 1e-2}
_SPECIAL = {
    **dict.fromkeys(
        ("rpm", "U/min", "r/min", "1/min", "/min"),
        (ANGULAR_VELOCITY, _TURN / 60),
    ),
    "krpm": (ANGULAR_VELOCITY, 1e3 * _TURN / 60),
    "rps": (ANGULAR_VELOCITY, _TURN),
    "g": (ACCELERATION, _GRAVITY),
    "mph": (VELOCITY, 0.44704),
}
_CAPITALS = {"S": "s", "MS": "ms", "MM": "mm", "UM": "um", "RAD": "rad", "NM": "N·m", "NMM": "N·mm"}
_CAPITALS |= {rate.upper(): rate for rate in ("m/s", "mm/s", "mm/min", "rad/s", "deg/s")}
_BASES = {
    TIME: _TIMES,
    LENGTH: _LENGTHS,
    ANGLE: _ANGLES,
    FORCE: _FORCES,
    CURRENT: _CURRENTS,
    VOLTAGE: _VOLTAGES,
    MASS: _MASSES,
}
_PREFIXED = {"s", "m", "rad", "N", "A", "V"}
_WRITTEN_OUT = set(
    "sec second seconds meter meters metre metres newton newtons radian radians ampere degree"
    " degrees".split()
)
_PRODUCTS: dict[tuple[tuple[str, int], ...], str] = {  # kinds by the powers of others
    **{((kind, 1),): kind for kind in _BASES},
    ((LENGTH, 1), (TIME, -1)): VELOCITY,
    ((LENGTH, 1), (TIME, -2)): ACCELERATION,
    ((ANGLE, 1), (TIME, -1)): ANGULAR_VELOCITY,
    ((ANGLE, 1), (TIME, -2)): ANGULAR_ACCELERATION,
    ((FORCE, 1), (LENGTH, 1)): TORQUE,
}


@dataclass(frozen=True)
class Unit:
    text: str
    kind: str
    factor: float  # factor to SI units


def unit_of(text: str) -> Unit | None:
    """Returns the unit of a text such as mm/s, µN or "kN m", or None if it is unknown."""
    plain = _plain(text)
    if plain in _NUMBERS:
        return Unit(text, NUMBER, _NUMBERS[plain])
    plain = _CAPITALS.get(plain, plain)
    for name in (plain, plain.lower() if len(plain) > 1 else plain):
        if name in _SPECIAL:
            return Unit(text, *_SPECIAL[name])
    powers: Counter[str] = Counter()
    size = 1.0
    for name, power in _factors(plain):
        if (single := _single(name)) is None:
            return None
        powers[single[0]] += power
        size *= single[1] ** power
    kind = _PRODUCTS.get(tuple(sorted(powers.items())))
    return Unit(text, kind, size) if kind else None


_ALIKE = str.maketrans(
    {"µ": "u", "μ": "u", "²": "^2", "¹": "1", "⋅": "·", "∙": "·", "*": "·", ".": "·"}
    | dict.fromkeys("⁻−‐‑", "-")
)


def _plain(text: str) -> str:
    plain = text.strip().strip("[]()").strip().rstrip(".").replace("**", "^").translate(_ALIKE)
    plain = re.sub(r"\bper\b", "/", plain.replace("-^", "^-"))
    return re.sub(r"\s*([/·])\s*", r"\1", re.sub(r"[ ·]*min\^?-1$", "/min", plain))


_FACTOR = re.compile(r"([^\d^]+?)(?:\^?(-\d|[2-9]))?")


def _factors(plain: str) -> list[tuple[str, int]]:
    """Splits a unit into factors with their powers: mm/s^2, "mm s-2", N·m, N-m, Nmm."""
    if single := _FORCE_AND_LENGTH.fullmatch(plain):
        return [(name, 1) for name in single.groups()]
    found = []
    for k, part in enumerate(plain.split("/")):
        for word in re.split(r"[ ·]+|-(?=\D)", part.strip("()")):
            match = _FACTOR.fullmatch(word)
            power = int(match[2] or 1) if match else 1
            found.append((match[1] if match else word, -power if k else power))
    return found


_FORCE_AND_LENGTH = re.compile(r"(\w*N|(?i:newton))((?:[a-z]?m|(?i:met(?:er|re)s?)))")


def _single(plain: str) -> tuple[str, float] | None:
    """Returns a unit of one factor, with a prefix or without."""
    lower = plain.lower()
    for kind, names in _BASES.items():
        if plain in names:
            return kind, names[plain]
        if len(plain) > 1 and lower in names and lower not in _PREFIXED:
            return kind, names[lower]
    for prefixes, word in ((_PREFIXES, plain), (_LONG_PREFIXES, lower)):
        for prefix, size in prefixes.items():
            rest = word.removeprefix(prefix)
            if rest != word and rest in _with(prefix):
                return next(
                    (kind, size * names[rest]) for kind, names in _BASES.items() if rest in names
                )
    return None


def _with(prefix: str) -> set[str]:
    """Returns the units that a prefix may precede."""
    if prefix in _LONG_PREFIXES:
        return _WRITTEN_OUT
    return {"N"} if prefix == "K" else _PREFIXED | ({"sec"} if prefix in ("m", "u") else set())


def known_units() -> str:
    """Lists the known units briefly, for messages."""
    return (
        "s, ms, min; m, mm, um, in; rad, deg, rev; m/s, mm/s, rad/s, rpm; m/s^2, g; N, mN, kN, lbf,"
        " kgf; N.m, Nmm; A, mA, V; 1, %"
    )


_STEPS = ((1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


def prefixed(value: float) -> tuple[float, str]:
    """Returns size and symbol of the prefix for a number of three digits."""
    return next((step for step in _STEPS if abs(value) >= 0.9995 * step[0]), _STEPS[-1])


def with_prefix(value: float, unit: str) -> str:
    """Writes a number with a prefix to its unit: 0.00024 m/s is 0.24 mm/s."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g} {unit}"
    size, prefix = prefixed(value)
    return f"{value / size:.3g} {prefix}{unit}"
