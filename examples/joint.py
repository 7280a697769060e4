"""The arm of a robot with an elastic gear, released without its drive: a rotational twin in a plain
loop over FMPy's co-simulation slave.

The loop moves motor and arm in steps of 0.2 ms; the element at the motor gets its angular velocity
and returns the friction torque. With couplingInertia, the inertia of the motor, it returns the mean
torque over the step. Friction bears the arm where its weight is below the limit of the motor, |m g
l sin q| <= n T_s: released well inside that interval the arm stays, from outside it falls, swings
and comes to rest somewhere inside. (The bristle is loaded suddenly and overshoots by a sixth, so it
breaks away close to the limit.)

In a third run friction grows with the load: GearLoad computes the normal force of the teeth for the
element at the motor, and PinLoad that of the bearing for a second one at the arm. Both are in the
folder of the FMU.

    python examples/joint.py [picture] [FMU of a rotational twin]
"""

import sys
from pathlib import Path

import numpy as np
from drawing import plt
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

FRICTION = Path(__file__).resolve().parent.parent / "dist" / "LuGreRotational.fmu"
MASS, RADIUS, GRAVITY = 15.0, 1.14, 9.81  # of the arm
MOTOR, RATIO, STIFFNESS, DAMPING = 0.0013, 210.0, 8.0, 0.01  # inertia; gear, on the motor's side
BEARING, EFFICIENCIES = (
    0.05,
    {
        "forwardEfficiency": 0.8,
        "backwardEfficiency": 0.7,
    },
)  # radius of the arm's bearing; of the gear
STEP, STOP = 2e-4, 10.0
AT_ONCE = 2  # couplingTiming: the loop applies a force within its step
NORMAL_FORCE = 100.0  # of the motor's seals and bearings, independent of the load
SURFACE = {
    "staticFriction": 0.25,
    "dynamicFriction": 0.2,
    "frictionRadius": 0.02,
    "stribeckVelocity": 0.01,
    "bristleStiffness": 1e6,
    "bristleDamping": 1800.0,
}
HOLDS = SURFACE["staticFriction"] * NORMAL_FORCE * SURFACE["frictionRadius"]  # torque, at the motor


def weight(arm):
    return MASS * GRAVITY * RADIUS * np.sin(arm)


class Element:
    """An FMU in co-simulation: sets inputs, takes a step, returns an output."""

    def __init__(self, fmu, **values):
        description = read_model_description(str(fmu))
        self.reference = {
            variable.name: variable.valueReference for variable in description.modelVariables
        }
        self.slave = FMU2Slave(
            guid=description.guid,
            unzipDirectory=extract(str(fmu)),
            instanceName=Path(fmu).stem,
            modelIdentifier=description.coSimulation.modelIdentifier,
        )
        self.slave.instantiate()
        self.slave.setupExperiment(startTime=0.0)
        self.set({name: value for name, value in values.items() if name in self.reference})
        if "couplingInertia" in values:
            self.slave.setInteger([self.reference["couplingTiming"]], [AT_ONCE])
        self.slave.enterInitializationMode()
        self.slave.exitInitializationMode()

    def set(self, values):
        self.slave.setReal(
            [self.reference[name] for name in values], [float(value) for value in values.values()]
        )

    def step(self, n, output, values):
        self.set(values)
        self.slave.doStep(n * STEP, STEP)
        return self.slave.getReal([self.reference[output]])[0]

    def close(self):
        self.slave.terminate()
        self.slave.freeInstance()


class Loads:
    """The normal forces of gear and bearing: GearLoad for the teeth, whose friction adds to that of
    the motor, and PinLoad for the bearing of the arm."""

    def __init__(self, fmu):
        folder = Path(fmu).parent
        self.gear = Element(folder / "GearLoad.fmu", **SURFACE, **EFFICIENCIES)
        self.pin = Element(folder / "PinLoad.fmu", pinRadius=BEARING)
        self.bearing = Element(
            fmu, **SURFACE | {"frictionRadius": BEARING, "couplingInertia": MASS * RADIUS**2}
        )

    def of_gear(self, n, torque, speed):
        """Returns the normal force at the motor: from torque and speed on its side, where the
        friction acts."""
        return self.gear.step(
            n, "normalForce", {"transmittedTorque": torque, "relativeAngularVelocity": speed}
        )

    def of_bearing(self, n, arm, speed, acceleration):
        """Returns the friction torque on the arm: the bearing carries weight and inertia of the
        arm; the acceleration is a step old."""
        along, across = (
            RADIUS * speed**2 + GRAVITY * np.cos(arm),
            RADIUS * acceleration + GRAVITY * np.sin(arm),
        )
        normal = self.pin.step(
            n, "normalForce", {"reactionForce[1]": MASS * along, "reactionForce[2]": MASS * across}
        )
        return self.bearing.step(
            n, "frictionTorque", {"normalForce": normal, "relativeAngularVelocity": speed}
        )

    def close(self):
        for element in (self.gear, self.pin, self.bearing):
            element.close()


def run(fmu, start, loads=None):
    """Runs the arm; returns rows of time, angle of the arm and friction torque at the motor."""
    motor_friction = Element(
        fmu, **SURFACE | {"couplingInertia": MOTOR, "preloadForce": NORMAL_FORCE}
    )
    arm, arm_speed, arm_acceleration, motor_speed = start, 0.0, 0.0, 0.0
    motor = RATIO * start + weight(start) / (RATIO * STIFFNESS)  # the gear bears the arm
    rows = []
    for n in range(round(STOP / STEP)):
        gear = STIFFNESS * (motor - RATIO * arm) + DAMPING * (motor_speed - RATIO * arm_speed)
        normal = loads.of_gear(n, gear, motor_speed) if loads else 0.0
        bearing = loads.of_bearing(n, arm, arm_speed, arm_acceleration) if loads else 0.0
        friction = motor_friction.step(
            n, "frictionTorque", {"normalForce": normal, "relativeAngularVelocity": motor_speed}
        )
        motor_speed += STEP * (-friction - gear) / MOTOR
        arm_acceleration = (RATIO * gear - weight(arm) - bearing) / (MASS * RADIUS**2)
        arm_speed += STEP * arm_acceleration
        motor += STEP * motor_speed
        arm += STEP * arm_speed
        rows.append((n * STEP, arm, friction))
    motor_friction.close()
    return np.array(rows)


def main(picture="joint.png", fmu=FRICTION):
    borne = np.arcsin(RATIO * HOLDS / weight(np.pi / 2))
    print(f"friction bears the arm within {borne:.3f} rad of its lowest place")
    figure, axes = plt.subplots(2, 1, figsize=(7, 5.5), layout="constrained", sharex=True)
    for start, colour in ((0.8 * borne, "tab:blue"), (1.0, "tab:red")):
        rows = run(fmu, start)
        print(f"released at {start:.4f} rad, it is at {rows[-1, 1]:.4f} rad after {STOP:g} s")
        axes[0].plot(
            rows[:, 0],
            rows[:, 1],
            color=colour,
            linewidth=1.2,
            label=f"released at {start:.2f} rad",
        )
        axes[1].plot(rows[:, 0], rows[:, 2], color=colour, linewidth=0.8)
    loads = Loads(fmu)
    rows = run(fmu, 1.0, loads)
    loads.close()
    print(
        "under the loads of gear and bearing it comes from 1.0000 rad to rest at"
        f" {rows[-1, 1]:.4f} rad"
    )
    axes[0].plot(
        rows[:, 0],
        rows[:, 1],
        color="tab:green",
        linewidth=1.2,
        label="released at 1.00 rad, friction grows with the load",
    )
    axes[1].plot(rows[:, 0], rows[:, 2], color="tab:green", linewidth=0.8)
    axes[0].axhspan(-borne, borne, color="tab:gray", alpha=0.15)
    axes[0].set(
        ylabel="angle of the arm in rad",
        title=f"{Path(fmu).stem}, step {1e3 * STEP:g} ms; grey: friction bears the arm",
    )
    axes[1].set(xlabel="time in s", ylabel="friction torque in N·m")
    axes[0].legend()
    for one in axes:
        one.grid(alpha=0.3)
    figure.savefig(picture, dpi=120)
    print(f"picture in {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
