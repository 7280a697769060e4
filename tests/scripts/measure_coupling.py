"""Measures friction in hosts with a fixed step, over all scalar FMUs in BRISTLE_FMUS, with default
values; prints the tables of docs/coupling.md, a line per model.

    python tests/scripts/measure_coupling.py TABLE [models]

hold    the highest jump of a load that is held, over the law's in fine steps; creep beyond the
        law's at 0.6 s of a ramp to the limit in 1 s, and break-away minus the law's
settle  steps until the force is within 1 % of a load that has jumped to 0.3 of the limit
bound   the largest force under sines over the limit, less 1, and over that of the law by itself
bodies  error of the velocity with couplingMass over that without, for fixed_step.cases; Either and
        the timing given
hosts   the same with other integrators and Either, and on the belt with a force that acts two steps
        late
best    drift, break-away and period relative to those of the best element that knows the load only
        from velocities
mass    couplingMass above the mass: deviation of the force from the load, and whether it is logged
alarms  couplingMass of 0.3 to 1.2 of the mass, in motions without chatter: how often it is logged

settle, bodies and hosts end with a line per case: median and largest of the models, and for the
last two, how many exceed 1.1.
"""

import math
import sys
import warnings
from contextlib import closing
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from fixed_step import (
    AT_ONCE,
    EITHER,
    NORMAL,
    cases,
    element,
    held,
    highest_jump,
    is_scalar,
    limit_of,
    ramp,
    steps_to_rest,
    timing_of,
    force_deviation,
    velocity_error,
)
from fmus import FMUS
from held_force import break_away, drift, pulses, run_loop
from oracle import Oracle

FINE, BELT = 1e-4, 2e-4
RINGING = ("Dahl", "BlimanSorine", "GeneralizedMaxwellSlip", "StickSlip")  # by themselves
HOSTS = {
    "1 ms once": (1e-3, 0),
    "1 ms late": (1e-3, 1),
    "2 ms late": (2e-3, 1),
    "5 ms once": (5e-3, 0),
    "5 ms late": (5e-3, 1),
}
ENDS = {name: HOSTS[name] for name in ("1 ms once", "5 ms late")}


def hold(fmu):
    own, (creep, gone) = highest_jump(fmu, FINE, timing=AT_ONCE), ramp(fmu, FINE, timing=AT_ONCE)
    yield "law", f"{own:.2f} {1e6 * creep:.0f} um {gone:.3f}"
    for name, (step, late) in HOSTS.items():
        cells = []
        for timing in (EITHER, timing_of(late)):
            one, off = ramp(fmu, step, late, timing=timing)
            jump = highest_jump(fmu, step, late, timing=timing) / own
            cells.append(f"{jump:.2f} {1e6 * (one - creep):.0f} um {off - gone:+.3f}")
        yield name, ", ".join(cells)


def settle(fmu):
    for name, (step, late) in HOSTS.items():
        even = [step] * 400
        uneven = list(step * np.random.default_rng(3).choice((0.2, 1.0, 2.0), 400))
        runs = [([part], [NORMAL], [step] * 600) for part in (0.1, 0.25, 0.5, 1.0, 1.2)]
        runs += [
            ([1 / len(normals)] * len(normals), normals, even)
            for normals in (
                (5.0, 5.0 * (1 + 1e-12)),
                (4.5, 5.4),
                (1.0, 10.0),
                (1.0, 2.0, 3.0, 10.0),
            )
        ]
        runs += [([1.0], [NORMAL], [0.2 * step, step, 2 * step] * 130), ([1.0], [NORMAL], uneven)]
        for timing in (EITHER, timing_of(late)):
            found = [steps_to_rest(*held(fmu, *run, late, timing)) for run in runs]
            yield name + (" given" if timing != EITHER else ""), " ".join(map(str, found))


def bound(fmu):
    limit = limit_of(fmu)

    def largest(part, hertz, mass, step, late):
        with element(fmu, mass, viscousFriction=0.0) as instance:
            load = lambda t, x: part * limit * math.sin(2 * math.pi * hertz * t)  # noqa: E731
            rows = run_loop(instance, load, max(0.1, 0.5 / hertz), step, late=late)
        return abs(rows[:, 3]).max() / limit

    for name, (step, late) in HOSTS.items():
        worst = beyond = 0.0
        for part in (0.3, 0.95, 1.3, 2.0):
            for hertz in (1, 7, 20, 60):
                most = largest(part, hertz, 1.0, step, late)
                worst = max(worst, most)
                if most > 1 + 1e-9:
                    beyond = max(beyond, most / max(1, largest(part, hertz, 0.0, 2e-5, False)))
        yield name, f"{worst - 1:+.0e}" + (f" ({beyond:.2f} of the law's)" if beyond else "")


def ratio(fmu, case, step, late, fine, timing, mass=1.0, **how):
    """Divides the error with couplingMass by that without; 10 um/s is the least that counts."""
    without, fine = velocity_error(fmu, case, step, 0.0, late, fine, **how)
    found, _ = velocity_error(fmu, case, step, mass, late, fine, timing, **how)
    return found / max(without, 1e-5), fine


def bodies(fmu):
    for case in cases(1.0):
        cells, fine, mass = [], None, 0.5 if case.startswith("two") else 1.0
        for step, late in (hosted for name, hosted in HOSTS.items() if not name.startswith("2")):
            for timing in (EITHER, timing_of(late)):
                found, fine = ratio(fmu, case, step, late, fine, timing, mass)
                cells.append(f"{found:.2f}")
        yield case, " ".join(cells)


def hosts(fmu):
    for case in cases(1.0):
        cells, fine, mass = [], None, 0.5 if case.startswith("two") else 1.0
        for integrator, (step, late) in product(("euler", "rk4"), ENDS.values()):
            how = {"integrator": integrator}
            found, fine = ratio(fmu, case, step, late, fine, EITHER, mass, **how)
            cells.append(f"{found:.2f}")
        yield case, " ".join(cells)
    found = [ratio(fmu, "belt", step, 2, None, EITHER)[0] for step, _ in ENDS.values()]
    yield "belt, two steps late", " ".join(f"{one:.2f}" for one in found)


def summary(lines):
    """Prints median and largest for each number of a case, and how many models exceed 1.1."""
    for case in lines[0]:
        columns = np.array([[float(cell) for cell in line[case].split()] for line in lines]).T
        print(
            f"{case}: ",
            " | ".join(
                f"{np.nanmedian(one):.2f}, {np.nanmax(one):.1f}, {np.sum(one > 1.1)}"
                for one in columns
            ),
        )


def period(rows):
    """Returns the mean time between the beginnings of slip on the belt, without the first; 0
    without cycles."""
    fast = rows[:, 2] < -0.03
    begins = rows[1:, 0][fast[1:] & ~fast[:-1]]
    return float(np.mean(np.diff(begins[1:]))) if len(begins) > 3 else 0.0


def measures(fmu, step, late, timing=EITHER, oracle=False):
    limit = limit_of(fmu)

    def run(load, stop, **how):
        with element(fmu, 1.0, timing) as instance:
            if not oracle:
                return run_loop(instance, load, stop, step, late=late, **how)
            with closing(Oracle(instance, NORMAL, limit, late, BELT)) as best:
                return run_loop(best, load, stop, step, late=late, **how)

    belt = run(lambda t, x: -limit / 0.02 * x, 4.0, counterpart=0.05, velocity=0.05)
    pulsed = run(lambda t, x: pulses(t, size=limit / 3), 0.6)
    risen = run(lambda t, x: limit * t, 1.1)
    return drift(pulsed, step), break_away(risen) / limit, period(belt)


def best(fmu):
    fine = measures(fmu, BELT, False, AT_ONCE)
    yield "law", f"{1e6 * fine[0]:.1f} um {fine[1]:.3f} {fine[2]:.3f} s"
    for name, (step, late) in ENDS.items():
        found = [
            measures(fmu, step, late, AT_ONCE, oracle=True),
            measures(fmu, step, late),
            measures(fmu, step, late, timing_of(late)),
        ]
        yield (
            name,
            " | ".join(
                f"{1e6 * (d - fine[0]):+.1f} um {100 * (b / fine[1] - 1):+.1f} %"
                f" {100 * (p / fine[2] - 1) if fine[2] else 0:+.1f} %"
                for d, b, p in found
            ),
        )


def mass(fmu):
    for name, (step, late) in ENDS.items():
        for timing in (EITHER, timing_of(late)):
            cells = []
            for part in (1.5, 2.0, 4.0, 16.0):
                with fmu.co_simulation(logging=True) as instance:
                    instance.initialize({"couplingMass": part, "couplingTiming": timing})
                    load = 0.3 * limit_of(fmu)
                    rows = run_loop(instance, lambda t, x: load, 300 * step, step, late=late)
                    warned = any("is too large" in message.text for message in instance.messages)
                cells.append(f"{force_deviation(rows, load, 150):.2f}{' warned' if warned else ''}")
            yield name + (" given" if timing != EITHER else ""), ", ".join(cells)


def motions(limit, step):
    """Yields load, velocity at the start and normal force: a body that stops, jumps of the load,
    pulses, a belt, noise, sines, and normal forces that vanish and pulsate."""
    noise = limit * np.random.default_rng(7).standard_normal(200)
    loads = [lambda t, x, part=part: part * limit for part in (0.3, 0.8, 0.95)]
    loads += [
        lambda t, x: limit * (0.5 if t % 0.2 < 0.1 else 1.5),
        lambda t, x: -limit / 0.02 * (x - 0.02 * t),
        lambda t, x: noise[round(t / step)],
    ]
    loads += [
        lambda t, x, n=n: 1.5 * limit * math.sin(2 * math.pi * t / (n * step)) for n in (5, 7, 20)
    ]
    yield from ((load, 0.0, NORMAL) for load in loads)
    for part in (0.0, 0.3, 0.8):
        yield lambda t, x, part=part: -part * limit, 10 * limit * step, NORMAL
    yield (
        lambda t, x: limit * math.sin(10 * math.pi * t),
        0.0,
        lambda t: NORMAL * (1 + 1.5 * math.cos(6 * math.pi * t)),
    )
    yield lambda t, x: 0.6 * limit, 0.5, lambda t: NORMAL * (1 + 0.8 * math.sin(t / step))


def alarms(fmu):
    warned = runs = 0
    for step, late, part in product((2e-4, 1e-3, 5e-3), (False, True), (0.3, 0.5, 1.0, 1.2)):
        for timing, (load, velocity, normal) in product(
            (EITHER, timing_of(late)), motions(limit_of(fmu), step)
        ):
            with fmu.co_simulation(logging=True) as instance:
                instance.initialize({"couplingMass": part, "couplingTiming": timing})
                how = {"velocity": velocity, "normal": normal, "late": late}
                run_loop(instance, load, 200 * step, step, **how)
                warned += any("is too large" in message.text for message in instance.messages)
                runs += 1
    yield "warned", f"{warned} of {runs}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of hosts that diverge by themselves
    tables = (hold, settle, bound, bodies, hosts, best, mass, alarms)
    table = {one.__name__: one for one in tables}.get(" ".join(sys.argv[1:2]))
    if table is None:
        sys.exit(__doc__)
    wanted, found = sys.argv[2:], []
    for one in FMUS:
        if is_scalar(one.description) and (not wanted or one.name in wanted):
            cells = dict(table(one))
            print(
                one.name, "; ".join(f"{name}: {text}" for name, text in cells.items()), flush=True
            )
            if table != settle or one.name not in RINGING:
                found.append(cells)
    if table in (settle, bodies, hosts):
        summary(found)
