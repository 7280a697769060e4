"""The two forms of a scalar friction element: one slides, its rotational twin turns at a radius."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from .library import Model


@dataclass(frozen=True)
class Form:
    """The names of an element's variables; load and radius are empty where it has none."""

    normal_force: str
    velocity: str
    force: str
    load: str
    radius: str

    @property
    def turns(self) -> bool:
        return bool(self.radius)

    @property
    def power(self) -> int:
        """The power of the radius that converts distances and forces to angles and torques."""
        return 1 if self.turns else 0

    def inputs(
        self, normal: np.ndarray, velocity: np.ndarray, load: np.ndarray | None, radius: float
    ) -> dict[str, np.ndarray]:
        """Converts motion and load at the radius to the element's inputs."""
        inputs = {self.normal_force: normal, self.velocity: velocity / radius**self.power}
        if self.load and load is not None:
            inputs[self.load] = load * radius**self.power
        return inputs


def form_of(model: Model) -> Form | None:
    """Returns the form of a scalar friction element; None for any other."""
    form = Form(**{one.name: model.facts.roles.get(one.name, "") for one in fields(Form)})
    inputs, outputs = {one.name for one in model.inputs}, {one.name for one in model.outputs}
    return form if {form.normal_force, form.velocity} <= inputs and form.force in outputs else None
