"""Prints the table of docs/benchmark.md: how often the intervals of identify contain the true
values.

python tests/scripts/measure_intervals.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from interval_coverage import TRUTH, cases, covered, run


def main():
    chosen = cases((1, 2, 3))
    errors = run(chosen)
    print("| records | truths | in their intervals | bias, in half widths |\n|---|---|---|---|")
    groups = {
        "all": lambda case: True,
        **{law: lambda case, law=law: case.law == law for law in TRUTH},
        "sines": lambda case: case.motion == "sines",
        "strokes": lambda case: case.motion == "strokes",
        "velocity measured, noise 0.3 %": lambda case: case.noise == 0.003,
        "velocity measured, noise 2 %": lambda case: case.noise == 0.02,
        "encoder of 1 µm, noise 0.5 %": lambda case: case.noise == 0.005,
        "velocity measured, force a sample late": lambda case: case.noise == 0.004,
        "encoder of 1 µm, force two samples late": lambda case: case.noise == 0.006,
        "start unloaded": lambda case: case.begin == 0,
        "start in motion": lambda case: case.begin > 0,
    }
    for name, belongs in groups.items():
        share, count, bias = covered(
            [one for case, one in zip(chosen, errors, strict=True) if belongs(case)]
        )
        print(f"| {name} | {count} | {share:.0%} | {bias:+.2f} |")


if __name__ == "__main__":
    main()
