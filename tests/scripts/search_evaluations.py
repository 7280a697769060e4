"""Searches for the most expensive step of random legal parameters, which spread over decades, over
the FMUs in BRISTLE_FMUS.

    python tests/scripts/search_evaluations.py --steps 1000 LuGre Dahl    # or all models
"""

import argparse
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from evaluation_counts import counting_library, steps
from fmus import FMUS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seed", default="work")
    given = parser.parse_args()
    for fmu in FMUS:
        if given.models and fmu.name not in given.models or not fmu.description.inputs:
            continue
        found = sorted(
            steps(fmu, counting_library(fmu), given.steps, given.seed), key=lambda f: f[0]
        )
        parts = [found[math.ceil(part * len(found)) - 1][0] for part in (0.5, 0.9, 0.99, 1)]
        print(f"{fmu.name}: median, 90 %, 99 % and most evaluations of a step:", *parts, flush=True)
        coarse = sum(any("maximumSubsteps" in text for text in f[1]) for f in found)
        print(
            "   ",
            coarse,
            "steps used up their substeps; the most expensive:",
            found[-1][1:],
        )


if __name__ == "__main__":
    main()
