"""A copy of the project in which mutants are made and tested, one after the other.

Only fmu_src/, tests/ and the Python package are copied, everything else is a link. The FMUs are
built by the host's compiler, quickly rather than well: access outside an array is trapped, as in
the check's run with sanitizers, and unset variables are NaN. A process is forked for each mutant,
with all modules already loaded; a test that exceeds its processor time ends it. The first FMU is
tested alone, since most mutants die there; the others are built only for survivors. Mutants of
Python use the existing FMUs, in BRISTLE_FMUS or dist/.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bristle import BristleError
from bristle.format.archive import write_zip
from generator.generate import generate
from generator.package import content

from .edits import PACKAGE, REPOSITORY, Mutant

COPIED = ("fmu_src", "tests", PACKAGE.relative_to(REPOSITORY).parts[0])
LEFT_OUT = (".git", ".venv", "build", "dist")
FLAGS = (
    "-std=c99 -O1 -w -fPIC -fvisibility=hidden -ffp-contract=off "
    "-DFMI2_OVERRIDE_FUNCTION_PREFIX -DFMI3_OVERRIDE_FUNCTION_PREFIX -shared "
    "-Wl,--build-id=none -fsanitize=bounds "
    "-fsanitize-undefined-trap-on-error -ftrivial-auto-var-init=pattern"
).split()
# For one test: processor time; and clock time for the tools, since some of their runs limit
# processor time themselves, which that timer would make coarse.
TEST_TIMER, TEST_SECONDS = signal.ITIMER_PROF, 60
PYTHON_TIMER, PYTHON_SECONDS = signal.ITIMER_REAL, 900
MODELS_AT_MOST = 7  # that a mutant changes are tested
RUNNING = "build/running.txt"  # the running test
MUTANT_SECONDS = 1800  # clock time for all tests of a mutant; one that needs longer counts as alive

KILLED, CRASHED, ENDLESS, ALIVE, UNFINISHED, SAME, STILLBORN, BROKEN = (
    "killed",
    "crashed",
    "endless",
    "alive",
    "tests unfinished",
    "same code",
    "does not compile",
    "tests do not run",
)
DEAD = (KILLED, CRASHED, ENDLESS)
LIVING = (ALIVE, UNFINISHED, BROKEN)


@dataclass(frozen=True)
class Outcome:
    fate: str
    by: str = ""  # the test that failed, or why there is no mutant
    seconds: float = 0.0
    models: tuple[str, ...] = ()  # the FMUs of the last trial


def fmu_folder() -> Path:
    return Path(os.environ.get("BRISTLE_FMUS") or REPOSITORY / "dist").resolve()


def fmi_include() -> Path:
    import fmpy

    return Path(fmpy.__file__).parent / "c-code"


def compile_library(
    model: str,
    generated: Path,
    source: Path,
    folder: Path,
    compiler: Sequence[str] = ("gcc", *FLAGS),
) -> Path:
    """For both versions of FMI."""
    library = folder / "linux64" / f"{model}.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    folders = [f"-I{generated}", f"-I{source}", "-isystem", str(fmi_include())]
    command = [*compiler, *folders, str(generated / "both.c"), "-o", str(library), "-lm"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise BristleError(result.stderr)
    return library


def write_fmus(generated: Path, source: Path, library: Path, fmus: Path) -> None:
    """The FMU of each version of FMI, with the same library; that of 3.0 in the folder fmi3."""
    same = library.parents[1] / "x86_64-linux" / library.name
    same.parent.mkdir(exist_ok=True)
    shutil.copy(library, same)
    for version, file, folder in ((2, library, fmus), (3, same, fmus / "fmi3")):
        rest = (source, fmi_include(), REPOSITORY / "LICENSE", [file], version)
        write_zip(folder / f"{library.stem}.fmu", content(generated, *rest))


class Originals:
    """The unchanged models, generated and compiled once for all mutants, by whichever process needs
    one first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)

    def generated(self, model: str) -> Path:
        self._make(model)
        return self.folder / model

    def library(self, model: str) -> bytes:
        self._make(model)
        return (self.folder / model / "linux64" / f"{model}.so").read_bytes()

    def _make(self, model: str) -> None:
        made = self.folder / model
        if made.exists():
            return
        draft = self.folder / f"{model}-{os.getpid()}"
        generate(REPOSITORY / "modelDescription" / f"{model}.toml", draft, fmi_include())
        compile_library(model, draft, REPOSITORY / "fmu_src", draft)
        with contextlib.suppress(OSError):  # another process was faster
            draft.rename(made)


class Workshop:
    def __init__(self, folder: Path, originals: Originals) -> None:
        self.folder, self.originals = folder, originals
        self.fmus = folder / "build" / "fmus"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "build").mkdir(parents=True)
        for entry in sorted(REPOSITORY.iterdir()):
            if entry.name in COPIED:
                shutil.copytree(entry, folder / entry.name)
            elif entry.name not in LEFT_OUT:
                (folder / entry.name).symlink_to(entry)

    def _build(self, mutant: Mutant | None, models: list[str], most: int) -> bool:
        """Makes FMUs of the models that a mutant changes, at most `most`, and removes them from the
        list; returns whether there is any."""
        shutil.rmtree(self.fmus, ignore_errors=True)
        (self.fmus / "fmi3").mkdir(parents=True)
        made = 0
        while models and made < most:
            model = models.pop(0)
            generated = self.originals.generated(model)
            if mutant and mutant.file.split("/")[0] in (
                "common",
                "models",
            ):  # the slopes and the structure follow the law
                generated = self.folder / "build" / "mutated" / model
                generate(
                    self.folder / "modelDescription" / f"{model}.toml", generated, fmi_include()
                )
                self._keep_guid(model, generated)
            library = compile_library(
                model, generated, self.folder / "fmu_src", self.folder / "build"
            )
            if not mutant or library.read_bytes() != self.originals.library(model):
                write_fmus(generated, self.folder / "fmu_src", library, self.fmus)
                made += 1
        return made > 0

    def _keep_guid(self, model: str, generated: Path) -> None:
        """Keeps the GUID of the original, so that the library differs only in code."""
        names = ("own_defaults.h", "modelDescription.xml")
        texts = (
            (folder / names[1]).read_text(encoding="utf-8")
            for folder in (self.originals.generated(model), generated)
        )
        before, now = (text.partition('guid="')[2].partition('"')[0] for text in texts)
        for name in names:
            text = (generated / name).read_text(encoding="utf-8")
            (generated / name).write_text(text.replace(now, before), encoding="utf-8")

    def _take_package(self) -> None:
        """Unloads the package, so that the tests import the one here; no compiled files are kept,
        since they are checked by seconds."""
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        for name in [name for name in sys.modules if name.partition(".")[0] == "bristle"]:
            del sys.modules[name]
        sys.path.insert(0, str(self.folder / PACKAGE.parent.relative_to(REPOSITORY)))

    def run(
        self,
        mutant: Mutant | None,
        models: list[str],
        most: int,
        tests: list[tuple[str, ...]],
        left_out: tuple[str, ...],
        report: Path,
    ) -> None:
        """Tests a mutant, whose file is already changed, with one group of tests after the other,
        in its own process."""
        os.setsid()
        os.chdir(self.folder)
        output = os.open(
            self.folder / "build" / "output.txt", os.O_CREAT | os.O_WRONLY | os.O_TRUNC
        )
        os.dup2(output, 1)
        os.dup2(output, 2)
        is_python = mutant.is_python if mutant else not models
        try:
            if is_python:
                self._take_package()
            elif not self._build(mutant, models, most):
                report.write_text(json.dumps([SAME, "", models]))
                return
        except (BristleError, OSError, ValueError) as error:
            report.write_text(json.dumps([STILLBORN, str(error), []]))
            return
        os.environ["BRISTLE_FMUS"] = str(fmu_folder() if is_python else self.fmus)
        os.environ.setdefault("BRISTLE_RIG", str(REPOSITORY / "build" / "rig" / "rig"))
        import pytest

        limit = (PYTHON_TIMER, PYTHON_SECONDS) if is_python else (TEST_TIMER, TEST_SECONDS)
        watch = Watch(self.folder / RUNNING, *limit)
        options = ["-x"] if mutant else []  # on unchanged sources all failures are of interest
        options += ["-q", "-p", "no:cacheprovider", "--rootdir", str(self.folder / "tests")]
        options += [] if is_python else ["-m", "not shipped"]
        options += [f"--deselect={test}" for test in left_out]
        for group in tests:
            code = pytest.main(
                [*options, *(str(self.folder / "tests" / test) for test in group)], plugins=[watch]
            )
            if code == pytest.ExitCode.TESTS_FAILED:
                break
        known: dict[int, str] = {
            pytest.ExitCode.OK: ALIVE,
            pytest.ExitCode.NO_TESTS_COLLECTED: ALIVE,
        }  # none: not for these FMUs
        fate = (
            KILLED if watch.failed else known.get(code, BROKEN)
        )  # a file of tests that cannot be read is a failure, but not of a test
        report.write_text(json.dumps([fate, "\n".join(watch.failed), models]))


class Watch:
    """A plugin of pytest: collects failed tests, limits each, and records the running one in case
    the process dies."""

    def __init__(self, running: Path, timer: int, seconds: float) -> None:
        self.failed: list[str] = []
        self.running, self.timer, self.seconds = running, timer, seconds

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.running.write_text(nodeid)
        signal.setitimer(self.timer, self.seconds)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


class Trial:
    """A trial of a mutant, or of the unchanged sources."""

    def __init__(
        self,
        workshop: Workshop,
        mutant: Mutant | None,
        models: tuple[str, ...],
        tests: list[tuple[str, ...]],
        left_out: tuple[str, ...] = (),
    ) -> None:
        self.workshop, self.mutant, self.tests, self.left_out = workshop, mutant, tests, left_out
        self.models, self.alive = list(models), False
        self.report = workshop.folder / "build" / "report.json"
        self.begun = time.monotonic()
        if mutant:
            self.file = workshop.folder / mutant.path
            self.kept = self.file.read_text(encoding="utf-8")
            self.file.write_text(mutant.apply(self.kept), encoding="utf-8")
        self._go_on(1 if mutant else len(models))

    def _go_on(self, most: int) -> None:
        self.report.unlink(missing_ok=True)
        (self.workshop.folder / RUNNING).unlink(missing_ok=True)
        arguments = (self.mutant, self.models, most, self.tests, self.left_out, self.report)
        self.process = get_context("fork").Process(target=self.workshop.run, args=arguments)
        self.process.start()

    def outcome(self) -> Outcome | None:
        """Returns the outcome; None while it runs."""
        late = time.monotonic() - self.begun > MUTANT_SECONDS
        if self.process.is_alive() and not late:
            return None
        assert self.process.pid is not None  # it was started
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.join()
        fate, by, self.models = (UNFINISHED, self._running(), []) if late else self._fate()
        if fate == ALIVE and self.models and not self.alive:
            self.alive = True
            self._go_on(MODELS_AT_MOST - 1)
            return None
        if self.mutant:
            self.file.write_text(self.kept, encoding="utf-8")
        made = tuple(sorted(path.stem for path in self.workshop.fmus.glob("*.fmu")))
        return Outcome(
            ALIVE if fate == SAME and self.alive else fate, by, time.monotonic() - self.begun, made
        )

    def _running(self) -> str:
        running = self.workshop.folder / RUNNING
        return running.read_text() if running.exists() else ""

    def _fate(self) -> tuple[str, str, list[str]]:
        """Returns the fate of the ended process, its test, and the models not yet tested."""
        code = -(self.process.exitcode or 0)
        if code in (signal.SIGPROF, signal.SIGALRM, signal.SIGXCPU):
            return ENDLESS, self._running(), []
        if code > 0:
            return CRASHED, self._running() or signal.Signals(code).name, []
        return (
            tuple(json.loads(self.report.read_text())) if self.report.exists() else (BROKEN, "", [])
        )
