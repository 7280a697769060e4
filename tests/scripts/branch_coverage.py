"""Measures which lines, branches and conditions of fmu_src/ the tests of the FMUs reach.

    branch_coverage.py                    all models, tests/every_fmu and tests/models
    branch_coverage.py --models LuGre     coverage of these models' own sources
    branch_coverage.py --report           the table again, of the last run

Needs clang 19 (on Debian: clang-19, llvm-19, libclang-rt-19-dev). Every model is built with
counters in build/coverage/; a branch counts as taken if any test takes it in any model. A condition
shows its effect (MC/DC) if two runs of the decision differ in its value and in the outcome, but in
no other evaluated condition. What the compiler decides, as N_STATES == 0, is no branch.
tests/unreached.toml lists what is not reached, each with its reason; the exit code is 1 if the list
lacks an unreached branch or has a reached one.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
REPOSITORY = TESTS.parent
SOURCE = REPOSITORY / "fmu_src"
BUILD = REPOSITORY / "build" / "coverage"
FMUS = BUILD / "fmus"
REASONS = TESTS / "unreached.toml"
COMPILER = (
    "clang-19 -std=c99 -O1 -w -fPIC -shared -fvisibility=hidden -ffp-contract=off"
    " -DFMI2_OVERRIDE_FUNCTION_PREFIX -DFMI3_OVERRIDE_FUNCTION_PREFIX"
    " -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc"
    " -fprofile-update=atomic"
).split()
CONSTANT = re.compile(
    r"(?:\b[A-Z][A-Z0-9_]*\b|\b\d+\b|[\s()!<>=&|+*-])+"
)  # macros and numbers only
WRITTEN_EVERY = 500  # tests
# The function that writes the counts is hidden in a library. It adds to the counts in the file.
WRITE_COUNTS = """\
int __llvm_profile_write_file(void);
void __llvm_profile_reset_counters(void);
__attribute__((visibility("default"))) void write_counts(void) {
    __llvm_profile_write_file();
    __llvm_profile_reset_counters();
}
"""
TESTS_FAILED = 1  # exit code of pytest; a larger one means that it could not run them
finished = 0


@dataclass
class Coverage:
    """The coverage of one file: lines, and the outcomes and effects of conditions by line, column
    and end."""

    lines: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    branches: dict[tuple, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    conditions: dict[tuple, bool] = field(default_factory=lambda: defaultdict(bool))


def main() -> int:
    arguments = parsed()
    if not arguments.report:
        build(arguments.models)
        run_tests(arguments.tests, arguments.workers)
    files = read_export()
    return report(files, complete=not arguments.models)


def parsed() -> argparse.Namespace:
    known = sorted(path.stem for path in (REPOSITORY / "modelDescription").glob("[A-Z]*.toml"))
    how = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=how)
    parser.add_argument("--models", nargs="+", choices=known, metavar="MODEL", help="only these")
    parser.add_argument(
        "--tests", nargs="+", default=["every_fmu", "models"], metavar="TEST", help="of tests/"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="test processes")
    parser.add_argument("--report", action="store_true", help="report the last run again")
    arguments = parser.parse_args()
    for tool in ("clang-19", "llvm-profdata-19", "llvm-cov-19"):
        if not shutil.which(tool):
            parser.error(f"{tool} is missing: apt install clang-19 llvm-19 libclang-rt-19-dev")
    return arguments


def build(models: list[str] | None) -> None:
    """Builds the FMUs with counters."""
    sys.path[:0] = [str(REPOSITORY / folder) for folder in ("", "python", "tools")]
    from generator.generate import generate
    from mutation.workshop import compile_library, fmi_include, write_fmus

    shutil.rmtree(BUILD, ignore_errors=True)
    (FMUS / "fmi3").mkdir(parents=True)

    writer = BUILD / "write_counts.c"
    writer.write_text(WRITE_COUNTS)

    def make(model: str) -> None:
        folder = BUILD / model
        generate(REPOSITORY / "modelDescription" / f"{model}.toml", folder, fmi_include())
        command = [*COMPILER, str(writer)]
        library = compile_library(model, folder, SOURCE, folder, command)
        write_fmus(folder, SOURCE, library, FMUS)

    every = sorted(path.stem for path in (REPOSITORY / "modelDescription").glob("[A-Z]*.toml"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(make, models or every))


def run_tests(tests: list[str], workers: int) -> None:
    """Runs the tests on them. Failures are ignored, since counters change the library; what was
    reached still counts."""
    environment = os.environ | {
        "BRISTLE_FMUS": str(FMUS),
        "LLVM_PROFILE_FILE": str(
            BUILD / "counts" / "%m.profraw"
        ),  # one per library, to which all processes add
        "PYTHONPATH": str(Path(__file__).parent),  # this file is the plugin
    }
    paths = [str(TESTS / test) for test in tests]
    options = [
        "-q",
        "-n",
        str(workers),
        "--dist",
        "loadgroup",
        "--only-fmus",
        "-m",
        "not shipped and not endurance",
        "-p",
        "no:cacheprovider",
        "-p",
        "branch_coverage",
    ]
    command = [sys.executable, "-m", "pytest", *paths, *options]
    if subprocess.run(command, env=environment, cwd=REPOSITORY).returncode > TESTS_FAILED:
        sys.exit("the tests did not run to their end.")


def pytest_runtest_logfinish(nodeid: str) -> None:
    """Writes the counts now and then (a hook of pytest), since a worker may be killed before it
    does so itself."""
    global finished
    finished += 1
    if finished % WRITTEN_EVERY == 0:
        write_counts()


def pytest_sessionfinish() -> None:
    write_counts()


def write_counts() -> None:
    """Writes the counts of all libraries that this process has open."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    for library in {line.split()[-1] for line in maps.splitlines() if line.endswith(".so")}:
        if Path(library).parent.name in ("linux64", "x86_64-linux"):
            write = getattr(ctypes.CDLL(library), "write_counts", None)
            if write:
                write()


def read_export() -> dict[str, Coverage]:
    """Reads what all libraries together reached, by file below fmu_src/. One library at a time:
    llvm-cov drops the counts of one of two functions with the same name."""
    counts = sorted((BUILD / "counts").glob("*.profraw"))
    profile = BUILD / "all.profdata"
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", *counts, "-o", profile], check=True)
    files: dict[str, Coverage] = defaultdict(Coverage)
    for library in sorted(BUILD.glob("*/linux64/*.so")):
        command = ["llvm-cov-19", "export", f"-instr-profile={profile}", str(library)]
        lcov, text = (
            subprocess.run(
                [*command, f"-format={kind}"], check=True, capture_output=True, text=True
            ).stdout
            for kind in ("lcov", "text")
        )
        read_lines(lcov, files)
        read_branches(json.loads(text), files)
    return dict(sorted(files.items()))


def own_name(file: str) -> str | None:
    """Returns the name below fmu_src/; None for a file elsewhere."""
    path = Path(file)
    return path.relative_to(SOURCE).as_posix() if path.is_relative_to(SOURCE) else None


def read_lines(text: str, files: dict[str, Coverage]) -> None:
    name = None
    for line in text.splitlines():
        kind, _, rest = line.partition(":")
        if kind == "SF":
            name = own_name(rest)
        elif kind == "DA" and name:
            number, count = map(int, rest.split(",")[:2])
            files[name].lines[number] += count


def read_branches(data: dict, files: dict[str, Coverage]) -> None:
    """Adds up the counts of a condition, by its place in the source, over all functions compiled
    from it."""
    for function in data["data"][0]["functions"]:
        names = [own_name(file) for file in function["filenames"]]
        for branch in function["branches"]:
            name = names[branch[6]]
            if name and not is_constant(name, *branch[:4]):
                counts = files[name].branches[tuple(branch[:4])]
                counts[0] += branch[4]
                counts[1] += branch[5]
    for file in data["data"][0]["files"]:
        if name := own_name(file["filename"]):
            for record in file["mcdc_records"]:
                for i, covered in enumerate(
                    record[-1] if isinstance(record[-1], list) else record[-2]
                ):
                    files[name].conditions[(*record[:4], i)] |= covered


def is_constant(name: str, line: int, column: int, last_line: int, end: int) -> bool:
    return line == last_line and bool(CONSTANT.fullmatch(text_of(name, line, column, end)))


def text_of(name: str, line: int, column: int, end: int | None) -> str:
    return (
        (SOURCE / name)
        .read_text(encoding="utf-8")
        .splitlines()[line - 1][column - 1 : end and end - 1]
    )


def report(files: dict[str, Coverage], complete: bool) -> int:
    """Prints what was reached, by folder, and what was not, with its reason; returns 1 if a reason
    is missing or unnecessary."""
    print(f"\n{'':10} {'lines':>14} {'branches':>14} {'MC/DC':>14}")
    for folder in [*sorted({name.partition("/")[0] for name in files}), "all"]:
        chosen = [one for name, one in files.items() if folder in ("all", name.partition("/")[0])]
        parts = [
            [count > 0 for one in chosen for count in one.lines.values()],
            [count > 0 for one in chosen for counts in one.branches.values() for count in counts],
            [shown for one in chosen for shown in one.conditions.values()],
        ]
        print(
            f"{folder:10} "
            + " ".join(f"{sum(reached)}/{len(reached)}".rjust(14) for reached in parts)
        )
    listed = tomllib.loads(REASONS.read_text(encoding="utf-8")).get("unreached", [])
    known = {(entry["file"], entry["line"], entry["never"]): entry["reason"] for entry in listed}
    missing = defaultdict(list)
    for name, one in files.items():
        for (line, column, last_line, end), counts in sorted(one.branches.items()):
            text = text_of(name, line, column, end if line == last_line else None) or "isfinite"
            for outcome, count in zip(("true", "false"), counts):
                if not count:
                    key = name, text_of(name, line, 1, None).strip(), f"{text} is {outcome}"
                    missing[key].append(f"{name}:{line}:{column}")
    print(f"\n{sum(map(len, missing.values()))} branches are not reached:")
    for key, places in missing.items():
        for place in places:
            print(f"  {place}: {key[2]}: {known.get(key, 'NO REASON IS GIVEN')}")
    unneeded = [key for key in known if key not in missing] if complete else []
    for file, line, never in unneeded:
        print(f"  {file}: {line}: {never}: is reached, although {REASONS.name} lists it")
    return int(bool(unneeded) or any(key not in known for key in missing))


if __name__ == "__main__":
    sys.exit(main())
