"""The command: PYTHONPATH=tools .venv/bin/python -m mutation --help"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process is forked for each mutant

from bristle import BristleError

from .edits import REPOSITORY, Mutant, MutationError, change_of, read_edits, read_equivalent
from .kept import Kept
from .operators import drawn
from .plan import left_out, planned
from .workshop import (
    ALIVE,
    BROKEN,
    DEAD,
    KILLED,
    LIVING,
    SAME,
    STILLBORN,
    UNFINISHED,
    Originals,
    Outcome,
    Trial,
    Workshop,
)

EXAMPLES = """\
examples:
  python -m mutation --list                          all edits of edits.toml: each must be killed by
                                                     the test that it names
  python -m mutation --list -k remembers             those with this word in their name
  python -m mutation --generated 200 --seed 1        200 changes drawn by rule
  python -m mutation --generated 50 --only solver/   of the solver alone
  python -m mutation --generated 100 --language python   of what runs, fits and sweeps FMUs
  python -m mutation --generated 200 --skip 150      the last 50 of these 200

An interrupted run resumes if nothing has changed since; otherwise each mutant first gets the test
that last killed it.
"""


def arguments() -> argparse.Namespace:
    what = "Changes the C of the FMUs, or the Python around them, and checks whether a test fails."
    parser = argparse.ArgumentParser(
        prog="python -m mutation",
        description=what,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list", action="store_true", help="the edits of edits.toml")
    parser.add_argument(
        "-k", default="", metavar="WORD", help="only edits with this word in their name"
    )
    parser.add_argument(
        "--generated", type=int, default=0, metavar="N", help="N changes drawn by rule"
    )
    parser.add_argument(
        "--language",
        choices=("c", "python"),
        help="of which the list is taken (both) and the changes are drawn (c)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument(
        "--skip", type=int, default=0, metavar="N", help="leave out the first N of the draw"
    )
    parser.add_argument(
        "--only",
        default="",
        metavar="TEXT",
        help="draw from files with this in their name, as solver/ or core/state.c",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time")
    parser.add_argument("--show", action="store_true", help="show the changes, and test nothing")
    parser.add_argument(
        "--kept",
        type=Path,
        default=REPOSITORY / "build" / "mutation.jsonl",
        metavar="FILE",
        help="where outcomes are kept (build/mutation.jsonl)",
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="run also what has been run with everything as it is now",
    )
    chosen = parser.parse_args()
    if not chosen.list and not chosen.generated:
        parser.error("say --list or --generated N")
    return chosen


def load_modules() -> None:
    """Loads what the tests use, so that no process has to."""
    names = "fmpy hypothesis lxml.etree numpy pytest scipy.integrate scipy.optimize"
    for name in names.split():
        importlib.import_module(name)


# a mutant, models and groups of tests
Wanted = tuple[Mutant | None, tuple[str, ...], list[tuple[str, ...]]]
Report = Callable[[int, Outcome], None]


def run(
    trials_to_make: list[Wanted], folder: Path, originals: Originals, jobs: int, report: Report
) -> None:
    """Makes trials; `report` is called with each outcome and its number, as it comes."""
    waiting = list(range(len(trials_to_make)))[::-1]
    free = [Workshop(folder / str(i), originals) for i in range(jobs)]
    trials: dict[int, Trial] = {}
    while waiting or trials:
        while waiting and free:
            number, workshop = waiting.pop(), free.pop()
            trials[number] = Trial(workshop, *trials_to_make[number], left_out())
        for number, trial in list(trials.items()):
            outcome = trial.outcome()
            if outcome:
                free.append(trial.workshop)
                del trials[number]
                report(number, outcome)
        time.sleep(0.05)


def asked(mutant: Mutant, killer: str) -> Wanted:
    """Returns a trial in which the test that last killed the mutant comes first, with its FMU."""
    models = sorted(mutant.models, key=lambda model: model not in re.split(r"[\[\]-]", killer))
    return mutant, tuple(models), [(killer,), mutant.tests] if killer else [mutant.tests]


def unproven(
    results: dict[Mutant, Outcome], folder: Path, originals: Originals, jobs: int
) -> list[Mutant]:
    """Returns the mutants whose killers also fail on unchanged sources."""
    wanted: dict[tuple[str, ...], dict[str, None]] = {}
    for outcome in results.values():
        if "::" in outcome.by:
            wanted.setdefault(outcome.models, {})[outcome.by] = None
    trials: list[Wanted] = [(None, models, [tuple(tests)]) for models, tests in wanted.items()]
    failed: set[tuple] = set()

    def report(number: int, outcome: Outcome) -> None:
        if outcome.fate not in (ALIVE, KILLED):
            raise MutationError(
                f"without any change: {outcome.fate} ({', '.join(trials[number][1])}) {outcome.by}"
            )
        for test in outcome.by.splitlines():
            failed.add((trials[number][1], test))
            print(f"fails without any change: {test} ({', '.join(trials[number][1])})", flush=True)

    run(trials, folder, originals, jobs, report)
    print(
        f"Without a change, {sum(map(len, wanted.values()))} tests that have killed, on"
        f" {len(trials)} sets of FMUs: {len(failed)} failed.",
        flush=True,
    )
    return [mutant for mutant, outcome in results.items() if (outcome.models, outcome.by) in failed]


def main() -> int:
    chosen = arguments()
    mutants = (
        [
            edit
            for edit in read_edits()
            if chosen.k in edit.name and chosen.language in (None, edit.language)
        ]
        if chosen.list
        else []
    )
    mutants += drawn(chosen.generated, chosen.seed, chosen.only, chosen.language or "c")[
        chosen.skip :
    ]
    mutants = [planned(mutant) for mutant in mutants]
    equivalent = read_equivalent()
    if chosen.show:
        for mutant in mutants:
            print(f"{mutant.name}\n    {mutant.shown()}")
        return 0
    load_modules()
    begun, kept = time.monotonic(), Kept(chosen.kept)
    named = [
        (mutant, equivalent[change_of(mutant)])
        for mutant in mutants
        if change_of(mutant) in equivalent
    ]
    results = {
        mutant: None if chosen.fresh else kept.outcome(mutant)
        for mutant in mutants
        if change_of(mutant) not in equivalent
    }
    waiting = [mutant for mutant, outcome in results.items() if not outcome]
    if len(waiting) < len(results):
        print(f"{len(results) - len(waiting)} outcomes are kept from before.")

    def report(number: int, outcome: Outcome) -> None:
        mutant = waiting[number]
        results[mutant] = outcome
        kept.note(mutant, outcome)
        by = outcome.by.strip().partition("\n")[0]
        done = sum(map(bool, results.values()))
        print(
            f"{done:4}/{len(results)} {outcome.fate:9} {outcome.seconds:5.0f} s  {mutant.name}:"
            f" {mutant.shown()[:160]}  [{by[:90]}]",
            flush=True,
        )

    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        originals = Originals(Path(folder, "originals"))
        run(
            [asked(mutant, kept.killer(mutant)) for mutant in waiting],
            Path(folder),
            originals,
            chosen.jobs,
            report,
        )
        made = {mutant: outcome for mutant, outcome in results.items() if outcome}
        for mutant in unproven(made, Path(folder), originals, chosen.jobs):
            made[mutant] = Outcome(BROKEN, "", 0.0)
            kept.note(mutant, made[mutant])
    return summary(list(made.items()), named, time.monotonic() - begun)


def summary(
    results: list[tuple[Mutant, Outcome]], named: list[tuple[Mutant, str]], seconds: float
) -> int:
    """Prints the table and the score; returns 1 if a mutant is alive."""
    for mutant, why in named:
        print(f"equivalent: {mutant.shown()}\n    {why}")
    for fate in (SAME, STILLBORN, BROKEN, UNFINISHED, ALIVE):
        for mutant, outcome in results:
            if outcome.fate == fate:
                print(
                    f"{fate}: {mutant.name}: {mutant.shown()}"
                    + (
                        f"\n    {outcome.by.strip()[:300]}"
                        if fate in (STILLBORN, BROKEN, UNFINISHED)
                        else ""
                    )
                )
    rooms = sorted({mutant.room for mutant, _ in [*results, *named]})
    print(
        f"\n{'':10} {'drawn':>6} {'no mutant':>10} {'equivalent':>11} {'killed':>7} {'alive':>6}"
        f" {'score':>7}"
    )
    for room in [*rooms, "all"]:
        here = [outcome.fate for mutant, outcome in results if room in ("all", mutant.room)]
        known = sum(room in ("all", mutant.room) for mutant, _ in named)
        count = Counter(here)
        dead, alive = sum(count[fate] for fate in DEAD), sum(count[fate] for fate in LIVING)
        score = f"{100 * dead / (dead + alive):.1f} %" if dead + alive else "–"
        print(
            f"{room:10} {len(here) + known:6} {count[SAME] + count[STILLBORN]:10} {known:11}"
            f" {dead:7} {alive:6} {score:>7}"
        )
    print(
        f'{seconds / 60:.0f} min. "No mutant": the compiler refuses it or makes the same code'
        " of it."
    )
    return int(any(outcome.fate in LIVING for _, outcome in results))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (MutationError, BristleError) as error:
        sys.exit(f"mutation: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
