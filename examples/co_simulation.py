"""Co-simulation with FMPy: one motion, any number of friction elements, without rewiring.

Each FMU has its own solver; FMPy only sets inputs and collects outputs. The velocity rises and
falls slowly, so the picture shows the friction curve of each element and, where it has one, its
hysteresis.

    python examples/co_simulation.py [picture] [FMU …]
"""

import sys
from pathlib import Path

import numpy as np
from drawing import plt
from fmpy import simulate_fmu

DIST = Path(__file__).parent.parent / "dist"
MODELS = ("StaticRegularized", "LuGre", "SecondOrderBristle")


def main(picture="friction_curves.png", *fmus):
    t = np.linspace(0, 2, 2001)
    motion = np.zeros(
        t.size, dtype=[("time", float), ("normalForce", float), ("relativeVelocity", float)]
    )
    motion["time"], motion["normalForce"], motion["relativeVelocity"] = (
        t,
        9.81,
        0.05 * np.sin(np.pi * t),
    )

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for fmu in map(Path, fmus or [DIST / f"{model}.fmu" for model in MODELS]):
        result = simulate_fmu(
            str(fmu),
            fmi_type="CoSimulation",
            stop_time=t[-1],
            output_interval=t[1],
            input=motion,
            output=["frictionForce"],
        )
        velocity = np.interp(result["time"], t, motion["relativeVelocity"])
        axes.plot(1e3 * velocity, result["frictionForce"], linewidth=1.2, label=fmu.stem)
        print(f"{fmu.stem}: largest friction force {abs(result['frictionForce']).max():.3f} N")
    axes.set(xlabel="relative velocity in mm/s", ylabel="friction force in N")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(picture, dpi=120)
    print(f"picture in {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
