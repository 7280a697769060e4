"""Prescribed motion: runs phases of constant normal force and velocity through one element, in
either kind, for comparison with closed forms."""

import math

import pytest

from fmi2 import CO_SIMULATION, MODEL_EXCHANGE
from reference import integrate_me

PRINTED, BOUNDED = {"law": 1}, {"law": 2}  # the first is the default

# Rill 2023, Fig. 4: the two demonstration models, shared by all six bristle models.
MODEL_1 = {
    "staticFriction": 0.6,
    "dynamicFriction": 0.3,
    "stribeckVelocity": 0.01,
    "stribeckExponent": 1.0,
    "viscousFriction": 0.0,
    "viscousDamping": 0.0,
    "bristleStiffness": 39000.0,
    "bristleDamping": 395.0,
    "regularizationVelocity": 1e-3,
}
MODEL_2 = {
    "staticFriction": 0.15,
    "dynamicFriction": 0.10,
    "stribeckVelocity": 1e-3,
    "stribeckExponent": 2.0,
    "viscousFriction": 0.1 / 9.81,
    "viscousDamping": 0.0,
    "bristleStiffness": 1e5,
    "bristleDamping": math.sqrt(1e5),
    "regularizationVelocity": 1e-4,
}
CASES = {"model 1": MODEL_1, "model 2": MODEL_2}
NORMAL = 9.81
REVERSAL_LIFT_OFF_RETURN = [
    (NORMAL, 5e-3, 0.1),
    (NORMAL, -2e-2, 0.1),
    (-1.0, 0.0, 0.02),
    (NORMAL, 1e-3, 0.1),
]
# Co-simulation is exact if the states are linear under held inputs; model exchange is integrated to
# 1e-10.
ROUNDING = {CO_SIMULATION: 1e-11, MODEL_EXCHANGE: 1e-7}


def parameters_for(fmu, case):
    """Returns the parameters of a case that the FMU has."""
    return {name: value for name, value in case.items() if name in fmu.description}


def drive(fmu, kind, parameters, phases, step, tolerance=1e-10):
    """Runs phases of (normal force, velocity, duration) and yields (phase, time in it, values)
    after every step."""
    d = fmu.description
    names = [v.name for v in d.states + d.derivatives + d.outputs]
    with fmu.instance(kind) as instance:
        normal, velocity, _ = phases[0]
        instance.start(
            {**parameters, "normalForce": normal, "relativeVelocity": velocity}, tolerance=tolerance
        )
        for number, (normal, velocity, duration) in enumerate(phases):
            instance.set({"normalForce": normal, "relativeVelocity": velocity})
            if kind != CO_SIMULATION:
                instance.event()
            for i in range(round(duration / step)):
                if kind == CO_SIMULATION:
                    instance.step(step)
                else:
                    integrate_me(instance, instance.time, instance.time + step, tolerance)
                yield (
                    number,
                    (i + 1) * step,
                    {name: instance.get(name) for name in names} | instance.modes(),
                )


def saturating(start, end, rate, time):
    """Solves dx/dt = rate (end - x)."""
    return end + (start - end) * math.exp(-rate * time)


def check_linear_bristle(fmu, kind, law, p, phases, step):
    """Compares deflection and force in each phase with the closed form of the printed law in
    reference/<model>.py, `linear`; without contact the bristle relaxes."""
    stiffness, own, exact = p["bristleStiffness"], p["bristleDamping"], ROUNDING[kind]
    begin = z = p.get("bristleDeflectionStart", 0.0)
    last = 0
    for number, time, found in drive(fmu, kind, p, phases, step):
        if number != last:
            begin, last = z, number
        normal, velocity, _ = phases[number]
        rate, end, damping, viscous = (
            law.linear(p, normal, velocity) if normal > 0 else (stiffness / own, 0.0, own, 0.0)
        )
        z = saturating(begin, end, rate, time)
        assert found["bristleDeflection"] == pytest.approx(z, rel=exact, abs=exact * 1e-4)
        assert found["frictionForce"] == pytest.approx(
            stiffness * z + damping * rate * (end - z) + viscous, rel=10 * exact, abs=10 * exact
        )


def pulled(fmu, kind, case, direction):
    """Pulls a sticking bristle with a constant velocity v to 1.5 times the displacement of
    break-away, where sigma0 v t + sigma1 v = F_s; yields (part of the time to break-away, velocity,
    force of stick, values) after every step, and checks the peak of the force against F_s.
    """
    p = parameters_for(fmu, CASES[case])
    stiffness, damping, limit = (
        p["bristleStiffness"],
        p["bristleDamping"],
        p["staticFriction"] * NORMAL,
    )
    velocity = direction * 0.02 * limit / damping
    breaking = (limit - damping * abs(velocity)) / (stiffness * abs(velocity))
    p |= parameters_for(fmu, {"bristleVelocityStart": velocity})
    step, peak = breaking / 40, 0.0
    for _, time, found in drive(fmu, kind, p, [(NORMAL, velocity, 60 * step)], step):
        peak = max(peak, abs(found["frictionForce"]))
        yield time / breaking, velocity, stiffness * velocity * time + damping * velocity, found
    assert peak <= limit * (1 + 1e-6)
    assert peak >= limit * 0.97, "sampled at a fortieth of the displacement"
