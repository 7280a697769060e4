"""What no importer does on purpose: calls in any order with any values, no memory, many threads,
endless runs. docs/RELIABILITY.md has the figures; tests/fuzz/run.py does the same for hours."""

import hashlib
import os
import subprocess

import pytest

import fuzzing
import c_host
from commands import completed
from fmus import FMUS, FOLDER, REPOSITORY
from build_cache import kept
from operating_points import Sampler

pytestmark = [pytest.mark.xdist_group("fuzz"), pytest.mark.shipped]

BUILD = REPOSITORY / "build" / "fuzz"
RUNS, EXHAUSTED_RUNS = 400, 20
STEPS = int(os.environ.get("BRISTLE_STEPS", 100_000))  # of a long run
PERIOD = 1000
OF_3 = [fmu for fmu in FMUS if (FOLDER / "fmi3" / fmu.path.name).is_file()]


@pytest.fixture(scope="module")
def calls():
    lacking = fuzzing.missing()
    if lacking and os.environ.get("CI") == "true":
        pytest.fail(f"{lacking} is missing")
    if lacking:
        pytest.skip(f"{lacking} is missing: the calls are not fuzzed")
    return fuzzing.build("calls", FMUS, BUILD / "calls", of_3=OF_3)


@pytest.fixture(scope="module")
def program(calls):
    """Returns the hash of the program, an input of its runs."""
    return hashlib.sha256(calls.read_bytes()).digest()


def expect_kept(fuzzed):
    keep = (
        f"; once it is fixed, keep {fuzzed.finding} in tests/fuzz/findings"
        if fuzzed.finding
        else ""
    )
    assert fuzzed.kept, fuzzed.text[-3000:] + keep


def test_what_was_found_once_stays_fixed(calls):
    """All findings, in every FMU: each is a sequence of calls for any of them."""
    findings = sorted(fuzzing.FINDINGS.glob("[A-Z]*"))
    fuzzed = fuzzing.fuzz(calls, None, files=findings)
    expect_kept(fuzzed)
    assert findings and fuzzed.calls > len(findings) * (len(FMUS) + len(OF_3))


def fuzz(name, calls, program, corpus, seed, runs, exhaust=False):
    """Returns the counts of calls and of failed allocations of a run, which must keep all promises.
    The same program makes the same calls for the same seed, so that a run is cached."""

    def make(folder):
        fuzzed = fuzzing.fuzz(calls, name, options, [corpus], exhaust, corpus)
        expect_kept(fuzzed)
        (folder / "counts").write_text(f"{fuzzed.calls} {fuzzed.failures}")

    options = [*fuzzing.REPEATABLE, f"-seed={seed}", f"-runs={runs}"]
    folder = kept(f"fuzz/{name}-{seed}", [program, *options, exhaust], make)
    return map(int, (folder / "counts").read_text().split())


def test_any_calls_in_any_order_keep_the_promises(fmu, calls, program, tmp_path):
    """Always the same calls: seed and number of runs are fixed."""
    made, _ = fuzz(fmu.name, calls, program, tmp_path, 1, RUNS)
    assert made > 10 * RUNS


def test_every_allocation_may_fail(fmu, calls, program, tmp_path):
    """Each sequence of calls is made again with its first, second, third … allocation failing."""
    _, failures = fuzz(fmu.name, calls, program, tmp_path, 2, EXHAUSTED_RUNS, exhaust=True)
    assert failures > 0


@pytest.mark.parametrize("element", OF_3, ids=str)
def test_the_same_calls_of_3_0_keep_the_promises(element, calls, program, tmp_path):
    """With event mode, early return and intermediate updates, and with allocations that fail."""
    name = fuzzing.NAME_OF_3.format(element.name)
    made, _ = fuzz(name, calls, program, tmp_path, 1, RUNS)
    assert made > 10 * RUNS
    _, failures = fuzz(name, calls, program, tmp_path, 2, EXHAUSTED_RUNS, exhaust=True)
    assert failures > 0


def test_sixteen_threads_have_no_race(all_fmus):
    """Of every fourth FMU, in both versions: all have the same code but for their law, and no
    static data (test_binaries.py)."""
    some = all_fmus[::4]
    of_3 = [fmu for fmu in some if fmu in OF_3]
    program = fuzzing.build("threads", some, BUILD / "threads", of_3=of_3)
    done = completed(program)
    assert done.returncode == 0 and done.stderr == "", done.stderr[-3000:]


# endless runs


def run_measured(program, job, folder):
    """Runs a job; returns its rows, the time at its end, and the peak memory of its process
    [kB]."""
    (folder / "job").write_text(job)
    with (
        open(folder / "job") as given,
        open(folder / "rows", "w") as taken,
        subprocess.Popen([program], stdin=given, stdout=taken) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    *rows, end = (folder / "rows").read_text().splitlines()
    return (
        [[float(number) for number in row.split()] for row in rows],
        float(end.split()[1]),
        usage.ru_maxrss,
    )


@pytest.mark.fmus(lambda d: d.name in ("LuGre", "ImplicitBristle"))
def test_a_long_run_ends_as_it_began(fmu, tmp_path):
    """Under inputs with a period of 1000 steps: no drift of the time, no growth of the memory, the
    force of the eighth period in every later one. The inputs of a later period differ by the
    rounding of their argument, up to 1e-11 after 1e7 steps, and with it the solver's steps, so the
    force may differ by the tolerance of 1e-6 of its largest value."""
    waves = c_host.natural_waves(Sampler(fmu.description, "long"), fmu.description.starts())
    waves = {
        name: (
            offset,
            amplitude,
            2 * 3.141592653589793 * round(frequency / 6) if amplitude else 0.0,
        )
        for name, (offset, amplitude, frequency) in waves.items()
    }
    host, quarter = c_host.build(), PERIOD // 4
    report = 25 * PERIOD + quarter  # each time a quarter of a period later
    short, _, memory = run_measured(
        host, c_host.job(fmu, fmu.binary, 1, 8 * PERIOD, 1e-3, quarter, waves), tmp_path
    )
    rows, end, memory_after = run_measured(
        host, c_host.job(fmu, fmu.binary, 1, STEPS, 1e-3, report, waves), tmp_path
    )
    assert end == (STEPS - 1) * 1e-3 + 1e-3
    assert abs(memory_after - memory) <= 512, "pages of the C library come and go"
    force = fmu.description["frictionForce"].reference
    expected = [
        row[force] for row in short[-5:-1]
    ]  # at the quarters of the eighth period, from its start
    largest = max(map(abs, expected))
    assert max(expected) - min(expected) > 0.1 * largest
    for i, row in enumerate(rows, 1):
        assert row[force] == pytest.approx(
            expected[i * report % PERIOD // quarter], abs=1e-6 * largest
        ), i
