"""Model exchange with FMPy: FMPy's solver integrates the bristle of the friction element.

A body is moved to and fro with growing amplitude. While it stays below the deflection that breaks
the contact, the friction force follows the displacement like a spring; beyond it the loop opens.

    python examples/model_exchange.py [FMU] [picture]
"""

import sys
from pathlib import Path

import numpy as np
from drawing import plt
from fmpy import simulate_fmu

FMU = Path(__file__).parent.parent / "dist" / "LuGre.fmu"


def main(fmu=FMU, picture="hysteresis.png"):
    t = np.linspace(0, 3, 6001)
    x = 1e-3 * (t / 3) ** 2 * np.sin(2 * np.pi * 2 * t)
    motion = np.zeros(
        t.size, dtype=[("time", float), ("normalForce", float), ("relativeVelocity", float)]
    )
    motion["time"], motion["normalForce"], motion["relativeVelocity"] = t, 9.81, np.gradient(x, t)

    result = simulate_fmu(
        str(fmu),
        fmi_type="ModelExchange",
        stop_time=t[-1],
        output_interval=t[1],
        relative_tolerance=1e-6,
        start_values={"staticFriction": 0.6, "dynamicFriction": 0.4},
        input=motion,
        output=["frictionForce"],
    )

    force = np.interp(t, result["time"], result["frictionForce"])
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    axes.plot(1e3 * x, force, linewidth=1.2)
    axes.set(
        xlabel="displacement in mm",
        ylabel="friction force in N",
        title=f"{Path(fmu).stem} under model exchange",
    )
    axes.grid(alpha=0.3)
    figure.savefig(picture, dpi=120)
    print(
        f"{Path(fmu).stem}: largest friction force {abs(force).max():.3f} N, picture in {picture}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
