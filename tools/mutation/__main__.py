"""The command: PYTHONPATH=tools .venv/bin/python -m mutation --help"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process is forked for each mutant

from bristle import BristleError

from .edits import Mutant, MutationError, change_of, read_edits, read_equivalent
from .operators import drawn
from .plan import left_out, planned
from .workshop import ALIVE, BROKEN, DEAD, SAME, STILLBORN, Originals, Outcome, Trial, Workshop

EXAMPLES = """\
examples:
  python -m mutation --list                          all edits of edits.toml: each must be killed by the test that it names
  python -m mutation --list -k remembers             those with this word in their name
  python -m mutation --generated 200 --seed 1        200 changes drawn by rule
  python -m mutation --generated 50 --only solver/   of the solver alone
  python -m mutation --generated 200 --skip 150      the last 50 of these 200
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mutation", description="Changes the C of the FMUs and sees whether a test fails.", epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--list", action="store_true", help="the edits of edits.toml")
    parser.add_argument("-k", default="", metavar="WORD", help="only edits with this word in their name")
    parser.add_argument("--generated", type=int, default=0, metavar="N", help="N changes drawn by rule")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave out the first N of the draw")
    parser.add_argument("--only", default="", metavar="TEXT", help="draw from files with this in their name, as solver/ or fmi2/state.c")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time")
    parser.add_argument("--show", action="store_true", help="show the changes, and test nothing")
    parser.add_argument("--no-baseline", action="store_true", help="do not run the tests on the unchanged sources first")
    chosen = parser.parse_args()
    if not chosen.list and not chosen.generated:
        parser.error("say --list or --generated N")
    return chosen


def load_modules() -> None:
    """What the tests use, so that no process has to load it."""
    import fmpy, hypothesis, lxml.etree, numpy, pytest, scipy.integrate, scipy.optimize  # noqa: E401, F401


def run(mutants: list[tuple], folder: Path, originals: Originals, jobs: int, tell) -> list[Outcome]:
    """The outcomes in the order of the mutants; `tell` hears of each as it comes."""
    outcomes: dict[int, Outcome] = {}
    waiting, free, trials = list(range(len(mutants)))[::-1], [Workshop(folder / str(i), originals) for i in range(jobs)], {}
    while waiting or trials:
        while waiting and free:
            number, workshop = waiting.pop(), free.pop()
            mutant, models, tests = mutants[number]
            trials[number] = Trial(workshop, mutant, models, tests, left_out())
        for number, trial in list(trials.items()):
            outcome = trial.outcome()
            if outcome:
                outcomes[number] = outcome
                free.append(trial.workshop)
                del trials[number]
                tell(number, outcome)
        time.sleep(0.05)
    return [outcomes[number] for number in range(len(mutants))]


def baseline(mutants: list[Mutant], folder: Path, originals: Originals, jobs: int) -> None:
    """The tests pass where nothing is changed; else they would kill everything."""
    wanted: dict[tuple[str, ...], dict[str, None]] = {}
    for mutant in mutants:
        wanted.setdefault(mutant.models, {}).update(dict.fromkeys(mutant.tests))
    trials = [(None, models, tuple(tests)) for models, tests in wanted.items()]
    print(f"Without a change, {len(trials)} sets of FMUs and tests:", flush=True)

    def tell(number, outcome):
        print(f"  {outcome.fate:9} {outcome.seconds:5.0f} s  {', '.join(trials[number][1])}  {outcome.by}", flush=True)

    outcomes = run(trials, folder, originals, jobs, tell)
    if any(outcome.fate != ALIVE for outcome in outcomes):
        raise MutationError("tests fail without any change, so nothing can be said.")


def main() -> int:
    chosen = arguments()
    mutants = [edit for edit in read_edits() if chosen.k in edit.name] if chosen.list else []
    mutants += drawn(chosen.generated, chosen.seed, chosen.only)[chosen.skip :]
    mutants = [planned(mutant) for mutant in mutants]
    equivalent = read_equivalent()
    if chosen.show:
        for mutant in mutants:
            print(f"{mutant.name}\n    {mutant.shown()}")
        return 0
    load_modules()
    begun, reasons = time.monotonic(), {n: equivalent[change_of(m)] for n, m in enumerate(mutants) if change_of(m) in equivalent}
    run_ones = [n for n in range(len(mutants)) if n not in reasons]

    def tell(number, outcome):
        mutant = mutants[run_ones[number]]
        by = outcome.by.rpartition("tests/")[2] or outcome.by.strip().partition("\n")[0]
        done[0] += 1
        print(f"{done[0]:4}/{len(run_ones)} {outcome.fate:9} {outcome.seconds:5.0f} s  {mutant.name}: {mutant.shown()[:160]}  [{by[:90]}]", flush=True)

    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        originals = Originals(Path(folder, "originals"))
        if not chosen.no_baseline:
            baseline([mutants[n] for n in run_ones], Path(folder), originals, chosen.jobs)
        done = [0]
        outcomes = run([(mutants[n], mutants[n].models, mutants[n].tests) for n in run_ones], Path(folder), originals, chosen.jobs, tell)
    return summary([(mutants[n], outcome) for n, outcome in zip(run_ones, outcomes)], [(mutants[n], why) for n, why in reasons.items()], time.monotonic() - begun)


def summary(results: list[tuple[Mutant, Outcome]], named: list[tuple[Mutant, str]], seconds: float) -> int:
    """The table and the score; 1 where a mutant lives."""
    for mutant, why in named:
        print(f"equivalent: {mutant.shown()}\n    {why}")
    for fate in (SAME, STILLBORN, BROKEN, ALIVE):
        for mutant, outcome in results:
            if outcome.fate == fate:
                print(f"{fate}: {mutant.name}: {mutant.shown()}" + (f"\n    {outcome.by.strip()[:300]}" if fate in (STILLBORN, BROKEN) else ""))
    rooms = sorted({mutant.file.partition("/")[0] for mutant, _ in results} | {mutant.file.partition("/")[0] for mutant, _ in named})
    print(f"\n{'':10} {'drawn':>6} {'no mutant':>10} {'equivalent':>11} {'killed':>7} {'alive':>6} {'score':>7}")
    for room in [*rooms, "all"]:
        here = [outcome.fate for mutant, outcome in results if room in ("all", mutant.file.partition("/")[0])]
        known = sum(room in ("all", mutant.file.partition("/")[0]) for mutant, _ in named)
        count = Counter(here)
        dead, alive = sum(count[fate] for fate in DEAD), count[ALIVE] + count[BROKEN]
        score = f"{100 * dead / (dead + alive):.1f} %" if dead + alive else "–"
        print(f"{room:10} {len(here) + known:6} {count[SAME] + count[STILLBORN]:10} {known:11} {dead:7} {alive:6} {score:>7}")
    print(f"{seconds / 60:.0f} min. \"No mutant\": the compiler refuses it or makes the same code of it.")
    return int(any(outcome.fate in (ALIVE, BROKEN) for _, outcome in results))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (MutationError, BristleError) as error:
        sys.exit(f"mutation: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
