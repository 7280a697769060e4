"""Measures co-simulation with couplingMass in a host with a fixed step, over all scalar FMUs; prints the tables of docs/coupling.md and draws its map.

    BRISTLE_FMUS=dist python tests/support/measure_coupling.py tables [models] | oracle [models] | map docs/coupling-map.svg | cost

`oracle` has the best that any element could do in the place of ours (oracle.py), with which the tables say what is a matter of the element.
"""

import math
import sys
import time as clock
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial

import numpy as np

from fmus import FMUS
from loop import break_away, drift, restlessness, run_loop
from oracle import Oracle
from test_coupling import NORMAL, STIFF, element, is_scalar, limit_of, third

STEPS, GUESSES, FINE, BELT = (1e-3, 2e-3, 5e-3), (0.25, 1.0, 4.0), 5e-5, 2e-4  # the last two are the steps of the truth


def period(rows):
    """Mean time between the beginnings of slip on the belt, without the first; 0 where there are no cycles."""
    fast = rows[:, 2] < 0.02 - 0.05
    begins = rows[1:, 0][fast[1:] & ~fast[:-1]]
    return float(np.mean(np.diff(begins[1:]))) if len(begins) > 3 else 0.0


def measure(name, stiff, step, late, guess, oracle=False):
    """Force off the load in stick, drift, break-away and period, with a first guess of the mass or, where `oracle` is set, with all that can be known."""
    fmu, values = next(fmu for fmu in FMUS if fmu.name == name), STIFF if stiff else {}
    limit = limit_of(fmu)

    def run(load, stop, fine=FINE, **how):
        with element(fmu, 1.0 if oracle else guess, **values) as instance:
            if not oracle:
                return run_loop(instance, load, stop, step, late=late, **how)
            with closing(Oracle(instance, NORMAL, limit, late, fine)) as best:
                return run_loop(best, load, stop, step, late=late, **how)

    pulsed, ramp = run(third(fmu), 0.6), run(lambda t, x: limit * t, 1.1)
    belt = run(lambda t, x: -limit / 0.02 * x, 6.0, BELT, counterpart=0.02, velocity=0.02) if step > FINE else None
    return restlessness(pulsed) / (limit / 3), drift(pulsed, step), break_away(ramp) / limit, period(belt) if belt is not None else 0.0


def names():
    return [fmu.name for fmu in FMUS if is_scalar(fmu.description)]


def row(name, stiff, oracle):
    fine = measure(name, stiff, FINE, False, 1.0)
    belt = measure(name, stiff, BELT, False, 1.0)[3]
    cells = []
    for late in (False, True):
        for step in STEPS:
            found = [measure(name, stiff, step, late, guess, oracle) for guess in (GUESSES if not oracle else (1.0,))]
            cells.append((step, late, max(f[0] for f in found), max((abs(f[1] - fine[1]) for f in found)),
                          max(abs(f[2] / fine[2] - 1) for f in found), max(abs(f[3] / belt - 1) for f in found) if belt else 0.0))
    return name, stiff, fine, belt, cells


def tables(*wanted, oracle=False):
    with ProcessPoolExecutor(2) as pool:
        jobs = [pool.submit(row, name, stiff, oracle) for stiff in (False, True) for name in wanted or names()]
        for job in jobs:
            name, stiff, fine, belt, cells = job.result()
            print(f"{name}{' stiff' if stiff else ''}: own ring {fine[0]:.1e}, drift {1e6 * fine[1]:.2f} um, break-away {fine[2]:.4f}, period {belt:.4f} s")
            for step, late, rms, way, off, beat in cells:
                print(f"   {1e3 * step:g} ms {'late' if late else 'once'}: rms {rms:.1e}  drift off by {1e6 * way:.2f} um"
                      f" ({100 * way / abs(fine[1]) if fine[1] else 0:.0f} %)  break-away {100 * off:.2f} %  period {100 * beat:.2f} %", flush=True)


def cost():
    for name in names():
        fmu, times = next(fmu for fmu in FMUS if fmu.name == name), {}
        for mass in (0.0, 1.0):
            with element(fmu, mass) as instance:
                forces = lambda t, x: limit_of(fmu) * (0.3 + 0.2 * math.sin(20 * t))  # noqa: E731
                run_loop(instance, forces, 0.2, 1e-3)
            best = math.inf
            for _ in range(5):
                with element(fmu, mass) as instance:
                    start = clock.process_time()
                    run_loop(instance, forces, 0.5, 1e-3)
                    best = min(best, clock.process_time() - start)
            times[mass] = best / 500
        print(f"{name}: {1e6 * times[0.0]:.2f} and {1e6 * times[1.0]:.2f} us a step, with the host's own part")


def draw_map(file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import LogNorm

    plt.rcParams["svg.hashsalt"] = "bristle"
    fmu = next(fmu for fmu in FMUS if fmu.name == "LuGre")
    steps, stiffness, guesses = np.geomspace(2e-4, 1e-2, 9), np.geomspace(1e4, 1e8, 9), (0, 0.25, 1.0, 4.0)
    figure, axes = plt.subplots(2, 4, figsize=(11, 5.4), layout="constrained", sharex=True, sharey=True)
    for row_of, late in zip(axes, (False, True)):
        for one, guess in zip(row_of, guesses):
            image = np.empty((len(stiffness), len(steps)))
            for i, sigma in enumerate(stiffness):
                for j, step in enumerate(steps):
                    with element(fmu, guess, bristleStiffness=float(sigma)) as instance:
                        n = round(0.1 / step)  # whole steps in a pulse
                        load = lambda t, x, h=step, n=n: limit_of(fmu) / 3 * (round(t / h) % (2 * n) < n)  # noqa: E731
                        rows = run_loop(instance, load, 6 * n * step, step, late=late)
                    late_part = np.array([k % n >= n // 2 and k >= 2 * n for k in range(len(rows))])
                    image[i, j] = np.sqrt(np.mean((rows[late_part, 3] - rows[late_part, 4]) ** 2)) / (limit_of(fmu) / 3)
            shown = one.pcolormesh(1e3 * steps, stiffness, np.clip(image, 1e-4, 10), norm=LogNorm(1e-4, 10), cmap="RdYlGn_r", shading="nearest")
            one.set(xscale="log", yscale="log", title=f"couplingMass {guess:g} kg" if guess else "without")
        row_of[0].set_ylabel(("acts late" if late else "acts at once") + "\nbristleStiffness in N/m")
    for one in axes[1]:
        one.set_xlabel("step in ms")
    figure.colorbar(shown, ax=axes, label="rms of force − load, over the load")
    figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    {"tables": tables, "oracle": partial(tables, oracle=True), "cost": cost, "map": draw_map}[sys.argv[1]](*sys.argv[2:])
