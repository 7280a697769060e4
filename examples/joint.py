"""The arm of a robot with an elastic gear, let go without its drive: a rotational twin in a plain loop over FMPy's co-simulation slave.

The loop moves motor and arm in steps of 0.2 ms; the element at the motor takes its angular velocity and gives the friction torque. With
couplingInertia, the inertia of the motor, it gives the mean torque over the step. Friction bears the arm where its weight is below what the
motor holds, |m g l sin q| <= n T_s: let go well inside of that interval the arm stays, from outside it falls, swings and comes to rest somewhere
inside. (The bristle is loaded at once and swings up by a sixth, so close to the limit it breaks loose.)

    python examples/joint.py [picture] [FMU of a rotational twin]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

FRICTION = Path(__file__).resolve().parent.parent / "dist" / "LuGreRotational.fmu"
MASS, RADIUS, GRAVITY = 15.0, 1.14, 9.81  # of the arm
MOTOR, RATIO, STIFFNESS, DAMPING = 0.0013, 210.0, 8.0, 0.01  # inertia; gear, on the motor's side
STEP, STOP = 2e-4, 10.0
NORMAL_FORCE = 100.0
SURFACE = {"staticFriction": 0.25, "dynamicFriction": 0.2, "frictionRadius": 0.02, "stribeckVelocity": 0.01,
           "bristleStiffness": 1e6, "bristleDamping": 1800.0}  # fmt: skip
HOLDS = SURFACE["staticFriction"] * NORMAL_FORCE * SURFACE["frictionRadius"]  # torque, at the motor


def weight(arm):
    return MASS * GRAVITY * RADIUS * np.sin(arm)


def run(fmu, start):
    """Rows of time, angle of the arm and friction torque at the motor."""
    description = read_model_description(str(fmu))
    reference = {variable.name: variable.valueReference for variable in description.modelVariables}
    slave = FMU2Slave(guid=description.guid, unzipDirectory=extract(str(fmu)), instanceName="friction",
                      modelIdentifier=description.coSimulation.modelIdentifier)  # fmt: skip
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    values = {name: value for name, value in SURFACE.items() if name in reference}
    values |= {"couplingInertia": MOTOR, "normalForce": NORMAL_FORCE}
    slave.setReal([reference[name] for name in values], list(values.values()))
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    arm, arm_speed, motor_speed = start, 0.0, 0.0
    motor = RATIO * start + weight(start) / (RATIO * STIFFNESS)  # the gear bears the arm
    rows = []
    for n in range(round(STOP / STEP)):
        slave.setReal([reference["relativeAngularVelocity"]], [motor_speed])
        slave.doStep(n * STEP, STEP)
        (friction,) = slave.getReal([reference["frictionTorque"]])
        gear = STIFFNESS * (motor - RATIO * arm) + DAMPING * (motor_speed - RATIO * arm_speed)
        motor_speed += STEP * (-friction - gear) / MOTOR
        arm_speed += STEP * (RATIO * gear - weight(arm)) / (MASS * RADIUS**2)
        motor += STEP * motor_speed
        arm += STEP * arm_speed
        rows.append((n * STEP, arm, friction))
    slave.terminate()
    slave.freeInstance()
    return np.array(rows)


def main(picture="joint.png", fmu=FRICTION):
    borne = np.arcsin(RATIO * HOLDS / weight(np.pi / 2))
    print(f"friction bears the arm within {borne:.3f} rad of its lowest place")
    figure, axes = plt.subplots(2, 1, figsize=(7, 5.5), layout="constrained", sharex=True)
    for start, colour in ((0.8 * borne, "tab:blue"), (1.0, "tab:red")):
        rows = run(fmu, start)
        print(f"let go at {start:.4f} rad, it is at {rows[-1, 1]:.4f} rad after {STOP:g} s")
        axes[0].plot(rows[:, 0], rows[:, 1], color=colour, linewidth=1.2, label=f"let go at {start:.2f} rad")
        axes[1].plot(rows[:, 0], rows[:, 2], color=colour, linewidth=0.8)
    axes[0].axhspan(-borne, borne, color="tab:gray", alpha=0.15)
    axes[0].set(ylabel="angle of the arm in rad", title=f"{Path(fmu).stem}, step {1e3 * STEP:g} ms; grey: friction bears the arm")
    axes[1].set(xlabel="time in s", ylabel="friction torque in N·m")
    axes[0].legend()
    for one in axes:
        one.grid(alpha=0.3)
    figure.savefig(picture, dpi=120)
    print(f"picture in {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
