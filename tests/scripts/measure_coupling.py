"""Measures friction in hosts with a fixed step, over all scalar FMUs in BRISTLE_FMUS; prints the
tables of docs/coupling.md.

    python tests/scripts/measure_coupling.py hold|rest|bound|bodies|best [models]

hold    how high a load may jump, creep and break-away on a ramp, timing left at Either and given
rest    steps until the force is within 1 % of the load: parts of the mass told, several unequal
        contacts, steps that vary
bound   force beyond the static limit under sines, where there is no viscous part
bodies  error of the velocity, over that without couplingMass, for the bodies of fixed_step.cases,
        and the integrators of hosts
best    drift, break-away and period beside those of the best element that knows nothing of the load
        but what velocities show
"""

import math
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from fixed_step import (
    AT_ONCE,
    EITHER,
    NORMAL,
    ONE_STEP_LATE,
    cases,
    element,
    held,
    highest_jump,
    is_scalar,
    limit_of,
    ramp,
    steps_to_rest,
    told,
    way_off,
)
from fmus import FMUS
from held_force import break_away, drift, pulses, run_loop
from oracle import Oracle

STEPS, FINE, BELT = (1e-3, 2e-3, 5e-3), 5e-5, 2e-4
TIMINGS = {EITHER: "either", AT_ONCE: "at once", ONE_STEP_LATE: "late"}
CASES = [(step, late) for step in STEPS for late in (False, True)]


def by_name(name):
    return next(fmu for fmu in FMUS if fmu.name == name)


def hold(name):
    fmu = by_name(name)
    own, creep, gone = (
        (
            highest_jump(fmu, 2e-5, mass=0.0)
            if "externalForce" not in fmu.description
            else highest_jump(fmu, 1e-4)
        ),
        *ramp(fmu, 1e-4),
    )
    lines = [
        f"{name}: by itself holds a jump to {own:.2f}, creeps {1e6 * creep:.0f} um, breaks away at"
        f" {gone:.3f}"
    ]
    for step, late in CASES:
        cells = [
            f"{highest_jump(fmu, step, late, timing=timing) / own:.2f} {1e6 * one:.0f} um {off:.3f}"
            for timing in (EITHER, told(late))
            for one, off in [ramp(fmu, step, late, timing=timing)]
        ]
        lines.append(
            f"   {1e3 * step:g} ms {'late' if late else 'once'}: either {cells[0]}, told {cells[1]}"
        )
    return lines


def rest(name):
    fmu, lines = by_name(name), [f"{name}: steps until the force is within 1 % of the load"]
    for step, late in CASES:
        even, uneven = (
            [step] * 400,
            list(step * np.random.default_rng(3).choice((0.2, 1.0, 2.0), 400)),
        )
        runs = {f"told {part:g}": ([part], [NORMAL], even) for part in (0.1, 0.25, 0.5, 1.0, 1.2)}
        runs |= {
            "two, 1e-12": ([0.5] * 2, [5.0, 5.0 * (1 + 1e-12)], even),
            "two, 20 %": ([0.5] * 2, [4.5, 5.4], even),
            "two, tenfold": ([0.5] * 2, [1.0, 10.0], even),
            "four": ([0.25] * 4, [1.0, 2.0, 3.0, 10.0], even),
            "0.2, 1, 2": ([1.0], [NORMAL], [0.2 * step, step, 2 * step] * 130),
            "at random": ([1.0], [NORMAL], uneven),
        }
        for timing in (EITHER, told(late)):
            found = [
                f"{label} {steps_to_rest(*held(fmu, *run, late, timing))}"
                for label, run in runs.items()
            ]
            lines.append(
                f"   {1e3 * step:g} ms {'late' if late else 'once'} {TIMINGS[timing]}: "
                + ", ".join(found)
            )
    return lines


def bound(name):
    """The largest force under sines of 0.3 to 2 times the limit and 1 to 60 Hz, over the limit."""
    fmu, worst = by_name(name), 0.0
    limit, none = (
        limit_of(fmu),
        {
            name: 0.0
            for name in ("viscousFriction", "bristleDamping")
            if name in fmu.description and name == "viscousFriction"
        },
    )
    for step, late in CASES:
        for part in (0.3, 0.9, 1.2, 2.0):
            for hertz in (1, 7, 20, 60):
                with element(fmu, 1.0, **none) as instance:
                    rows = run_loop(
                        instance,
                        lambda t, x, p=part, f=hertz: p * limit * math.sin(2 * math.pi * f * t),
                        max(0.2, 1 / hertz),
                        step,
                        late=late,
                    )
                worst = max(worst, abs(rows[:, 3]).max() / limit)
    return [f"{name}: {worst - 1:+.1e} of the limit"]


def bodies(name):
    fmu, lines = (
        by_name(name),
        [f"{name}: error of the velocity with couplingMass over that without; either, told"],
    )
    for case in cases(1.0):
        cells, fine = [], None
        for step, late in CASES:
            mass = 0.5 if case.startswith("two") else 1.0
            without, fine = way_off(fmu, case, step, 0.0, late, fine)
            with_it = [
                way_off(fmu, case, step, mass, late, fine, timing)[0]
                for timing in (EITHER, told(late))
            ]
            cells.append(
                f"{with_it[0] / without:.2f} {with_it[1] / without:.2f}"
                if np.isfinite(without)
                else "host diverges"
            )
        lines.append(f"   {case}: " + " | ".join(cells))
    for integrator in ("euler", "rk4"):
        cells, fine = [], None
        for step, late in CASES:
            without, fine = way_off(fmu, "belt", step, 0.0, late, fine, integrator=integrator)
            closed, _ = way_off(fmu, "belt", step, 1.0, late, fine, integrator=integrator)
            cells.append(f"{closed / without:.2f}")
        lines.append(f"   belt, {integrator}: " + " | ".join(cells))
    cells, fine = [], None
    for step in STEPS:
        without, fine = way_off(fmu, "belt", step, 0.0, 2, fine)
        cells.append(f"{way_off(fmu, 'belt', step, 1.0, 2, fine)[0] / without:.2f}")
    return lines + ["   belt, two steps late: " + " | ".join(cells)]


def period(rows):
    """Mean time between the beginnings of slip on the belt, without the first; 0 where there are no
    cycles."""
    fast = rows[:, 2] < 0.02 - 0.05
    begins = rows[1:, 0][fast[1:] & ~fast[:-1]]
    return float(np.mean(np.diff(begins[1:]))) if len(begins) > 3 else 0.0


def measures(fmu, step, late, timing=EITHER, oracle=False):
    limit = limit_of(fmu)

    def run(load, stop, fine=FINE, **how):
        with element(fmu, 1.0, timing) as instance:
            if not oracle:
                return run_loop(instance, load, stop, step, late=late, **how)
            with closing(Oracle(instance, NORMAL, limit, late, fine)) as best:
                return run_loop(best, load, stop, step, late=late, **how)

    belt = (
        run(lambda t, x: -limit / 0.02 * x, 6.0, BELT, counterpart=0.02, velocity=0.02)
        if step > FINE
        else None
    )
    pulsed, risen = (
        run(lambda t, x: pulses(t, size=limit / 3), 0.6),
        run(lambda t, x: limit * t, 1.1),
    )
    return drift(pulsed, step), break_away(risen) / limit, period(belt) if belt is not None else 0.0


def best(name):
    fmu = by_name(name)
    fine, beat = measures(fmu, FINE, False), measures(fmu, BELT, False)[2]
    lines = [
        f"{name}: drift {1e6 * fine[0]:.1f} um, break-away {fine[1]:.3f}, period {beat:.3f} s; off"
        " by, best element, either, told"
    ]
    for step, late in CASES:
        found = [
            measures(fmu, step, late, oracle=True),
            measures(fmu, step, late),
            measures(fmu, step, late, told(late)),
        ]
        lines.append(
            f"   {1e3 * step:g} ms {'late' if late else 'once'}: "
            + " | ".join(
                f"{1e6 * (d - fine[0]):+.1f} um {100 * (b / fine[1] - 1):+.1f} %"
                f" {100 * (p / beat - 1) if beat else 0:+.1f} %"
                for d, b, p in found
            )
        )
    return lines


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of hosts that diverge by themselves
    wanted = sys.argv[2:] or [fmu.name for fmu in FMUS if is_scalar(fmu.description)]
    with ProcessPoolExecutor(2) as pool:
        for table in pool.map(globals()[sys.argv[1]], wanted):
            print("\n".join(table), flush=True)
