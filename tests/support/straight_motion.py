"""Moves any friction element, on a line or in space, along a line under a given normal force."""

import numpy as np

from vectors import read, spread

NORMAL = np.array(
    [0.0, 0.0, 1.0]
)  # along an axis, so that a velocity in the plane has no part along it, not even of rounding
ALONG = np.array([0.6, -0.8, 0.0])


def is_friction(description):
    return bool(description.family("relativeVelocity")) and "dissipatedPower" in description


class Line:
    """Inputs and outputs of an element along a line. One that computes its normal force has a
    linear spring, and is pressed in."""

    def __init__(self, description):
        self.description = description
        self.scalar = description.takes("relativeVelocity")
        self.pressed = "pointPosition[1]" in description
        self.parameters = {"stiffnessExponent": 1.0} if self.pressed else {}
        self.softness = (
            description["referencePenetration"].start / description["contactStiffness"].start
            if self.pressed
            else 1.0
        )

    def inputs(self, normal, velocity):
        """Returns values of inputs, or rates of inputs."""
        if self.scalar:
            return {"normalForce": normal, "relativeVelocity": velocity}
        load = (
            spread(pointPosition=-self.softness * normal * NORMAL)
            if self.pressed
            else {"normalForce": normal}
        )
        return load | spread(relativeVelocity=velocity * ALONG)

    def start(self, instance, normal, velocity, values=None, **experiment):
        instance.start(
            {**self.parameters, **(values or {}), **self.inputs(normal, velocity)}, **experiment
        )

    def set_rates(self, instance, normal, velocity):
        for name, rate in self.inputs(normal, velocity).items():
            instance.set_input_derivative(name, rate)

    def along(self, instance, base):
        """Returns the component of a velocity or a force along the line."""
        return instance.get(base) if self.scalar else float(read(instance, base) @ ALONG)

    def slope(self, instance):
        """Returns the slope of the force over the velocity."""
        of, over = self.along_parts("frictionForce"), self.along_parts("relativeVelocity")
        slopes = instance.slopes(
            [self.description[name].reference for name in of],
            [self.description[name].reference for name in over],
            list(over.values()),
        )
        return sum(part * slope for part, slope in zip(of.values(), slopes))

    def along_parts(self, base):
        return {base: 1.0} if self.scalar else spread(**{base: ALONG})
