"""Draws hosts like random_hosts.py, with one contact and a load of at most half the limit, and
prints the energy that friction gives in them.

    python tests/scripts/energy_in_stick.py [count [models]]

For steps that are even, vary by up to half and up to tenfold, forces at once and late, and timings
given or not: in how many of `count` hosts (25) a model friction has given, at any time, more than
2 % of the energy that it has exchanged, and the most that it has given.
"""

import sys
from itertools import product

import numpy as np

from random_hosts import EITHER, END, FMUS, drawn, is_scalar, least_taken, limit_of, run, timing_of


def given(fmu, seed, least, late, timing):
    choice = np.random.default_rng([seed, *fmu.name.encode()])
    one = drawn(choice, 0.3 * limit_of(fmu))
    one |= {"parts": [1.0], "second": 0.0, "falls": False, "velocity": 0.0}
    steps = np.max(one["step"]) * choice.uniform(least, 1, 10000)
    steps = steps[np.cumsum(steps) < END]
    how = {"step": steps, "late": late, "integrator": one["integrator"]}
    return -least_taken(run(fmu, one, [sum(one["masses"])], timing, **how), steps)


if __name__ == "__main__":
    count, wanted = int((sys.argv + ["25"])[1]), sys.argv[2:]
    models = [one for one in FMUS if is_scalar(one.description)]
    models = [one for one in models if not wanted or one.name in wanted]
    for late, timed, least in product((0, 1), (0, 1), (1.0, 0.5, 0.1)):
        timing = timing_of(late) if timed else EITHER
        hosts = product(models, range(count))
        found = {(m.name, n): given(m, n, least, late, timing) for m, n in hosts}
        worst, over = max(found, key=found.get), sum(part > 0.02 for part in found.values())
        row = f"late {late}, timed {timed}, steps from {least:g}: {over} of {len(found)}"
        print(f"{row}, {found[worst]:.3f}", *worst, flush=True)
