"""Stability of the loop over a host's body that a friction element with couplingMass leads back to
its shadow, in stick (docs/coupling.md).

    python docs/coupling_stability.py

The numbers are read from fmu_src/solver/shadow.c. In stick the shadow rests. With m = 1, r =
couplingMass/m and steps h the element knows e, the load that it has observed, the way xi, and the
forces F[n-1] and F[n-2] that it has given. For each couplingTiming and the timing of the host this
prints

- the spectral radius of the loop over (v, xi, F[n-1]) that is left where e is the load, r = 1;
- the steps until the force stays within 1 % of a load that has jumped, with the observer, for r
  from 0.1 to 1.2, and the largest r with which it settles;
- the same with r = 1 and steps of 0.2, 1 and 2 at random, the most of fifty sequences.
"""

import re
from pathlib import Path

import numpy as np

TEXT = (Path(__file__).resolve().parents[1] / "fmu_src" / "solver" / "shadow.c").read_text(
    encoding="utf-8"
)
ROWS = re.search(r"gains_of_timing\[\] = \{(.*?)\};", TEXT, re.S)[1]
GAINS = [tuple(map(float, row.split(","))) for row in re.findall(r"\{([^{}]*)\}", ROWS)]
FADING = float(re.search(r"LOOP_FADES = ([\d.]+);", TEXT)[1])
TIMINGS = dict(zip(("Either", "AtOnce", "OneStepLate"), GAINS))
LOOPS = [("AtOnce", False), ("OneStepLate", True), ("Either", False), ("Either", True)]


def radius(late, gains):
    """Of the map of (v, xi, F[n-1]) over a step, where e is the load; forces are less the load."""
    _, _, k, k_x = gains
    v, xi, before = np.eye(3)
    force = k * v + k_x * xi
    v = v - (before if late else force)
    return max(abs(np.linalg.eigvals(np.array([v, xi + v, force]))))


def runs(r, late, gains, steps, shares=(1.0,), loads=(0.0,)):
    """Forces and observed loads of contacts that share a body, under a load that has jumped to 1.
    `shares` are those of couplingMass, `loads` what each took for its load before."""
    least, most, k, k_x = gains
    share, load = r * np.array(shares), np.array(loads, float)
    xi, one, two = np.zeros_like(load), load.copy(), load[::-1].copy()
    v = before = longest = 0.0
    rows, last = [], None
    for h in steps:
        longest = max(h, FADING * longest)
        if last:
            met = share * (v - before) / last + one
            ends = met + least * (two - one), met + most * (two - one)
            load = np.clip(load, np.minimum(*ends), np.maximum(*ends))
            xi = xi + last * v
        force = load + share * (k * v / longest + k_x * xi / longest**2)
        acts = np.sum(one if late else force)
        before, v, last = v, v + h * (1.0 - acts), h
        one, two = force, one
        rows.append((np.sum(force), np.sum(load)))
    return np.array(rows)


def settling(rows, part=0.01):
    """The number of steps until the force stays within a part of the load, and how far the observed
    load overshoots."""
    off = np.nonzero(~(abs(rows[:, 0] - 1) <= part))[0]
    return (int(off[-1]) + 1 if len(off) else 0), float(max(rows[:, 1]))


def at_random(count, seed):
    return np.random.default_rng(seed).choice((0.2, 1.0, 2.0), count)


def main():
    np.seterr(all="ignore")  # of loops that diverge
    masses = (0.1, 0.25, 0.5, 0.75, 1.0, 1.2)
    for name, late in LOOPS:
        gains = TIMINGS[name]
        found = [settling(runs(r, late, gains, [1.0] * 900))[0] for r in masses]
        largest = max(
            r
            for r in np.arange(1, 3, 0.05)
            if all(settling(runs(q, late, gains, [1.0] * 900))[0] < 900 for q in (1, r))
        )
        varied = [settling(runs(1, late, gains, at_random(400, seed)))[0] for seed in range(50)]
        print(f"{name}, host {'late' if late else 'at once'}: radius {radius(late, gains):.3f}")
        print("    steps: " + ", ".join(f"r {r:g}: {n}" for r, n in zip(masses, found)))
        print(f"    settles up to r = {largest:.2f}; steps at random: {max(varied)} at most")


if __name__ == "__main__":
    main()
