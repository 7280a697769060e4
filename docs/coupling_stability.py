"""Computes the stability of a friction element with couplingMass and the host's body, which it
returns to its shadow, in stick (docs/coupling.md).

    python docs/coupling_stability.py

The numbers are read from shadow.c and solver.c in fmu_src/solver. In stick the shadow is at rest.
With m = 1, r = couplingMass/m and steps h the element knows the observed load e, the force s of the
spring, and its previous forces F[n-1] and F[n-2]. For each couplingTiming and the timing of the
host this prints

- the spectral radius of the loop over (v, s, F[n-1]) that is left where e is the load, r = 1;
- the steps until the force stays within 1 % of a load that has jumped, with the observer, for r
  from 0.1 to 1.2, and the largest r with which it settles;
- the same with r = 1 and steps of 0.2, 1 and 2 at random, the most of fifty sequences;
- the least energy that friction has taken at any time over the work that the load has done with
  either sign, under ramps, jumps, random walks and sines, r from 0.1 to 1.2, and the longest period
  in steps of a sine under which it is negative.
"""

import re
from pathlib import Path

import numpy as np

TEXT, SOLVER = (
    (Path(__file__).resolve().parents[1] / "fmu_src" / "solver" / name).read_text(encoding="utf-8")
    for name in ("shadow.c", "solver.c")
)
ROWS = re.search(r" timings\[\] = \{(.*?)\};", TEXT, re.S)[1]
NUMBERS = [tuple(map(float, row.split(","))) for row in re.findall(r"\{([^{}]*)\}", ROWS)]
FADING = float(re.search(r"LONGEST_FADES = ([\d.]+);", SOLVER)[1])
PART = float(re.search(r"SPRING_PART = ([\d.]+);", TEXT)[1])
TIMINGS = dict(zip(("Either", "AtOnce", "OneStepLate"), NUMBERS))
LOOPS = [("AtOnce", False), ("OneStepLate", True), ("Either", False), ("Either", True)]


def radius(late, timing):
    """Returns the spectral radius of the map of (v, s, F[n-1]) over a step, if e is the load;
    forces are relative to the load."""
    _, _, k, lag = timing
    v, spring, before = np.eye(3)
    force = k * v + spring
    v = v - (before if late else force)
    return max(abs(np.linalg.eigvals(np.array([v, spring + PART * k / lag * v, force]))))


def runs(r, late, timing, steps, shares=(1.0,), loads=(0.0,), forces=None, part=PART):
    """Runs contacts that share a body, under `forces` or a load that has jumped to 1; returns
    forces and observed loads, the velocity at the end of each step and the acting force. `shares`
    are those of couplingMass, `loads` the earlier observed loads."""
    least, most, k, lag = timing
    share, load = r * np.array(shares), np.array(loads, float)
    spring, one, two = part * load, load.copy(), load[::-1].copy()
    v = before = longest = 0.0
    rows, last = [], None
    for n, h in enumerate(steps):
        if last:
            met = share * (v - before) / last + one
            ends = met + least * (two - one), met + most * (two - one)
            load = np.clip(load, np.minimum(*ends), np.maximum(*ends))
            spring = spring + part * k / lag * share * last * v / longest**2
        longest = max(h, FADING * longest)
        force = load * (1 - part) + spring + share * k * v / longest
        acts = np.sum(one if late else force)
        before, v, last = v, v + h * ((1.0 if forces is None else forces[n]) - acts), h
        one, two = force, one
        rows.append((np.sum(force), np.sum(load), v, acts))
    return np.array(rows)


def energy(r, late, timing, forces, **how):
    """Returns the least energy that friction has taken at any time, over the absolute work of the
    load."""
    rows = runs(r, late, timing, [1.0] * len(forces), forces=forces, **how)
    mean = 0.5 * (rows[:, 2] + np.concatenate([[0.0], rows[:-1, 2]]))
    return min(0.0, min(np.cumsum(rows[:, 3] * mean))) / max(np.sum(abs(forces * mean)), 1e-300)


def slow_loads(count=600):
    """Returns loads of stick: ramps, jumps, both in turn, a slow random walk."""
    n = np.arange(count)
    walk = np.cumsum(np.random.default_rng(1).normal(size=count // 20))
    return [
        np.clip(n / 200, 0, 1),
        np.clip(n / 20, 0, 1),
        (n >= 5) * 1.0,
        np.where(n < 300, n / 300, 0),
        np.where(n < 5, 0, np.clip(1 - (n - 5) / 300, 0, 1)),
        np.interp(n, 20 * np.arange(count // 20), walk),
    ]


def sine(period, count=600):
    return np.sin(2 * np.pi * np.arange(count) / period)


def settling(rows, part=0.01):
    """Returns the number of steps until the force stays within a part of the load, and the peak of
    the observed load."""
    off = np.nonzero(~(abs(rows[:, 0] - 1) <= part))[0]
    return (int(off[-1]) + 1 if len(off) else 0), float(max(rows[:, 1]))


def at_random(count, seed):
    return np.random.default_rng(seed).choice((0.2, 1.0, 2.0), count)


def main():
    np.seterr(all="ignore")  # of loops that diverge
    masses = (0.1, 0.25, 0.5, 0.75, 1.0, 1.2)
    for name, late in LOOPS:
        timing = TIMINGS[name]
        found = [settling(runs(r, late, timing, [1.0] * 900))[0] for r in masses]
        largest = max(
            r
            for r in np.arange(1, 3, 0.05)
            if all(settling(runs(q, late, timing, [1.0] * 900))[0] < 900 for q in (1, r))
        )
        varied = [settling(runs(1, late, timing, at_random(400, seed)))[0] for seed in range(50)]
        print(f"{name}, host {'late' if late else 'at once'}: radius {radius(late, timing):.3f}")
        print("    steps: " + ", ".join(f"r {r:g}: {n}" for r, n in zip(masses, found)))
        print(f"    settles up to r = {largest:.2f}; steps at random: {max(varied)} at most")
        taken = min(energy(r, late, timing, forces) for r in masses for forces in slow_loads())
        gives = [
            n
            for n in range(3, 100)
            if min(energy(r, late, timing, sine(n)) for r in masses) < -0.001
        ]
        print(f"    energy: {taken:.3f} at least; given in sines of {gives} steps")


if __name__ == "__main__":
    main()
