"""A body in a host with a fixed step, before and after couplingMass: a plain loop over FMPy's
co-simulation slave.

The loop sets the velocity, steps the element and moves the body with the returned friction force.
The law is steep at rest, so with a step of 1 ms that force shakes the body to and fro. With
couplingMass, the mass that the contact moves or less, the element returns a force under which the
body comes to rest.

    python examples/closed_loop.py [picture] [FMU]
"""

import sys
from pathlib import Path

import numpy as np
from drawing import plt
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

FRICTION = Path(__file__).resolve().parent.parent / "dist" / "StaticRegularized.fmu"
MASS, STEP, STOP = 1.0, 1e-3, 0.6


def load(time):
    """Returns 2 N, a third of the static limit, on and off for 0.1 s each."""
    return 2.0 if (time + 1e-9) % 0.2 < 0.1 else 0.0


def run(fmu, coupling_mass):
    """Runs the loop; returns rows of time, position and friction force."""
    description = read_model_description(str(fmu))
    reference = {variable.name: variable.valueReference for variable in description.modelVariables}
    slave = FMU2Slave(
        guid=description.guid,
        unzipDirectory=extract(str(fmu)),
        instanceName="friction",
        modelIdentifier=description.coSimulation.modelIdentifier,
    )
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.setReal([reference["couplingMass"], reference["normalForce"]], [coupling_mass, 9.81])
    slave.setInteger(
        [reference["couplingTiming"]], [2]
    )  # AtOnce: the loop applies the force in the same step
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    rows, position, velocity = [], 0.0, 0.0
    for n in range(round(STOP / STEP)):
        time = n * STEP
        slave.setReal([reference["relativeVelocity"]], [velocity])
        slave.doStep(time, STEP)
        (force,) = slave.getReal([reference["frictionForce"]])
        velocity += STEP * (load(time) - force) / MASS
        position += STEP * velocity
        rows.append((time, position, force))
    slave.terminate()
    slave.freeInstance()
    return np.array(rows)


def main(picture="closed_loop.png", fmu=FRICTION):
    figure, axes = plt.subplots(2, 1, figsize=(7, 5.5), layout="constrained", sharex=True)
    for coupling_mass, colour in ((0.0, "tab:red"), (MASS, "tab:blue")):
        rows = run(fmu, coupling_mass)
        pull = np.array([load(time) for time in rows[:, 0]])
        rest = (rows[:, 0] + 1e-9) % 0.1 >= 0.05  # the second half of each pulse
        error = np.sqrt(np.mean((rows[rest, 2] - pull[rest]) ** 2))
        print(
            f"couplingMass {coupling_mass:g} kg: force off the load by {error:.2g} N rms, moved"
            f" {1e3 * rows[-1, 1]:.4f} mm"
        )
        axes[0].plot(
            rows[:, 0],
            rows[:, 2],
            color=colour,
            linewidth=0.8,
            label=f"couplingMass {coupling_mass:g} kg",
        )
        axes[1].plot(rows[:, 0], 1e3 * rows[:, 1], color=colour, linewidth=1.2)
    axes[0].set(
        ylabel="friction force in N", title=f"{Path(fmu).stem}, {MASS:g} kg, step {1e3 * STEP:g} ms"
    )
    axes[1].set(xlabel="time in s", ylabel="position in mm")
    axes[0].legend()
    for one in axes:
        one.grid(alpha=0.3)
    figure.savefig(picture, dpi=120)
    print(f"picture in {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
