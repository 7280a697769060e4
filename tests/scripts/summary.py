"""Counts the tests in the JUnit files of a folder: how many ran, and which were skipped and why.

python summary.py <folder> [--nothing-skipped]
"""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree


def main(folder, nothing_skipped):
    bad = 0
    reasons = Counter()
    for path in sorted(Path(folder).glob("*.xml")):
        ran = failed = 0
        for case in ElementTree.parse(path).iter("testcase"):
            skip = case.find("skipped")
            if skip is not None:
                reasons[(path.stem, skip.get("message") or "no reason given")] += 1
                continue
            ran += 1
            failed += case.find("failure") is not None or case.find("error") is not None
        print(f"{path.stem}: {ran} tests ran, {failed} failed")
        bad += failed
    print(f"skipped: {sum(reasons.values()) or 'none'}")
    for (run, reason), count in sorted(reasons.items()):
        print(f"  {count} of {run}: {reason}")
    return 1 if bad or (nothing_skipped and reasons) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--nothing-skipped" in sys.argv[2:]))
