"""Draws random operating points of natural size for any friction FMU, from its description alone.
Parameters spread around their starts, inputs and states around their nominal values and around the
parameters of the same unit (a velocity input is drawn near the Stribeck velocity, near the
regularization velocity, …), so that a few hundred points reach every regime of a law. A parameter
set that the FMU's own check refuses is drawn again.
"""

import math
import random
from functools import cached_property

from fmi2 import ERROR, FmiError

AGAIN = False  # whether these points have passed with another build of the same sources


def some_of(count):
    """Returns the number of points to try: a quarter if all have passed before, since an error that
    a sanitizer finds shows at many points."""
    return -(-count // 4) if AGAIN else count


# Extensions that no law needs: direction, and the power law of the viscous part.
OF_A_DRIVE = {
    "backwardFrictionRatio",
    "backwardViscousRatio",
    "viscousExponent",
    "viscousReferenceVelocity",
}


class Sampler:
    def __init__(self, description, seed=1):
        self.description = description
        self.alike = {}  # by variable: its own size, and parameters with its unit
        self.random = random.Random(f"{description.name} {seed}")
        self.drives = random.Random(
            f"{description.name} {seed} drives"
        )  # a separate stream, which leaves all other values unchanged

    @cached_property
    def saturation(self):
        """Returns the deflection of the softest spring under the static or dynamic friction force
        at the default parameters; 0 without one."""
        d = self.description
        friction = max(
            [d[name].start for name in ("staticFriction", "dynamicFriction") if name in d],
            default=0.0,
        )
        force = friction * d["normalForce"].start if d.takes("normalForce") else 0.0
        return max(
            [
                (force if v.unit == "N/m" else friction) / v.start
                for v in d.real_parameters
                if v.unit in ("N/m", "1/m")
            ],
            default=0.0,
        )

    def spread(self, variable):
        """Draws a value of a parameter within a factor of two of its start, or of its nominal size
        if the start is zero."""
        draw = self.drives if variable.name in OF_A_DRIVE else self.random
        if variable.type == "Integer":
            return draw.choice(variable.values)
        start = variable.start
        if draw.random() < 0.2:
            return start
        if start == 0:
            value = draw.uniform(-1, 1) * self.size(variable)
        else:
            value = start * 2 ** draw.uniform(-1, 1)
            if start >= 1 and variable.unit in (None, "1") and draw.random() < 0.5:
                value = float(draw.choice([1, 2, 3]))
        if variable.min is not None and value < variable.min:
            value = variable.min + abs(value)
        return variable.clipped(value)

    def size(self, variable):
        """Returns the nominal value; for a deflection, whose nominal value is what solvers should
        resolve, the deflection under the friction force."""
        begun = variable.name.replace("Start", "")  # x of xStart, x[1] of xStart[1]
        if begun != variable.name and begun in self.description:
            return self.size(self.description[begun])
        if variable.nominal:
            return (
                max(variable.nominal, self.saturation)
                if variable in self.description.states and variable.unit == "m"
                else variable.nominal
            )
        return abs(variable.start or 0) or 1.0

    def parameters(self):
        """Draws parameters. A preload stays at zero: references and laws are written in the normal
        force, and test_preload.py proves that they use the sum. Parameters of the host's body and
        of the solver's work keep their defaults: they make co-simulation differ from the law on a
        given motion.
        """
        return {
            variable.name: variable.start if variable.name in self.kept else self.spread(variable)
            for variable in self.description.parameters
        }

    @cached_property
    def kept(self):
        d = self.description
        return {
            "preloadForce",
            *(v.name for v in d.counts),
            *(v.name for v in d.parameters if v.name.startswith("coupling")),
        }

    def sizes(self, variable, parameters):
        """Returns the sizes that matter for an input or a state: its own, and those of parameters
        with the same unit."""
        if variable.name not in self.alike:  # the same at every point
            names = [
                v.name
                for v in self.description.real_parameters
                if v.unit == variable.unit
                and not v.name.endswith("Start")
                and v.name not in OF_A_DRIVE
            ]
            self.alike[variable.name] = (
                self.size(variable),
                (names if variable.unit not in (None, "1") else []),
            )
        own, names = self.alike[variable.name]
        return [own] + [abs(parameters[name]) for name in names if parameters.get(name)]

    def value(self, variable, parameters):
        draw = self.random
        size = draw.choice(self.sizes(variable, parameters)) * 10 ** draw.uniform(-1.5, 0.7)
        # a normal force is rarely negative, all else has no preferred sign
        negative = 0.12 if variable.name == "normalForce" else 0.5
        return variable.clipped(-size if draw.random() < negative else size)

    def inputs(self, parameters):
        values = {
            variable.name: self.value(variable, parameters) for variable in self.description.inputs
        }
        for family in self.description.directions:
            direction = [self.random.gauss(0, 1) for _ in family]
            length = math.hypot(*direction)
            values.update({v.name: d / length for v, d in zip(family, direction)})
        return values

    def states(self, parameters):
        return [self.value(variable, parameters) for variable in self.description.states]

    def start(self, instance, **experiment):
        """Initializes a fresh instance with a random parameter set that the FMU accepts."""
        for _ in range(200):
            parameters = self.parameters()
            try:
                instance.start({**parameters, **self.inputs(parameters)}, **experiment)
                return parameters
            except FmiError as refusal:
                if refusal.status != ERROR:
                    raise
                instance.demand("fmi2Reset")
        raise AssertionError("no random parameter set keeps the rules of this model")

    def walk(self, instance, parameters, steps):
        """Moves an ME instance in continuous-time mode through random points, each with its event;
        yields after each."""
        for _ in range(steps):
            if self.random.random() < 0.7:
                instance.states = self.states(parameters)
            if self.random.random() < 0.9:
                instance.set(self.inputs(parameters))
            instance.event()
            yield

    def points(self, fmu, sets=12, steps=30):
        """Yields random points of an FMU, each as (ME instance in continuous-time mode,
        parameters)."""
        with fmu.model_exchange() as instance:
            for _ in range(sets):
                parameters = self.start(instance)
                for _ in self.walk(instance, parameters, steps):
                    yield instance, parameters
                instance.demand("fmi2Reset")
