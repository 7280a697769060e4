"""The example in ARCHITECTURE.md is true: its two files make an FMU."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu

from fmus import REPOSITORY


@pytest.mark.shipped
def test_the_walked_example_builds_and_runs(tmp_path):
    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    files = re.findall(r"^`(\S+)`\n\n```\w+\n(.*?)^```", text, re.M | re.S)
    assert [name for name, _ in files] == ["modelDescription/ViscousCoulomb.toml", "fmu_src/models/ViscousCoulomb.c"]
    for folder in ("modelDescription/shared", "fmu_src", "tools", "cmake", "resources", "runner"):
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("CMakeLists.txt", "LICENSE"):
        shutil.copy(REPOSITORY / name, tmp_path / name)
    for name, content in files:
        (tmp_path / name).write_text(content, encoding="utf-8")
    environment = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"}
    for command in (
        ["cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DPython3_EXECUTABLE={sys.executable}", "-DBRISTLE_PLATFORMS=linux64", "-DBRISTLE_PLAYGROUND=OFF"],
        ["cmake", "--build", "build"],
    ):
        result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
    fmu = str(tmp_path / "dist" / "ViscousCoulomb.fmu")
    assert validate_fmu(fmu) == []
    result = simulate_fmu(fmu, start_values={"relativeVelocity": 0.5, "normalForce": 10.0}, stop_time=0.1, output=["frictionForce"])
    assert result["frictionForce"][-1] == pytest.approx(10 * (0.3 + 2 * 0.5), rel=1e-12)  # tanh(500) is 1


def test_the_contract_that_is_told_is_the_one_that_is_checked():
    sys.path.insert(0, str(REPOSITORY / "tools"))
    from bristle.contract import CONTRACT

    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    told = re.findall(r"^(static .*\));", text.partition("## The contract of a model")[2].partition("##")[0], re.M)
    assert told == list(CONTRACT.values())


def test_every_key_of_a_description_is_told():
    sys.path.insert(0, str(REPOSITORY / "tools"))
    from bristle.reading import EQUATION_KEYS, EXPERIMENT_KEYS, TABLE_KEYS, TOP_KEYS

    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    told = text.partition("### The keys of a description")[2].partition("###")[0]
    keys = [*TOP_KEYS, *EXPERIMENT_KEYS, *EQUATION_KEYS, *(key for keys in TABLE_KEYS.values() for key in keys)]
    missing = {key for key in keys if f"`{key}`" not in told and f"[{key}." not in told and f"[[{key}]]" not in told}
    assert not missing
