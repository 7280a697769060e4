"""A co-simulation of two FMUs in one: FMPy's container with a mass and a friction element inside.

The container exchanges velocity and friction force once per communication step and holds them in
between. Held values are late, and a late friction force puts energy into the body. So the step has
to be short compared with the response time of the contact, which is about m/bristleDamping (2.5 ms
here) for a bristle model and far less for one that responds within a small regularization velocity:
m·regularizationVelocity/(staticFriction·normalForce), 0.17 ms here. The printed table shows the
effect of too long a step. Model exchange (see rig/) has no such limit, and neither has
couplingMass, the mass that the contact moves: with it the element accounts for the delay.

    python examples/container/container.py [picture] [friction FMU] [couplingMass]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from attrs import evolve
from build_mass import build_mass
from fmpy import read_model_description, simulate_fmu
from fmpy.container_fmu.cli import create_container_fmu
from fmpy.container_fmu.config import Component, Configuration, Connection
from fmpy.model_description import (
    CoSimulation,
    DefaultExperiment,
    ModelDescription,
    ModelVariable,
    Unknown,
)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from drawing import plt  # noqa: E402

FRICTION = Path(__file__).resolve().parent.parent.parent / "dist" / "SecondOrderBristle.fmu"
STEPS = (2e-3, 1e-3, 1e-4, 1e-5)


def write_container(file, mass_fmu, friction_fmu, step):
    mass = component("mass", mass_fmu)
    friction = component("friction", friction_fmu)
    shown = {
        "load": (mass, "load"),
        "normalForce": (friction, "normalForce"),
        "position": (mass, "position"),
        "frictionForce": (friction, "frictionForce"),
        "couplingMass": (friction, "couplingMass"),
    }
    # FMPy numbers the variables by their order and needs the time first.
    variables = [
        ModelVariable(name="time", type="Real", causality="independent", variability="continuous")
    ]
    mappings = {}
    for name, (owner, inner) in shown.items():
        inner = variable(owner, inner)
        outer = ModelVariable(
            name=name,
            type="Real",
            causality=inner.causality,
            variability=inner.variability,
            start=inner.start,
            description=inner.description,
        )
        variables.append(outer)
        mappings[outer] = [(owner, inner)]
    outputs = [Unknown(variable=outer) for outer in variables if outer.causality == "output"]
    description = ModelDescription(
        fmiVersion="2.0",
        modelName="MassWithFriction",
        instantiationToken="{mass-with-friction}",
        coSimulation=CoSimulation(
            canHandleVariableCommunicationStepSize=True, fixedInternalStepSize=step
        ),
        defaultExperiment=DefaultExperiment(startTime="0", stopTime="0.4", stepSize=str(step)),
        modelVariables=variables,
        outputs=outputs,
        initialUnknowns=outputs,
    )
    connections = [
        Connection(
            mass, [signal(mass, "velocity")], friction, [signal(friction, "relativeVelocity")]
        ),
        Connection(
            friction, [signal(friction, "frictionForce")], mass, [signal(mass, "frictionForce")]
        ),
    ]
    with tempfile.TemporaryDirectory() as folder:
        configuration = Configuration(False, description, [mass, friction], connections, mappings)
        create_container_fmu(configuration, Path(folder), file)


def component(name, fmu):
    return Component(name, Path(fmu), read_model_description(str(fmu)))


def variable(owner, name):
    return next(one for one in owner.modelDescription.modelVariables if one.name == name)


def signal(owner, name):
    """Returns the type name: FMPy's container needs those of FMI 3 for connections."""
    return evolve(variable(owner, name), type="Float64")


def pulses():
    """Returns a load of 2 N, a third of the static limit, on and off for 0.1 s each."""
    rows = [(0.1 * i + dt, 9.81, 2.0 * (i % 2 == 0)) for i in range(4) for dt in (0, 0.1)]
    return np.array(rows, dtype=[("time", float), ("normalForce", float), ("load", float)])


def main(picture="container.png", friction_fmu=FRICTION, coupling_mass=0.0):
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    print(
        f"{Path(friction_fmu).stem}\ncommunication step   remaining displacement   largest friction"
        " force"
    )
    with tempfile.TemporaryDirectory() as folder:
        mass_fmu = build_mass(Path(folder) / "mass")
        for step in STEPS:
            file = Path(folder) / f"container_{step:g}.fmu"
            write_container(file, mass_fmu, friction_fmu, step)
            result = simulate_fmu(
                str(file),
                stop_time=0.4,
                output_interval=max(step, 1e-3),
                input=pulses(),
                start_values={"couplingMass": float(coupling_mass)},
                output=["position", "frictionForce"],
            )
            axes.plot(
                result["time"], 1e3 * result["position"], linewidth=1.2, label=f"{1e3 * step:g} ms"
            )
            end, peak = result["position"][-1], abs(result["frictionForce"]).max()
            print(f"{1e3 * step:15g} ms {1e3 * end:20.5f} mm {peak:22.3f} N")
    axes.set(
        xlabel="time in s",
        ylabel="position of the mass in mm",
        title="The same two FMUs, four communication steps",
    )
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(picture, dpi=120)
    print(f"picture in {picture}")


def arguments(words):
    """Reads picture, friction FMU and couplingMass, or prints the usage."""
    usage = "usage: container.py [picture] [friction FMU] [couplingMass]"
    if len(words) > 3:
        sys.exit(f"{usage}; there are {len(words)} arguments.")
    if words and Path(words[0]).suffix not in (".png", ".svg", ".pdf"):
        sys.exit(f"{usage}; {words[0]} is no picture: a name that ends with .png, .svg or .pdf.")
    if len(words) > 1 and not (Path(words[1]).suffix == ".fmu" and Path(words[1]).is_file()):
        sys.exit(f"{usage}; {words[1]} is no FMU.")
    try:
        mass = float(words[2]) if len(words) > 2 else 0.0
    except ValueError:
        mass = -1.0
    if not 0 <= mass < float("inf"):
        sys.exit(f"{usage}; {words[2]} is no mass in kg.")
    return *words[:2], *([mass] if len(words) > 2 else [])


if __name__ == "__main__":
    main(*arguments(sys.argv[1:]))
