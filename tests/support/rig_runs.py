"""Calls the rig in this process. The rig is build/rig/rig or what BRISTLE_RIG names. If it is not
built the tests that need it are skipped, except with CI=true."""

import csv
import os
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from fmus import FMUS, REPOSITORY, TWINS, need_all_fmus

RIG = Path(os.environ.get("BRISTLE_RIG", REPOSITORY / "build" / "rig" / "rig"))
PRESENT = {fmu.name: fmu for fmu in [*FMUS, *(twin for twin, _ in TWINS)]}

if not RIG.exists():
    if os.environ.get("CI") == "true":
        raise RuntimeError(
            f"{RIG} is not there: cmake -S rig -B build/rig && cmake --build build/rig"
        )
    pytest.skip(f"{RIG} is not built", allow_module_level=True)

need_all_fmus()
NEEDS_TWINS = pytest.mark.skipif(not TWINS, reason="needs twins")

from bristle_site.report.rig import rig_of  # noqa: E402
from rig.command import main  # noqa: E402


def call(*arguments, cwd="."):
    """Calls the command; returns its output and exit code."""
    with chdir(cwd), redirect_stdout(StringIO()) as said, redirect_stderr(StringIO()) as warned:
        code = main(RIG, [str(word) for word in arguments])
    return CompletedProcess(arguments, code, said.getvalue(), warned.getvalue())


def simulate(system, *models, options=()):
    """Simulates a system; returns the columns of the results by model."""
    files = [PRESENT[model].path for model in models]
    return rig_of(RIG).results([str(word) for word in (system, *files, *options)])


def read_csv(path):
    """Reads the columns of a file of results by model, without those that a model lacks."""
    rows = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault(row.pop("model"), []).append(row)
    return {
        model: {
            name: np.array([float(row[name]) for row in some]) for name in some[0] if some[0][name]
        }
        for model, some in rows.items()
    }
