"""Fuzzes the FMUs for a given time: calls in any order, failing allocations, threads, and long
runs.

    .venv/bin/python tests/fuzz/run.py --hours 8
    .venv/bin/python tests/fuzz/run.py --hours 0.5 --models LuGre ContactPoint

Needs a build (./build.sh, or BRISTLE_FMUS naming a folder), clang with libFuzzer, and gcc. Input
that breaks a promise is saved in tests/fuzz/findings/, named after its model: the check replays all
of them in every FMU. The corpus is kept in build/fuzz/corpus/.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))

import fuzzing  # noqa: E402
from fmus import FMUS, FOLDER, REPOSITORY  # noqa: E402

BUILD = REPOSITORY / "build" / "fuzz"
LONG_RUN = 10_000_000  # steps
EXHAUSTED = 0.1  # part of the time in which allocations fail


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--hours", type=float, default=1.0, help="of fuzzing, over all FMUs (default: 1)"
    )
    parser.add_argument("--models", nargs="+", metavar="MODEL", help="only these")
    parser.add_argument("--only-calls", action="store_true", help="without threads and long runs")
    arguments = parser.parse_args()
    chosen = [fmu for fmu in FMUS if not arguments.models or fmu.name in arguments.models]
    unknown = set(arguments.models or ()) - {fmu.name for fmu in chosen}
    if unknown or not chosen:
        parser.error(
            f"there is no {', '.join(sorted(unknown)) or 'FMU'} in {FOLDER}; ./build.sh builds all"
        )
    if not arguments.hours > 0:
        parser.error("--hours has to be above 0")
    if lacking := fuzzing.missing():
        parser.error(f"{lacking} is missing")

    of_3 = [fmu for fmu in chosen if (FOLDER / "fmi3" / fmu.path.name).is_file()]
    names = [fmu.name for fmu in chosen] + [fuzzing.NAME_OF_3.format(fmu.name) for fmu in of_3]
    print(f"Building {len(names)} FMUs with sanitizers.", flush=True)
    program = fuzzing.build(
        "calls", chosen, BUILD / "calls-optimized", "-O1", repeatable=False, of_3=of_3
    )
    workers = os.cpu_count() or 1
    seconds = arguments.hours * 3600 * workers / len(names)
    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(lambda name: fuzz_model(program, name, seconds), names))
    calls, failures, findings = (sum(one[i] for one in found) for i in range(3))
    print(f"{calls} calls, {failures} failed allocations, {findings} findings.", flush=True)
    if arguments.only_calls:
        return findings > 0

    print("16 threads under ThreadSanitizer.", flush=True)
    threads = subprocess.run(
        [fuzzing.build("threads", chosen, BUILD / "threads-of-all", "-O1", of_3=of_3)]
    ).returncode
    print(f"{LONG_RUN} steps.", flush=True)
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        str(TESTS / "every_fmu" / "test_reliability.py"),
        "-k",
        "long_run",
    ]
    long_run = subprocess.run(words, env={**os.environ, "BRISTLE_STEPS": str(LONG_RUN)}).returncode
    return findings > 0 or threads != 0 or long_run != 0


def fuzz_model(program, model, seconds):
    """Fuzzes one FMU; returns calls, failed allocations and findings. The first finding ends it:
    further ones would mostly be the same."""
    corpus = BUILD / "corpus" / model
    corpus.mkdir(parents=True, exist_ok=True)
    calls = failures = findings = 0
    with tempfile.TemporaryDirectory() as folder:
        for exhaust, part in ((False, 1 - EXHAUSTED), (True, EXHAUSTED)):
            options = [f"-max_total_time={max(1, round(part * seconds))}"]
            one = fuzzing.fuzz(program, model, options, [corpus, fuzzing.FINDINGS], exhaust, folder)
            calls, failures = calls + one.calls, failures + one.failures
            if not one.kept:
                findings += 1
                kept = (
                    fuzzing.FINDINGS / f"{model}-{one.finding.name.rpartition('-')[2][:12]}"
                    if one.finding
                    else None
                )
                if kept:
                    shutil.copy(one.finding, kept)
                print(f"{model}: {kept or 'stopped'}\n{one.text[-3000:]}", flush=True)
    print(f"{model}: {calls} calls, {failures} failed allocations, {findings} findings", flush=True)
    return calls, failures, findings


if __name__ == "__main__":
    sys.exit(main())
