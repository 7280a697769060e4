"""The two forms of a scalar friction element: one slides, its rotational twin turns at a radius."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .library import Model

RADIUS = "frictionRadius"


@dataclass(frozen=True)
class Form:
    """The names that an element has for motion, friction and load, and the power of the radius that leads from ways and forces to them."""

    velocity: str
    force: str
    load: str
    power: int

    def inputs(self, normal: np.ndarray, velocity: np.ndarray, load: np.ndarray | None, radius: float) -> dict[str, np.ndarray]:
        """What the element is given, from the motion and the load at the radius."""
        inputs = {"normalForce": normal, self.velocity: velocity / radius**self.power}
        return inputs if load is None else inputs | {self.load: load * radius**self.power}


SLIDES = Form("relativeVelocity", "frictionForce", "externalForce", 0)
TURNS = Form("relativeAngularVelocity", "frictionTorque", "externalTorque", 1)


def form_of(model: Model) -> Form | None:
    """How a scalar friction element moves; None for what is no such element."""
    names = {one.name for one in [*model.inputs, *model.outputs]}
    return next((form for form in (SLIDES, TURNS) if {"normalForce", form.velocity, form.force} <= names), None)
