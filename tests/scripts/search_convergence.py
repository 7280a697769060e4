"""Searches random records for wrong forces (support/convergence.py), over the FMUs in BRISTLE_FMUS.

python tests/scripts/search_convergence.py --records 1000 LuGre Dahl    # or all models
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from convergence import TOLERANCES, compare, has_memory
from fmus import FMUS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--records", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    wrong = 0
    for fmu in FMUS:
        if given.models and fmu.name not in given.models or not has_memory(fmu.description):
            continue
        compared, excused = 0, 0
        for number in range(given.first, given.first + given.records):
            findings, steps = compare(fmu, number)
            compared += steps
            excused += sum(f.excused for f in findings)
            for finding in findings:
                if not finding.excused:
                    wrong += 1
                    print(fmu.name, finding, flush=True)
        possible = given.records * len(TOLERANCES) * 4
        print(f"{fmu.name}: {compared} of {possible} steps compared,", excused, "amplify errors")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
