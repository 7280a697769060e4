"""Stability of the loop over a host's body that a friction element with couplingMass leads back to
its shadow, in stick (docs/coupling.md).

    python docs/coupling_stability.py

The gains are read from fmu_src/solver/shadow.c. In stick the shadow rests, and with m = 1, r =
couplingMass/m and steps h the loop is linear in (v, a, e, xi, F[n-1], F[n-2]). For each
couplingTiming and the timing of the host this prints - the spectral radius for r from 0.1 to 1.2,
and the largest r up to which it is below 1; - the decay per step over products of two thousand
steps of 0.2, 1 and 2 at random, with h* as the element takes it.
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


def step(r, late, gains, h, before, longest):
    """The map of (v, a, e, xi, F1, F2) over a step h, after one of the length `before`."""
    part, beta, k, k_x = gains
    v, a, e, xi, one, two = np.eye(6)
    e = e + beta * (r * a + (1 - part) * one + part * two - e)
    xi = xi + before * v
    force = e + r * (k * v / longest + k_x * xi / longest**2)
    acts = one if late else force
    return np.array([v - h * acts, -acts, e, xi, force, one])


def radius(r, late, gains):
    return max(abs(np.linalg.eigvals(step(r, late, gains, 1, 1, 1))))


def decay(r, late, gains, count=2000, seed=1):
    """The growth per step of a product of maps with steps at random, as a factor; the first fifth
    is left out."""
    choice, before, longest, z, total = np.random.default_rng(seed), 1.0, 1.0, np.ones(6), 0.0
    for n in range(count):
        h = choice.choice((0.2, 1.0, 2.0))
        longest = max(h, FADING * longest)
        z = step(r, late, gains, h, before, longest) @ z
        size = np.linalg.norm(z)
        z, before = z / size, h
        if n >= count // 5:
            total += np.log(size)
    return np.exp(total / (count - count // 5))


def main():
    for name, gains in TIMINGS.items():
        for late in (False, True) if gains[0] == 0.5 else (gains[0] == 1,):
            radii = {r: radius(r, late, gains) for r in (0.1, 0.25, 0.5, 0.75, 1.0, 1.2)}
            largest = max(
                r
                for r in np.arange(0.1, 6, 0.01)
                if all(radius(q, late, gains) < 1 for q in np.arange(0.1, r + 0.005, 0.05))
            )
            shown = ", ".join(f"r {r:g}: {value:.3f}" for r, value in radii.items())
            print(
                f"{name}, host {'late' if late else 'at once'}: {shown}; below 1 up to r ="
                f" {largest:.2f}"
            )
            print(
                "    steps at random: "
                + ", ".join(f"r {r:g}: {decay(r, late, gains):.3f}" for r in radii)
            )


if __name__ == "__main__":
    main()
