"""Prescribed motion: phases of constant normal force and velocity through one element, in either kind, for comparison with closed forms."""

import math

from fmi2 import CO_SIMULATION
from reference import integrate_me

# Rill 2023, Fig. 4: the two demonstration models, which all six bristle models share.
MODEL_1 = {"staticFriction": 0.6, "dynamicFriction": 0.3, "stribeckVelocity": 0.01, "stribeckExponent": 1.0, "viscousFriction": 0.0,
           "bristleStiffness": 39000.0, "bristleDamping": 395.0, "regularizationVelocity": 1e-3}
MODEL_2 = {"staticFriction": 0.15, "dynamicFriction": 0.10, "stribeckVelocity": 1e-3, "stribeckExponent": 2.0, "viscousFriction": 0.1 / 9.81,
           "bristleStiffness": 1e5, "bristleDamping": math.sqrt(1e5), "regularizationVelocity": 1e-4}
CASES = {"model 1": MODEL_1, "model 2": MODEL_2}
NORMAL = 9.81


def parameters_for(fmu, case):
    """Those of a case that the FMU has."""
    return {name: value for name, value in case.items() if name in fmu.description}


def drive(fmu, kind, parameters, phases, step, tolerance=1e-10):
    """Runs phases of (normal force, velocity, duration) and yields (phase, time in it, values) after every step."""
    d = fmu.description
    names = [v.name for v in d.states + d.derivatives + d.outputs]
    with fmu.instance(kind) as instance:
        normal, velocity, _ = phases[0]
        instance.start({**parameters, "normalForce": normal, "relativeVelocity": velocity}, tolerance=tolerance)
        for number, (normal, velocity, duration) in enumerate(phases):
            instance.set({"normalForce": normal, "relativeVelocity": velocity})
            if kind != CO_SIMULATION:
                instance.event()
            for i in range(round(duration / step)):
                if kind == CO_SIMULATION:
                    instance.step(step)
                else:
                    integrate_me(instance, instance.time, instance.time + step, tolerance)
                yield number, (i + 1) * step, {name: instance.get(name) for name in names} | instance.modes()


def saturating(start, end, rate, time):
    """Solution of dx/dt = rate (end - x)."""
    return end + (start - end) * math.exp(-rate * time)
