"""The benchmark's guests: FMUs known by their interface alone, and many instances. The program is
build/bench/bench or in the folder of BRISTLE_BENCH; the tests are skipped if it is not built,
except with CI=true.
"""

import os
import sys
import zipfile
from pathlib import Path

import pytest

from commands import completed, printed
from fmus import FOLDER, REPOSITORY, need_all_fmus

need_all_fmus()

BUILD = Path(os.environ.get("BRISTLE_BENCH", REPOSITORY / "build" / "bench"))
OURS = FOLDER / "LuGre.fmu"
DESCRIPTION = "modelDescription.xml"
NAMES = {"relativeVelocity": "v", "normalForce": "fn", "frictionForce": "f"}

if not (BUILD / "bench").exists():
    if os.environ.get("CI") == "true":
        raise RuntimeError(f"{BUILD / 'bench'} is not there: cmake --build build/bench")
    pytest.skip(f"{BUILD / 'bench'} is not built", allow_module_level=True)


def bench(*arguments):
    command = [sys.executable, REPOSITORY / "bench" / "bench.py", "--alone", "--fmus", FOLDER]
    return completed(*command, "--program", BUILD, *arguments, timeout=120)


def rows(run):
    """Returns the forces of a finished run by FMU, cycle or step, and motion."""
    assert run.returncode == 0, run.stderr
    cells = [
        line.strip("| ").split(" | ") for line in run.stdout.splitlines() if "[ns]" not in line
    ]
    return {tuple(row[:3]): row[-1] for row in cells if len(row) > 5}


def refusal(*arguments):
    """Runs it where it has to refuse; returns its sentence."""
    run = bench(*arguments)
    assert run.returncode == 2 and not run.stdout, run.stdout
    assert run.stderr.count("\n") == 1, run.stderr
    return run.stderr


@pytest.fixture
def guest(tmp_path):
    """Makes an FMU from LuGre with a description changed by `change`, and the files of `others` in
    place of its own."""

    def make(change=lambda text: text, others=()):
        file = tmp_path / "guest.fmu"
        with zipfile.ZipFile(OURS) as own, zipfile.ZipFile(file, "w") as new:
            for name in own.namelist():
                if name == DESCRIPTION:
                    new.writestr(name, change(own.read(name).decode()))
                elif name.startswith("binaries/linux64/"):
                    new.writestr(name, dict(others).get(name, own.read(name)))
        return file

    return make


def without(element):
    """Removes an element and its content from a description."""

    def change(text):
        start = text.index(f"<{element}")
        closed = text.find(f"</{element}>", start)
        end = text.index(">", closed if closed > 0 else start) + 1
        return text[:start] + text[end:]

    return change


def renamed(text):
    for ours, theirs in NAMES.items():
        text = text.replace(f'name="{ours}"', f'name="{theirs}"')
    return text


def test_a_guest_with_other_names_gives_the_same_force(guest):
    file = guest(renamed)
    names = ",".join(f"{ours}={theirs}" for ours, theirs in NAMES.items())
    found = rows(bench("--peer", file, "--map", names))
    assert len(found) == 10
    for motion in ("stick", "slip", "reversal"):
        assert found[str(file), "step", motion] == found["LuGre", "step", motion]
    assert "--map frictionForce=its name" in refusal("--peer", file)


def test_a_guest_takes_the_parameters_of_lugre_by_name():
    names = "bristleStiffness=bristleDamping,bristleDamping=bristleStiffness"
    found = rows(bench("--peer", OURS, "--map", names))
    assert found[str(OURS), "step", "stick"] != found["LuGre", "step", "stick"]


@pytest.mark.parametrize(
    "element, kind, sentence",
    [
        ("ModelExchange", "step", "guest.fmu has no model exchange: its cycle is not measured."),
        ("CoSimulation", "cycle", "guest.fmu has no co-simulation: its steps are not measured."),
    ],
)
def test_a_guest_is_measured_by_what_it_has(guest, element, kind, sentence):
    run = bench("--peer", guest(without(element)))
    assert {row[1] for row in rows(run) if row[0] != "LuGre"} == {kind}
    assert sentence in run.stdout


def test_a_law_without_states_is_measured():
    found = rows(bench("--peer", FOLDER / "Coulomb.fmu"))
    assert {row[1] for row in found if row[0] != "LuGre"} == {"cycle", "step"}


def test_a_failed_measurement_is_reported_in_a_sentence(guest, tmp_path):
    text = tmp_path / "text.fmu"
    text.write_text("no FMU")
    assert "it is not a zip file" in refusal("--peer", text)
    assert "there is no FMU of this name" in refusal("--peer", tmp_path / "no.fmu")
    assert "cannot be used" in refusal("--peer", guest(lambda text: text[:200]))
    newer = guest(lambda text: text.replace('fmiVersion="2.0"', 'fmiVersion="3.0"'))
    assert "only 2.0 can be measured" in refusal("--peer", newer)
    other = guest(lambda text: text.replace('guid="', 'guid="x'))
    assert "cannot be instantiated: " in refusal("--peer", other)  # and why, by the FMU itself
    broken = guest(others=[("binaries/linux64/LuGre.so", b"broken")])
    assert "it cannot be measured" in refusal("--peer", broken)
    assert "is not our name=its name" in refusal("--peer", OURS, "--map", "v")
    assert "has no variable speed" in refusal("--peer", OURS, "--map", "speed=v")


def test_each_of_many_instances_takes_the_same_memory():
    sys.path.insert(0, str(REPOSITORY / "bench"))
    import peers

    found, _ = peers.read(OURS, "LuGre", {}, {})
    steps = next(peer for peer in found if peer.kind == "step")
    said = printed(BUILD / "bench", "scale", "1", steps.argument(BUILD))
    lines = [line.split("\t") for line in said.splitlines()]
    assert [(line[2], line[6]) for line in lines] == [
        *((str(10**i), "1") for i in range(6)),
        ("1000", "2"),
        *((str(10**i), "chain") for i in range(6)),
    ]
    assert len({line[7] for line in lines}) == 1
