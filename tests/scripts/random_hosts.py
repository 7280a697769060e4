"""Runs the scalar FMUs in BRISTLE_FMUS in randomly drawn hosts.

    python tests/scripts/random_hosts.py [count [models]]

A host has steps of 0.2 to 5 ms, even or not; applies the force at once or late; moves 1 kg on one
to three unequal contacts, alone or with a second mass on a spring; is semi-implicit, Euler's or
RK4; sets couplingMass to 0.3 to 1 of the mass, and couplingTiming or not; loads with pulses, sines
or ramps; may begin in motion, and its normal force may vanish and return. Laws have no viscous part
and are Bounded. Of `count` hosts (40) this prints for each model the largest force `beyond` the
static limit; nonzero forces when `separated`; steps that do not `repeat` bit for bit after a
rollback or in another instance; `gain`, the least energy that friction has taken at any time over
what it has exchanged; and the error of the velocity over that without couplingMass, rms against
steps of 0.1 ms: median, nine tenths, largest, and how many are over 1.1.
"""

import math
import sys
import warnings
from contextlib import ExitStack
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from fixed_step import AT_ONCE, EITHER, NORMAL, element, host, is_scalar, limit_of, timing_of
from fmus import FMUS
from held_force import Element

FINE, END = 1e-4, 0.4
PLAIN = {"viscousFriction": 0.0, "viscousDamping": 0.0, "law": 2}
NEVER = ("beyond", "separated", "repeat")


def drawn(choice, limit):
    step = 1e-3 * 10 ** choice.uniform(math.log10(0.2), math.log10(5))
    uneven, even = step * choice.uniform(0.1, 1, 10000), np.ones(choice.integers(1, 4))
    size, hertz, shift = limit * choice.uniform(0.2, 1.6), choice.uniform(0.5, 20), choice.random()
    integrator = str(choice.choice(("semi", "euler", "rk4")))  # Euler's diverges with a spring
    edges = np.cumsum(choice.uniform(0.01, 0.1, 60))
    levels = size * choice.choice((-1.0, -0.3, 0.0, 0.6, 1.0), 60)
    loads = (
        lambda t: levels[np.searchsorted(edges, t)],
        lambda t: size * math.sin(2 * math.pi * (hertz * t + shift)),
        lambda t: float(np.interp(t, edges, levels)),
    )
    return {
        "step": step if choice.random() < 0.5 else uneven[np.cumsum(uneven) < END],
        "parts": choice.dirichlet(even),
        "masses": choice.uniform(0.3, 1) * choice.dirichlet(3 * even),
        "late": choice.random() < 0.5,
        "timed": choice.random() < 0.5,
        "integrator": integrator,
        "second": choice.uniform(0.3, 3) * (choice.random() < 0.4 and integrator != "euler"),
        "spring": (2 * math.pi * min(100, choice.uniform(0.3, 1) / (20 * step))) ** 2,
        "load": loads[choice.integers(3)],
        "falls": choice.random() < 0.3,
        "velocity": choice.normal(0, 0.3) if choice.random() < 0.3 else 0.0,
    }


class Contacts:
    """Elements that share a body, each with its part of the normal force; `observe` receives each
    step."""

    def __init__(self, instances, parts, observe):
        self.elements = [Element(one, 0.0) for one in instances]
        self.parts, self.observe, self.normal = parts, observe, NORMAL

    def step(self, time, velocity, length):
        for one, part in zip(self.elements, self.parts):
            one.normal = part * self.normal
        forces = [one.step(time, velocity, length) for one in self.elements]
        self.observe(time, length, self.elements, forces)
        return math.fsum(forces)


def run(fmu, one, masses, timing, observe=lambda *step: None, **how):
    """Runs a host; returns rows of time, positions and velocities of both masses, and the force."""
    start, measured = [0.0, 0.0, one["velocity"], 0.0], lambda t, y: y[2]

    def rates(t, y, force):
        load, pull = one["load"](t), one["spring"] * (y[1] - y[0])
        pull += 0.04 * math.sqrt(one["spring"]) * (y[3] - y[2])
        own, second = (pull, one["second"]) if one["second"] else (load, 1.0)
        return np.array([y[2], y[3], own - force, (load - pull) / second])

    def normal(t):
        return NORMAL * max(0.0, 1 + 1.5 * math.cos(8 * math.pi * t)) if one["falls"] else NORMAL

    with ExitStack() as stack:
        made = [stack.enter_context(element(fmu, mass, timing, **PLAIN)) for mass in masses]
        contacts = Contacts(made, one["parts"], observe)
        return host(contacts, rates, start, measured, END, normal=normal, **how)


def least_taken(rows, steps):
    """The least energy that friction has taken at any time over what it has exchanged."""
    work = rows[:-1, 5] * (rows[1:, 3] + rows[:-1, 3]) / 2 * steps[: len(rows) - 1]
    return np.cumsum(work).min() / max(np.sum(abs(work)), 1e-12)


def judge(fmu, one, other):
    found, friction, steps = dict.fromkeys(NEVER, 0.0), limit_of(fmu, 1.0), []

    def observe(time, length, elements, forces):
        steps.append(length)
        for contact, force in zip(elements, forces):
            most = friction * contact.normal
            found["separated"] += most == 0 and force != 0
            found["beyond"] = max(found["beyond"], abs(force) / most - 1 if most > 0 else -1)
        if len(steps) % 50 != 20:
            return
        contact, instance = elements[0], elements[0].instance
        kept, content = instance.save(), instance.snapshot()
        ahead = [(time + i * length, 0.01 * math.sin(i + len(steps)), length) for i in range(1, 7)]
        first = [contact.step(*step) for step in ahead]
        instance.restore(kept)
        found["repeat"] += first != [contact.step(*step) for step in ahead]
        instance.restore(kept)
        instance.drop(kept)
        other.resume(content)
        found["repeat"] += first != [Element(other, contact.normal).step(*step) for step in ahead]

    timing, masses = timing_of(one["late"]) if one["timed"] else EITHER, one["masses"]
    how = {name: one[name] for name in ("step", "late", "integrator")}
    rows = run(fmu, one, masses, timing, observe, **how)
    alone = run(fmu, one, 0 * masses, timing, **how)
    fine = run(fmu, one, masses / sum(masses), AT_ONCE, step=FINE)
    off = [these[:, 3] - np.interp(these[:, 0], fine[:, 0], fine[:, 3]) for these in (rows, alone)]
    with_it, without = (np.sqrt(np.mean(one**2)) for one in off)
    found["ratio"] = with_it / max(without, 1e-5) if len(alone) == len(steps) else 0.0
    found["gain"] = least_taken(rows, steps)
    return found


def worse(ratios):
    marks = ", ".join(f"{np.quantile(ratios, part):.2f}" for part in (0.5, 0.9, 1))
    return f"{marks}, {np.sum(np.array(ratios) > 1.1)} of {len(ratios)}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of hosts that diverge by themselves
    count, wanted, every = int((sys.argv + ["40"])[1]), sys.argv[2:], []
    for fmu in FMUS:
        if is_scalar(fmu.description) and (not wanted or fmu.name in wanted):
            found = []
            for seed in range(count):
                choice = np.random.default_rng([seed, *fmu.name.encode()])
                with element(fmu, 1.0) as other:
                    found.append(judge(fmu, drawn(choice, limit_of(fmu)), other))
            most = [f"{what} {max(one[what] for one in found):.0e}" for what in NEVER]
            gain, ratios = min(one["gain"] for one in found), [one["ratio"] for one in found]
            print(fmu.name, *most, f"gain {gain:.0e}; {worse(ratios)}", flush=True)
            every += ratios
    print("all:", worse(every))
