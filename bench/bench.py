"""Measures every FMU of a folder and prints one table of ratios per question; see README.md."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

import peers
import records

ROOT = Path(__file__).resolve().parent.parent
PAIR = ("LuGre", "ImplicitBristle")
PAIR_SETS = ("rill2023_model1", "rill2023_model2")
CYCLE_ROUNDS = 201
STEP_ROUNDS = 15
SCALE_MODELS = ("LuGre", "GeneralizedMaxwellSlip")  # with one state and with four

CYCLE_GOAL = 2.5  # of LuGre with the exponent 2, over the bare model
CYCLE_CASES = ("LuGre, α = 2", "LuGre, rill2023_model2")  # which have it
IMPLICIT_GOAL = 4.0  # of ImplicitBristle over LuGre
EXACT = 1e-9  # an error below which a step counts as exact
STEP_GOAL = 20.0  # the best of SUNDIALS over fmi2DoStep, for LuGre
BYTES_GOAL, CALLS_GOAL = 1024, 2  # per instance in model exchange
RECORD_GOAL = 100.0  # FMPy's simulate_fmu over bristle.run, per sample
FLAT_GOAL = 1.2  # a step among many instances over one of a single instance
THREADS_GOAL = 1.9  # one thread over two, by the clock
SIZE_GOAL = 500_000  # bytes of an FMU
BUILD_GOAL = 300.0  # seconds


@dataclass(frozen=True)
class Case:
    """An FMU with parameters; the label says which."""

    label: str
    model: str
    parameters: dict[str, float]

    def argument(self, build: Path) -> str:
        folder = build / "models" / self.model
        libraries = [
            str(folder / "binaries" / "linux64" / f"{self.model}.so"),
            str(folder / "bare.so"),
        ]
        return "|".join(
            [
                self.label,
                *libraries,
                *(f"{name}={value!r}" for name, value in self.parameters.items()),
            ]
        )


@dataclass(frozen=True)
class Line:
    """The result of one benchmark: the time of one repetition in nanoseconds, and for
    steps their error."""

    label: str
    motion: str
    side: str
    repetitions: int
    time: float
    wall: float
    inputs: str
    error: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmus", type=Path, default=ROOT / "dist", help="folder with the FMUs")
    parser.add_argument(
        "--program", type=Path, default=ROOT / "build" / "bench", help="where bench/ was built"
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "dist" / "bench.md", help="file for the tables"
    )
    parser.add_argument(
        "--build",
        action="store_true",
        help="also time ./build.sh from nothing, in a copy of the repository",
    )
    parser.add_argument(
        "--peer",
        type=Path,
        action="append",
        default=[],
        metavar="FMU",
        help="measure this FMU, of any origin, and PythonFMU's LuGre beside ours, and nothing else;"
        " can be repeated",
    )
    parser.add_argument(
        "--map",
        default="",
        metavar="OURS=ITS,...",
        help="names of a peer's variables, where they are not those of our interface",
    )
    parser.add_argument(
        "--alone", action="store_true", help="with --peer: leave PythonFMU's LuGre out"
    )
    options = parser.parse_args()
    if options.peer:
        names = peers.names_from(options.map)
        print(peer_table(options.fmus, options.program, options.peer, names, options.alone))
        return 0

    # Those that bench/CMakeLists.txt has taken: a twin is its model with two multiplications more.
    fmus = [
        fmu
        for fmu in sorted(options.fmus.glob("*.fmu"))
        if (options.program / "models" / fmu.stem).is_dir()
    ]
    if not fmus:
        print(f"bench: there are no FMUs in {options.fmus}.", file=sys.stderr)
        return 1
    defaults = [Case(fmu.stem, fmu.stem, {}) for fmu in fmus]
    special = special_cases({fmu.stem for fmu in fmus})
    build: Path = options.program

    cycles = run_benchmarks(build, "cycles", CYCLE_ROUNDS, special + defaults)
    instructions = count_instructions(build, "cycles", cycles, special + defaults)
    stepped = [case for case in special if "α" not in case.label] + defaults
    steps = run_benchmarks(build, "steps", STEP_ROUNDS, stepped)
    step_instructions = count_instructions(build, "steps", steps, stepped)
    memory = run(build, ["memory"], defaults)
    parts = [
        cycle_table(cycles, instructions),
        pair_table(cycles, instructions),
        step_table(steps, step_instructions),
        memory_table(memory, fmus),
        record_table(options.fmus),
        scale_table(options.fmus, build),
        peer_table(options.fmus, build, [], {}, False),
    ]
    if options.build:
        parts.append(build_table())
    text = "\n\n".join(parts) + "\n"
    options.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


def special_cases(models: set[str]) -> list[Case]:
    """What the goals speak of: LuGre with the exponent 2, and the pair with the parameters of the
    paper."""
    cases = [Case("LuGre, α = 2", "LuGre", {"stribeckExponent": 2.0})] if "LuGre" in models else []
    for name in PAIR_SETS:
        values = tomllib.loads((ROOT / "resources" / f"{name}.toml").read_text(encoding="utf-8"))[
            "values"
        ]
        own = {
            key: float(value) for key, value in values.items() if key != "regularizationVelocity"
        }
        cases += [Case(f"{model}, {name}", model, own) for model in PAIR if model in models]
    return cases


def run(
    build: Path,
    arguments: list[str],
    cases: list[Case] | list[peers.Peer],
    before: tuple[str, ...] = (),
) -> list[list[str]]:
    command = [*before, str(build / "bench"), *arguments, *(case.argument(build) for case in cases)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)  # the program has said why
    return [line.split("\t") for line in done.stdout.splitlines()]


def run_benchmarks(
    build: Path,
    what: str,
    rounds: int,
    cases: list[Case] | list[peers.Peer],
    before: tuple[str, ...] = (),
) -> list[Line]:
    return [
        Line(
            label,
            motion,
            side,
            int(repetitions),
            float(wall if what.startswith("cycle") else processor),
            float(wall),
            *(remark if len(remark) == 2 else ("", "")),
        )
        for label, motion, side, repetitions, wall, processor, *remark in run(
            build, [what, str(rounds)], cases, before
        )
    ]


def count_instructions(
    build: Path,
    what: str,
    lines: list[Line],
    cases: list[Case] | list[peers.Peer],
    before: tuple[str, ...] = (),
) -> dict[Line, float]:
    """Instructions of one repetition, which do not depend on the load of the machine; nothing
    without valgrind."""
    if not shutil.which("valgrind"):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "counts"
        valgrind = (
            "valgrind",
            "--quiet",
            "--tool=callgrind",
            f"--callgrind-out-file={dump}",
            "--toggle-collect=measured",
            "--dump-after=measured",
        )
        run(build, [what, "1"], cases, (*before, *valgrind))
        counts = [total(Path(f"{dump}.{i + 1}")) for i in range(len(lines))]
    return {line: n / line.repetitions for line, n in zip(lines, counts, strict=True)}


def total(dump: Path) -> int:
    found = re.search(r"^totals: (\d+)", dump.read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise SystemExit(f"bench: {dump} has no totals.")
    return int(found[1])


def table(title: str, note: str, head: list[str], rows: list[list[str]]) -> str:
    lines = [f"### {title}", "", note, "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def record_table(folder: Path) -> str:
    """`bristle.run` against FMPy over the same record, to the same bits."""
    lines = []
    for row in records.rows(folder):
        ratio = row.simulate / row.ours
        goal = f"≥ {RECORD_GOAL:g}: {verdict(ratio >= RECORD_GOAL)}" if row.model == "LuGre" else ""
        lines.append(
            [
                row.model,
                row.inputs,
                f"{1000 * row.ours:.0f} ns",
                f"{row.calls:.1f} µs",
                f"{row.simulate:.1f} µs",
                f"{ratio:.0f}",
                goal,
            ]
        )
    note = f"Two at a time LuGre is {records.in_parallel(folder):.2f} times as fast by the clock."
    heads = [
        "model",
        "inputs",
        "bristle.run",
        "FMPy, single calls",
        "FMPy, simulate_fmu",
        "times faster than this",
        "goal",
    ]
    return table("Records, per sample", note, heads, lines)


def scale_table(folder: Path, build: Path) -> str:
    """Steps of many instances over those of one, and of two threads over one."""
    entries = [
        peer
        for model in SCALE_MODELS
        for peer in peers.read(folder / f"{model}.fmu", model, {}, {})[0]
        if peer.kind == "step"
    ]
    lines = run_benchmarks(build, "scale", STEP_ROUNDS, entries)
    rows = []
    for line in lines:  # the remark is threads or chain, bytes of an instance
        alike = line.inputs if line.inputs == "chain" else "1"
        own = {one.side: one for one in lines if (one.label, one.inputs) == (line.label, alike)}
        if line.inputs == alike:
            ratio = line.time / own["1"].time
            goal = f"≤ {FLAT_GOAL}: {verdict(ratio <= FLAT_GOAL)}"
        else:
            ratio = own[line.side].wall / line.wall
            goal = f"≥ {THREADS_GOAL}: {verdict(ratio >= THREADS_GOAL)}"
        rows.append(
            [line.label, line.inputs, line.side, line.error, f"{line.time:.0f}"]
            + [f"{ratio:.2f}", goal]
        )
    return table(
        "Many instances",
        "fmi2DoStep of each instance in turn, in slip under held inputs: the time over that of one"
        " instance, by the median on the processor; for two threads, each with half of the"
        " instances, how many times faster they are than one by the clock. A *chain* has a block on"
        " each instance, on a belt and with springs between them.",
        ["FMU", "threads", "instances", "bytes of each", "step [ns]", "ratio", "goal"],
        rows,
    )


def peer_table(
    folder: Path, build: Path, files: list[Path], names: dict[str, str], alone: bool
) -> str:
    """Our LuGre, PythonFMU's and the files given, cycles and steps each measured in turn."""
    ours = folder / f"{PAIR[0]}.fmu"
    entries, said = peers.measurable(ours, files, names, build, alone)
    before = peers.environment()
    rows = []
    for kind, rounds in (("cycle", CYCLE_ROUNDS), ("step", STEP_ROUNDS)):
        own = [entry for entry in entries if entry.kind == kind]
        lines = run_benchmarks(build, kind, rounds, own, before)
        counts = count_instructions(build, kind, lines, own, before)
        for line in lines:
            base = next(one for one in lines if one.motion == line.motion)
            counted = f"{counts[line] / counts[base]:.2f}" if counts else "–"
            rows.append(
                [line.label, kind, line.motion, f"{line.time:.0f}", f"{line.time / base.time:.2f}"]
                + [counted, line.error]
            )
    return table(
        "FMUs of other tools beside LuGre",
        "The cycle of model exchange with the states as they start, and fmi2DoStep of 1 ms under"
        " held inputs, with LuGre's parameters where the FMU has them by name. The root mean"
        " square of the force over the steps shows whether two FMUs compute the same. "
        + " ".join(said),
        ["FMU", "what", "motion", "time [ns]", "over LuGre", "instructions", "force [N]"],
        rows,
    )


def verdict(good: bool) -> str:
    return "met" if good else "missed"


def cycle_table(lines: list[Line], counts: dict[Line, float]) -> str:
    rows = []
    ones = {(line.label, line.motion, line.side): line for line in lines}
    for (label, motion, side), line in ones.items():
        if side != "fmu":
            continue
        other = ones[label, motion, "bare"]
        fmu, bare = line.time, other.time
        counted = counts[line] / counts[other] if counts else None
        goal = (
            f"≤ {CYCLE_GOAL}: {verdict(fmu / bare <= CYCLE_GOAL)}" if label in CYCLE_CASES else ""
        )
        rows.append(
            [
                label,
                motion,
                f"{fmu:.0f}",
                f"{bare:.0f}",
                f"{fmu / bare:.2f}",
                f"{counted:.2f}" if counted else "–",
                goal,
            ]
        )
    return table(
        "Evaluation cycle of model exchange over the bare C model",
        "Set time, inputs and states, get derivatives and force, through the loaded binary; the"
        " least time of many rounds.",
        ["FMU", "motion", "FMU [ns]", "bare [ns]", "ratio", "ratio of instructions", "goal"],
        rows,
    )


def pair_table(lines: list[Line], counts: dict[Line, float]) -> str:
    rows = []
    ones = {(line.label, line.motion, line.side): line for line in lines}
    for name in PAIR_SETS:
        for motion in ("stick", "slip"):
            for side in ("fmu", "bare"):
                keys = [(f"{model}, {name}", motion, side) for model in reversed(PAIR)]
                if any(key not in ones for key in keys):
                    continue
                one, other = (ones[key] for key in keys)
                ratio = one.time / other.time
                counted = f"{counts[one] / counts[other]:.2f}" if counts else "–"
                goal = f"≤ {IMPLICIT_GOAL:.0f}: {verdict(ratio <= IMPLICIT_GOAL)}"
                rows.append([name, motion, side, f"{ratio:.2f}", counted, goal])
    return table(
        "Evaluation of ImplicitBristle over LuGre",
        "The same measurement, with the parameters of the paper.",
        ["parameters", "motion", "side", "ratio", "ratio of instructions", "goal"],
        rows,
    )


def step_table(lines: list[Line], counts: dict[Line, float]) -> str:
    rows = []
    for own in (line for line in lines if line.side == "fmu"):
        others = [
            r
            for r in lines
            if r.side != "fmu"
            and (r.label, r.motion, r.inputs) == (own.label, own.motion, own.inputs)
        ]
        if not others:
            continue
        best = min(others, key=lambda other: other.time)
        ratio = best.time / own.time
        goal = (
            f"≥ {STEP_GOAL:.0f}: {verdict(ratio >= STEP_GOAL)}"
            if own.label.startswith("LuGre,")
            else ""
        )
        rows.append(
            [
                own.label,
                own.motion,
                own.inputs,
                f"{own.time / 1e3:.2f}",
                f"{best.time / 1e3:.1f}",
                best.side,
                own.error,
                best.error,
                f"{ratio:.0f}",
                f"{counts[best] / counts[own]:.0f}" if counts else "–",
                goal,
            ]
        )
    rows.sort(
        key=lambda row: float(row[6]) < EXACT
    )  # nonlinear equations first: nothing is gained there by a closed form
    return table(
        "fmi2DoStep of 1 ms against SUNDIALS, restarted at each step, at the same error",
        "Inputs move from step to step; *held* within a step, or *moving* with their rates. Each of"
        " SUNDIALS' methods takes the loosest tolerance with an error no larger than the FMU's (or"
        " than 1e-9, where the FMU is exact), and the fastest is shown: CVODE BDF, CVODE Adams or"
        " ARKODE DIRK. Models whose equation the FMU solves exactly come last. Models without"
        " states and motions with events are left out. Median of time on the processor.",
        [
            "FMU",
            "motion",
            "inputs",
            "FMU [µs]",
            "SUNDIALS [µs]",
            "method",
            "error FMU",
            "error SUNDIALS",
            "times faster",
            "by instructions",
            "goal",
        ],
        rows,
    )


def memory_table(lines: list[list[str]], fmus: list[Path]) -> str:
    sizes = {fmu.stem: fmu.stat().st_size for fmu in fmus}
    rows = []
    for label, *numbers in lines:
        exchange_calls, exchange_bytes, steps_calls, steps_bytes, *behind = (
            int(number) for number in numbers
        )
        good = (
            exchange_calls <= CALLS_GOAL
            and exchange_bytes <= BYTES_GOAL
            and not any(behind)
            and sizes[label] <= SIZE_GOAL
        )
        rows.append(
            [
                label,
                f"{exchange_bytes} in {exchange_calls}",
                f"{steps_bytes} in {steps_calls}",
                " / ".join(str(number) for number in behind[:3]),
                " / ".join(str(number) for number in behind[3:]),
                f"{sizes[label] / 1e3:.0f}",
                verdict(good),
            ]
        )
    return table(
        "Memory and size",
        f"Goal: at most {BYTES_GOAL} bytes in {CALLS_GOAL} allocations per instance in model"
        " exchange, nothing allocated, locked or formatted in evaluations and steps, FMUs of at"
        f" most {SIZE_GOAL // 1000} kB.",
        [
            "FMU",
            "ME: bytes in allocations",
            "CS",
            "cycle: allocated / locked / formatted",
            "step",
            "FMU [kB]",
            "goal",
        ],
        rows,
    )


def build_table() -> str:
    """Time of ./build.sh in a fresh clone, with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        environment = os.environ | {"ZIG_GLOBAL_CACHE_DIR": f"{folder}/zig", "PATH": os.defpath}
        start = time.monotonic()
        subprocess.run(
            ["./build.sh"], cwd=clone, env=environment, check=True, stdout=subprocess.DEVNULL
        )
        seconds = time.monotonic() - start
    goal = f"≤ {BUILD_GOAL:.0f}: {verdict(seconds <= BUILD_GOAL)}"
    return table(
        "Build from nothing",
        "./build.sh in a fresh clone, with packages.",
        ["time [s]", "goal"],
        [[f"{seconds:.0f}", goal]],
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except peers.Unusable as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)
