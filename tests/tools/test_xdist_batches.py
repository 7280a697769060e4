"""The workers of a check take all tests, each once."""

import os
import subprocess
import sys
from collections import Counter

from fmus import REPOSITORY

CONFTEST = """
def pytest_xdist_make_scheduler(config, log):
    from xdist_batches import Batches
    return Batches(config, log)
"""
TESTS = """
import os, pytest
from pathlib import Path

def note(name):
    with open(Path(__file__).parent / f"{name} {os.environ['PYTEST_XDIST_WORKER']}", "a") as file:
        file.write("x")

@pytest.mark.xdist_group("shared")
@pytest.mark.parametrize("i", range(7))
def test_grouped(i):
    note(f"grouped {i}")

@pytest.mark.parametrize("i", range(31))
def test_single(i):
    note(f"single {i}")
"""


def test_every_test_is_run_once_and_groups_stay_together(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_all.py").write_text(TESTS)
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY / "tests" / "support")}
    environment.pop("PYTEST_XDIST_WORKER", None)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "2",
        "--dist",
        "loadgroup",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        tmp_path,
        tmp_path,
    ]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "38 passed" in done.stdout, done.stdout
    ran = [(*path.name.rsplit(" ", 1), path.read_text()) for path in tmp_path.glob("* *")]
    names = Counter(name for name, _, _ in ran)
    assert set(names) == {*(f"grouped {i}" for i in range(7)), *(f"single {i}" for i in range(31))}
    assert set(names.values()) == {1} and {times for _, _, times in ran} == {"x"}
    assert len({worker for name, worker, _ in ran if name.startswith("grouped")}) == 1
