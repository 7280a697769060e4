"""LuGre as one writes it for PythonFMU: the state is solved exactly under held inputs."""

from math import exp

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real

PARAMETERS = (
    "staticFriction",
    "dynamicFriction",
    "stribeckVelocity",
    "bristleStiffness",
    "bristleDamping",
)


class LuGre(Fmi2Slave):
    def __init__(self, **options):
        super().__init__(**options)
        self.staticFriction, self.dynamicFriction, self.stribeckVelocity = 0.6, 0.3, 0.01
        self.bristleStiffness, self.bristleDamping = 39000.0, 395.0
        self.normalForce, self.relativeVelocity = 9.81, 0.0
        self.frictionForce, self.deflection = 0.0, 0.0
        fixed = {"causality": Fmi2Causality.parameter, "variability": Fmi2Variability.fixed}
        for name in PARAMETERS:
            self.register_variable(Real(name, **fixed))
        for name in ("normalForce", "relativeVelocity"):
            self.register_variable(Real(name, causality=Fmi2Causality.input))
        self.register_variable(Real("frictionForce", causality=Fmi2Causality.output))

    def do_step(self, current_time, step_size):
        v, low, high = self.relativeVelocity, self.dynamicFriction, self.staticFriction
        limit = (low + (high - low) * exp(-abs(v) / self.stribeckVelocity)) * self.normalForce
        rate = self.bristleStiffness * abs(v) / limit
        if rate > 0:
            steady = v / rate
            self.deflection = steady + (self.deflection - steady) * exp(-rate * step_size)
        self.frictionForce = self.bristleStiffness * self.deflection + self.bristleDamping * (
            v - rate * self.deflection
        )
        return True
