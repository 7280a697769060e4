"""Suggests first values of a model's parameters from what is known of a contact without a
measurement.

Rill = Rill et al. 2023, Schuderer = Schuderer et al. 2023, Colantonio = Colantonio et al. 2022.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from . import BristleError
from .format.contact_step import CONTACT, GRAVITY, contact_step
from .forms import Form, form_of
from .library import Model, Variable, describe
from .running import evaluate, run

DAMPING_RATIOS = (0.3, 0.7)  # proven in practice (Schuderer)
# In SI units: no contact has a number outside, and numbers inside give finite results.
SMALLEST, LARGEST = 1e-12, 1e12
STIFFNESSES = ("bristleStiffness", "stictionStiffness", "elementStiffness")
DAMPINGS = ("bristleDamping", "stictionDamping")
SMALL_SPEEDS = ("regularizationVelocity", "transitionVelocity")
# The first of these that a curve has sets its slope at rest; the last is the inverse of a speed.
CURVE_SPEEDS = ("regularizationVelocity", "staticVelocity", "dynamicVelocity", "stiffnessFactor")


@dataclass(frozen=True)
class Known:
    """What is known of the contact, in SI units; None is unknown."""

    normal_force: float | None = None
    mass: float | None = None
    inertia: float | None = None
    radius: float | None = None
    static_friction: float | None = None
    dynamic_friction: float | None = None
    break_away_force: float | None = None
    sliding_force: float | None = None
    stribeck_velocity: float | None = None
    reference_force: float | None = None
    deflection: float | None = None
    rise_time: float | None = None
    damping_ratio: float | None = None
    creep: float | None = None
    load: float | None = None
    speed: float | None = None
    step: float | None = None

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if value is not None and not SMALLEST <= value <= LARGEST:
                raise BristleError(
                    f"{one.name.replace('_', ' ')} = {value:g} must lie between {SMALLEST:g} and"
                    f" {LARGEST:g}."
                )
        for first, second in (
            ("static_friction", "break_away_force"),
            ("dynamic_friction", "sliding_force"),
            ("deflection", "rise_time"),
            ("mass", "inertia"),
        ):
            if getattr(self, first) is not None and getattr(self, second) is not None:
                raise BristleError(
                    f"{first.replace('_', ' ')} and {second.replace('_', ' ')} say the same:"
                    " give one of them."
                )
        if self.rise_time is not None and (self.damping_ratio or 0.5) >= 1:
            raise BristleError(
                f"damping ratio = {self.damping_ratio:g} must be less than 1 for a rise time."
            )


@dataclass
class Suggestion:
    """Values by parameter, each with its reason, and remarks on them."""

    model: Model
    values: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)

    def has(self, name: str) -> bool:
        return any(one.name == name for one in self.model.parameters)

    def set(self, name: str, value: float, reason: str) -> None:
        self.values[name] = float(value)
        self.reasons[name] = reason

    def value(self, name: str) -> float:
        """Returns the suggested value, or the default."""
        return self.values.get(name, self.model[name].start)


def suggest(model: str | Path, known: Known) -> Suggestion:
    """Suggests first values for a model."""
    made = Suggestion(describe(model))
    if _is_normal_contact(made.model) and not _has_friction(made.model):
        if known.mass is None:
            raise BristleError(f"{made.model.name} needs the mass, for its largest step.")
        _add_contact_steps(made, known)
        return made
    outputs = {one.name for one in made.model.outputs}
    if "normalForce" in outputs and not outputs & {"frictionForce", "frictionForce[1]"}:
        raise BristleError(
            f"{made.model.name} has no friction of its own: it computes the normal force. Its page"
            " says where its parameters come from."
        )
    known = _at_radius(made, known)
    normal = _normal_force(made, known)
    _coefficients(made, known, normal)
    _bristle(made, known, normal)
    _speeds(made, known, normal)
    if not made.values and known.mass is None:
        raise BristleError(
            f"{made.model.name} has no parameter that follows from what is given; give what you"
            " know of static and dynamic friction, mass or normal force, deflection or creep"
            " (bristle suggest --help)."
        )
    evaluate(made.model.file, made.values, outputs=[])  # the model's own rules
    _warn_of_roots(made, normal)
    _warn_of_energy(made, normal)
    if any(one.name == "law" for one in made.model.parameters):
        made.assumed.append(
            "the normal force does not fall, and the host has variable steps; otherwise set law = 2"
            " (Bounded)"
        )
    _add_steps(made, known, normal)
    if _is_normal_contact(made.model):
        _add_contact_steps(made, known)
    return made


def _is_normal_contact(model: Model) -> bool:
    return any(one.name == "contactStiffness" for one in model.parameters)


def _has_friction(model: Model) -> bool:
    return any(one.name == "staticFriction" for one in model.parameters)


def _add_contact_steps(made: Suggestion, known: Known) -> None:
    if known.mass is None:
        return
    values = {
        one.name: float(made.values.get(one.name, one.start))
        for one in made.model.parameters
        if one.name in CONTACT
    }
    speed = known.speed or 0.0
    where = f"an impact at {speed:.4g} m/s, and a body at rest" if speed else "a body at rest"
    for text, late in (("at once", False), ("one step late", True)):
        host = f"a host that applies the normal force {text}"
        limit = contact_step(values, known.mass, speed, late)
        made.limits.append(
            f"{host}, {where}: at most {limit:.4g} s with {_mass_text(made, known.mass)}"
        )
        if known.step is not None and known.step > limit:
            made.warnings.append(
                f"a step of {known.step:.4g} s is too large for {host}: it may be at most"
                f" {limit:.4g} s."
            )
            _set_body_mass(made, known.mass)


def _at_radius(made: Suggestion, known: Known) -> Known:
    """Converts what is known of a joint to a body that slides at the radius: its mass is the
    inertia over the radius squared."""
    form = form_of(made.model)
    if form is None or not form.turns:
        if known.inertia is not None or known.radius is not None:
            raise BristleError(
                f"inertia and radius are for an element that turns, and {made.model.name} slides;"
                " take its rotational twin."
            )
        return known
    radius = known.radius or float(made.model[form.radius].start)
    if known.radius is not None:
        made.set(form.radius, radius, "given")
    else:
        made.assumed.append(f"{form.radius} stays at {radius:.4g} m")
    if known.inertia is None:
        return known
    normal = known.normal_force
    if normal is None:
        normal = float(made.model[form.normal_force].start)
        made.assumed.append(f"the normal force is the default of the model, {normal:.4g} N")
    return replace(known, mass=known.inertia / radius**2, inertia=None, normal_force=normal)


def _radius(made: Suggestion) -> float:
    """Returns the radius that relates the element's angles and torques to distances and forces; 1
    if it slides."""
    return made.value(form.radius) if (form := form_of(made.model)) and form.turns else 1.0


def _mass_text(made: Suggestion, mass: float) -> str:
    form = form_of(made.model)
    if form and form.turns:
        return f"an inertia of {mass * _radius(made) ** 2:.4g} kg.m2"
    return f"a mass of {mass:.4g} kg"


def _normal_force(made: Suggestion, known: Known) -> float:
    if known.normal_force is not None:
        return known.normal_force
    if known.mass is not None:
        made.assumed.append(
            f"the normal force is the weight of the mass, {known.mass * GRAVITY:.4g} N"
        )
        return known.mass * GRAVITY
    name = made.model.facts.roles.get("normal_force")
    start = next((one.start for one in made.model.inputs if one.name == name), None)
    if not start:
        raise BristleError(f"{made.model.name} needs the normal force.")
    made.assumed.append(f"the normal force is the default of the model, {start:.4g} N")
    return float(start)


def _coefficients(made: Suggestion, known: Known, normal: float) -> None:
    pairs = (
        ("staticFriction", known.static_friction, known.break_away_force, "break-away force"),
        ("dynamicFriction", known.dynamic_friction, known.sliding_force, "force in sliding"),
    )
    for name, coefficient, force, text in pairs:
        if not made.has(name):
            continue
        if coefficient is not None:
            made.set(name, coefficient, "given")
        elif force is not None:
            made.set(
                name,
                force / normal,
                f"{text} over the normal force, {force:.4g} N / {normal:.4g} N",
            )
    given = [name for name, *_ in pairs if name in made.values]
    if (
        given == ["dynamicFriction"]
        and made.has("staticFriction")
        and made.value("staticFriction") < made.value("dynamicFriction")
    ):
        made.set("staticFriction", made.value("dynamicFriction"), "no less than dynamicFriction")
    if (
        given == ["staticFriction"]
        and made.has("dynamicFriction")
        and made.value("dynamicFriction") > made.value("staticFriction")
    ):
        made.set("dynamicFriction", made.value("staticFriction"), "no more than staticFriction")
    for name, *_ in pairs:
        if made.has(name) and name not in made.values:
            made.assumed.append(f"{name} stays at {made.model[name].start:.4g}")


def _static_force(made: Suggestion, normal: float) -> float:
    name = "staticFriction" if made.has("staticFriction") else "dynamicFriction"
    return made.value(name) * normal if made.has(name) else normal


def _bristle(made: Suggestion, known: Known, normal: float) -> None:
    names = [one for one in STIFFNESSES if made.has(one) or made.has(f"{one}[1]")]
    if not names and not made.has("stictionDisplacement"):
        if known.deflection is not None or known.rise_time is not None:
            made.warnings.append(
                f"{made.model.name} has no stiffness: deflection and rise time say nothing"
                " about it."
            )
        return
    limit = _static_force(made, normal)
    force = known.reference_force or limit
    mass = known.mass or force / GRAVITY
    if known.deflection is not None:
        stiffness = force / known.deflection
        reason = (
            f"{force:.4g} N over a deflection of {known.deflection:.4g} m (Rill 4.2, Schuderer"
            " eq 6)"
        )
        if known.reference_force is None:
            made.assumed.append(
                f"the deflection is the one under the static friction force, {limit:.4g} N"
            )
    elif known.rise_time is not None:
        ratio = known.damping_ratio or 0.5
        mass = known.mass or normal / GRAVITY
        frequency = (math.pi - math.acos(ratio)) / (known.rise_time * math.sqrt(1 - ratio**2))
        stiffness = mass * frequency**2
        reason = (
            f"rise time {known.rise_time:.4g} s at the damping ratio {ratio:.4g} (Schuderer eq 9)"
        )
    else:
        made.assumed.append(
            "stiffness and damping stay at their defaults: a deflection or a rise time would give"
            " them"
        )
        return
    for name in names:
        _set_scaled(made, name, stiffness, normal, reason)
    if made.has("stictionDisplacement"):
        made.set(
            "stictionDisplacement",
            limit / stiffness,
            f"deflection under the static friction force; {reason}",
        )
    if made.has("breakawayDeflection"):
        made.set(
            "breakawayDeflection",
            0.9 * limit / stiffness,
            "0.9 of the deflection at the static limit, which it must not exceed",
        )
    if not any(made.has(name) for name in DAMPINGS):
        if known.damping_ratio is not None and known.rise_time is None:
            made.warnings.append(
                f"{made.model.name} has no damping of its bristle: a damping ratio says nothing"
                " about it."
            )
        return
    if known.mass is None:
        force_name = "the normal force" if known.rise_time is not None else "the reference force"
        made.assumed.append(
            f"the mass on the bristle is the one whose weight is {force_name}, {mass:.4g} kg"
        )
    given = known.damping_ratio
    ratio = (1.0 if known.deflection is not None else 0.5) if given is None else given
    if given is None:
        made.assumed.append(
            f"the damping ratio is {ratio:g}" + (", the aperiodic limit" if ratio == 1 else "")
        )
    elif not DAMPING_RATIOS[0] < ratio < DAMPING_RATIOS[1] and ratio < 1:
        made.warnings.append(
            f"a damping ratio of {ratio:g} lies outside of 0.3 to 0.7, which has proven itself"
            " (Schuderer)."
        )
    damping = 2 * ratio * math.sqrt(mass * stiffness)
    how = (
        "√(4 m σ0) (Rill 4.2)" if ratio == 1 else f"2 D √(m σ0) with D = {ratio:g} (Schuderer eq 7)"
    )
    for name in DAMPINGS:
        if made.has(name):
            _set_scaled(made, name, damping, normal, how)


def _set_scaled(made: Suggestion, name: str, value: float, normal: float, reason: str) -> None:
    """Sets a value, per unit of normal force where the model has it so, and divided over the
    elements of a vector in proportion to their defaults."""
    parts: list[Variable] = [
        one for one in made.model.parameters if one.name == name or one.name.startswith(f"{name}[")
    ]
    total = sum(one.start for one in parts) or 1.0
    if not (parts[0].unit or "").startswith("N"):
        value, reason = (
            value / normal,
            f"{reason}, over the normal force {normal:.4g} N (Colantonio eq 14)",
        )
    for one in parts:
        shared = reason if len(parts) == 1 else f"{reason}, divided in proportion to the defaults"
        made.set(one.name, value if len(parts) == 1 else value * one.start / total, shared)


def _speeds(made: Suggestion, known: Known, normal: float) -> None:
    if known.stribeck_velocity is not None:
        if made.has("stribeckVelocity"):
            made.set("stribeckVelocity", known.stribeck_velocity, "given")
        else:
            made.warnings.append(f"{made.model.name} has no Stribeck velocity.")
    elif made.has("stribeckVelocity"):
        made.assumed.append(f"stribeckVelocity stays at {made.value('stribeckVelocity'):.4g} m/s")
    if known.creep is not None:
        _creep(made, known, normal)
    elif made.has("stribeckVelocity"):
        for name in SMALL_SPEEDS:
            if made.has(name):
                made.set(
                    name,
                    made.value("stribeckVelocity") / 10,
                    "a tenth of stribeckVelocity (Rill 4.3)",
                )


def _creep(made: Suggestion, known: Known, normal: float) -> None:
    """Sets the softest curve that bears a load at the tolerated creep speed, with forces computed
    by the model itself."""
    about = made.model
    name = next((one for one in CURVE_SPEEDS if made.has(one)), None)
    form, radius = form_of(about), _radius(made)
    is_curve = not about.states and all(one.is_real for one in about.outputs)
    if name is None or form is None or not is_curve:
        made.warnings.append(
            f"{about.name} does not creep like a curve over the velocity: the tolerated creep says"
            " nothing about it."
        )
        return
    load = known.load
    if load is None:
        load = 0.5 * _static_force(made, normal)
        made.assumed.append(
            f"the load under which it may creep is half of the static friction force, {load:.4g} N"
        )
    others = {
        one: made.model[one].start / made.model[name].start
        for one in CURVE_SPEEDS
        if made.has(one) and one != name
    }
    power = -1 if about[name].unit == "s/m" else 1
    creep = known.creep or 0.0
    low, high = creep * 1e-4, creep * 1e4
    for _ in range(4):  # four grids of 200 values, each finer
        speeds = np.geomspace(low, high, 200)
        columns = {name: speeds**power, **{one: speeds * ratio for one, ratio in others.items()}}
        fixed = {one: value for one, value in made.values.items() if one not in columns}
        motion = {form.normal_force: normal, form.velocity: creep / radius}
        force = evaluate(about.file, fixed | motion | columns, [form.force])[form.force]
        held = np.flatnonzero(force / radius >= load)
        if not len(held):
            raise BristleError(
                f"{about.name}: no {name} holds a load of {load:.4g} N at a creep of"
                f" {known.creep:.4g} m/s."
            )
        last = int(held[-1])
        low, high = speeds[last], speeds[min(last + 1, len(speeds) - 1)]
    reason = f"so that a load of {load:.4g} N creeps at {known.creep:.4g} m/s"
    made.set(name, low**power, reason)
    for one, ratio in others.items():
        made.set(one, low * ratio, f"in the ratio of the defaults to {name}")


def _warn_of_roots(made: Suggestion, normal: float) -> None:
    """Warns of several roots: the implicit bristle has one solution for every force only if its
    damping outweighs the fall of the friction curve."""
    if made.model.facts.law != "ImplicitBristle":
        return
    exponent = made.value("stribeckExponent")
    if exponent < 1:
        made.warnings.append(
            "with a stribeckExponent below 1 the implicit bristle has several solutions with any"
            " damping."
        )
        return
    power = (exponent - 1) / exponent  # of the speed at the inflection, over v_A
    steepest = exponent * (power**power if power else 1.0) * math.exp(-power)
    fall = (
        steepest
        * normal
        * (made.value("staticFriction") - made.value("dynamicFriction"))
        / made.value("stribeckVelocity")
    )
    needed = fall - made.value("viscousFriction") * normal - made.value("viscousDamping")
    if made.value("bristleDamping") < needed:
        made.warnings.append(
            "the implicit bristle has several roots: bristleDamping ="
            f" {made.value('bristleDamping'):.4g} N.s/m is below {needed:.4g} N.s/m, so break-away"
            " and arrest jump between two branches."
        )


def _warn_of_energy(made: Suggestion, normal: float) -> None:
    """Warns of energy that a model can create. LuGre as printed is still passive while σ1 |v| ≤ 4
    g(v), and g is at least μd N.
    """
    facts = made.model.facts
    defaults = {one.name: one.items[one.start - 1] for one in made.model.parameters if one.items}
    if facts.passive or facts.passive_with.items() & defaults.items():
        return
    remedy = "".join(f" only with {option} = {item}" for option, item in facts.passive_with.items())
    text = (
        f"{made.model.name} is {'passive' + remedy if remedy else 'not passive'}: it can give back"
        " more energy than it took"
    )
    cases = {
        "LuGre": ("", "μd N", normal),
        "LuGreNormalized": (" where the normal force rises and, unless law = Bounded,", "μd", 1.0),
    }
    if facts.law in cases:
        case, name, factor = cases[facts.law]
        speed = 4 * made.value("dynamicFriction") * factor / made.value("bristleDamping")
        text += f"{case} at speeds above {speed:.4g} m/s, where σ1 |v| exceeds 4 {name}"
    made.warnings.append(f"{text}.")


def _add_steps(made: Suggestion, known: Known, normal: float) -> None:
    """Adds the largest steps of a fixed-step host with one mass, from the exact slopes of the
    model."""
    if known.mass is None:
        if known.step is not None:
            made.warnings.append(
                "the largest step of a host depends on the mass, which is not given."
            )
        return
    form = form_of(made.model)
    if form is None:
        made.limits.append(
            f"{made.model.name} takes a velocity in space: no largest step is given for its"
            " friction"
        )
        return
    rest = made.model.facts.roles.get("rest_velocity")  # for a law without a slope at rest
    cases = {f"at rest (half of {rest})": 0.5 * made.value(rest)} if rest else {"at rest": 0.0}
    if known.speed is not None:
        cases[f"sliding at {known.speed:.4g} m/s"] = known.speed
    mass = known.mass
    for where, speed in cases.items():
        slopes = _slopes(made, form, normal, speed)
        growth = max(0.0, float(np.max(np.linalg.eigvals(_motion(slopes, mass)).real)))
        ringing = _undamped(slopes, mass)
        explicit = _largest_step(lambda step: _euler(slopes, mass, step), growth)
        held = _largest_step(lambda step: _held_inputs(slopes, mass, step), growth)
        if ringing:
            where += (
                ", where a bristle without damping keeps oscillating by a quarter of its"
                " deflection in sliding"
            )
            explicit = held = _RESIDUAL_SWING / ringing
        for text, limit in (
            (f"explicit Euler, {where}", explicit),
            (f"co-simulation with held inputs, {where}", held),
        ):
            if not 0 < limit < math.inf:
                made.limits.append(f"{text}: {'any' if limit else 'no'} step is stable")
                continue
            made.limits.append(f"{text}: at most {limit:.4g} s with {_mass_text(made, known.mass)}")
            if known.step is not None and known.step > limit:
                made.warnings.append(
                    f"a step of {known.step:.4g} s is too large for {text}: it may be at most"
                    f" {limit:.4g} s."
                )
                if limit is held:
                    _set_body_mass(made, mass)
    if (
        any(made.has(name) for name in _BODY_MASSES)
        and not _BODY_MASSES.keys() & made.values.keys()
    ):
        made.limits.append(
            "longer steps in co-simulation: set the mass that the element moves"
            f" ({' or '.join(name for name in _BODY_MASSES if made.has(name))})"
        )


# parameters with which an element includes the body, and their power of the radius
_BODY_MASSES = {"couplingMass": 0, "couplingInertia": 2}


def _set_body_mass(made: Suggestion, mass: float) -> None:
    for name, power in _BODY_MASSES.items():
        if made.has(name):
            reason = "so that co-simulation is stable with this step; only contact of the body"
            made.set(name, mass * _radius(made) ** power, reason)


# A body on a spring grows by (ω h)²/2 a step, which is 2π ω h of its energy each period. A bristle
# without damping takes 4/3 a/z of it with loops of the width a, z its deflection in sliding: a =
# 1.5π ω h z remains, a quarter of z at this ω h.
_RESIDUAL_SWING = 0.05


def _undamped(slopes: Slopes, mass: float) -> float:
    """Returns the circular frequency of a body on a bristle without any damping; 0 if there is
    some."""
    values = np.linalg.eigvals(_motion(slopes, mass))
    swinging = values[np.abs(values.imag) > 0]
    if not len(swinging) or np.any(swinging.real < -1e-6 * np.abs(swinging.imag)):
        return 0.0
    return float(np.abs(swinging.imag).max())


@dataclass(frozen=True)
class Slopes:
    """The element linearized at a point: dx' = A dx + B dv, dF = C dx + D dv."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: float


def start_of(state: str) -> str:
    """Returns the parameter with the start value of a state: elementForceStart[1] of
    elementForce[1]."""
    stem, bracket, element = state.partition("[")
    return f"{stem}Start{bracket}{element}"


def _slopes(made: Suggestion, form: Form, normal: float, speed: float) -> Slopes:
    about, states = made.model, [one.name for one in made.model.states]
    radius = _radius(made)
    motion = {form.normal_force: normal, form.velocity: speed / radius}
    values: dict[str, Any] = {**made.values, **motion}
    if speed and states:  # the states after a long distance
        long = run(about.file, [0.0, 1.0, 10.0], motion, made.values, states)
        values |= {start_of(name): long[name][-1] for name in states}
    starts, rates = [start_of(name) for name in states], [f"der({name})" for name in states]
    found = evaluate(about.file, values, [*rates, form.force], slopes=[*starts, form.velocity])

    def part(rows: list[str], columns: list[str]) -> np.ndarray:
        return np.array([[found[row, column][0] for column in columns] for row in rows]).reshape(
            len(rows), len(columns)
        )

    force, velocity = [form.force], [form.velocity]
    along, of_force = part(rates, velocity) / radius, part(force, starts) / radius
    return Slopes(
        part(rates, starts), along, of_force, float(part(force, velocity)[0, 0]) / radius**2
    )


def _motion(slopes: Slopes, mass: float) -> np.ndarray:
    """Returns the matrix of the element with a mass: the rates of (dx, dv)."""
    return np.block([[slopes.A, slopes.B], [-slopes.C / mass, np.array([[-slopes.D / mass]])]])


def _euler(slopes: Slopes, mass: float, step: float) -> np.ndarray:
    """Returns the matrix of one step of explicit Euler: (dx, dv) to (dx, dv)."""
    return np.eye(len(slopes.A) + 1) + step * _motion(slopes, mass)


def _held_inputs(slopes: Slopes, mass: float, step: float) -> np.ndarray:
    """Returns the matrix of one communication step: the element moves exactly under the held
    velocity, the mass under the held force."""
    n = len(slopes.A)
    moved = _exponential(np.block([[slopes.A, slopes.B], [np.zeros((1, n + 1))]]) * step)
    return np.vstack(
        [moved[:n], np.hstack([-step / mass * slopes.C, [[1 - step / mass * slopes.D]]])]
    )


def _exponential(matrix: np.ndarray) -> np.ndarray:
    """Computes the exponential by scaling and squaring: the series of a matrix halved until it is
    small."""
    halvings = max(0, math.ceil(math.log2(max(np.abs(matrix).sum(), 1e-300))) + 2)
    small = matrix / 2.0**halvings
    result, term = np.eye(len(matrix)), np.eye(len(matrix))
    for i in range(1, 16):
        term = term @ small / i
        result = result + term
    for _ in range(halvings):
        result = result @ result
    return result


def _largest_step(step_matrix: Callable[[float], np.ndarray], growth: float) -> float:
    """Finds the largest step up to which the method does not make small motions grow; infinite if
    it is above 1000 s, and 0 if below 1 ns.

    On the falling part of a friction curve a motion grows by itself: up to twice that growth is
    accepted.
    """

    def stable(step: float) -> bool:
        allowed = 1 + 2 * math.expm1(min(growth * step, 100)) + 1e-9
        return bool(np.max(np.abs(np.linalg.eigvals(step_matrix(step)))) <= allowed)

    steps = np.geomspace(1e-9, 1e3, 241)
    first_bad = next((i for i, step in enumerate(steps) if not stable(step)), None)
    if not first_bad:
        return math.inf if first_bad is None else 0.0
    low, high = steps[first_bad - 1], steps[first_bad]
    for _ in range(50):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if stable(middle) else (low, middle)
    return float(low)
