"""The wheel: one for all platforms, enough by itself on a machine that has Python and numpy only."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fmus import FOLDER, REPOSITORY

pytestmark = [pytest.mark.shipped, pytest.mark.xdist_group("wheel")]
FILES = sorted(FOLDER.glob("*.fmu"))
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The one beside the FMUs; a build for one platform has none, so it is made of what is there."""
    found = list(FOLDER.glob("*.whl"))
    if found:
        return found[0]
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "tools"):
        (source / name).symlink_to(REPOSITORY / name)
    run(*PIP, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder, source, env={**os.environ, "BRISTLE_DIST": str(FOLDER)})
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    run(*PIP, "install", "--no-index", "--no-deps", "--no-compile", "--target", folder, wheel)
    return folder


@pytest.fixture
def anywhere(installed, tmp_path):
    """Python with the installed wheel, far from the checkout."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BRISTLE_")}
    return {"cwd": tmp_path, "env": {**environment, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}}


def test_the_wheel_has_every_fmu_as_it_is(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        for file in FILES:
            assert archive.read(f"bristle/data/{file.name}") == file.read_bytes()
        libraries = {name for name in archive.namelist() if name.startswith("bristle/data/runner/")}
    assert libraries == {f"bristle/data/{file.relative_to(FOLDER).as_posix()}" for file in FOLDER.glob("runner/*/runner.*") if file.suffix != ".lib"}


def test_the_installed_package_finds_and_runs_its_own_fmus(anywhere, installed):
    program = (
        "import bristle, numpy\n"
        "t = numpy.linspace(0, 0.1, 11)\n"
        "print(bristle.__file__, bristle.fmu('LuGre'), *bristle.models(), sep='\\n')\n"
        "print(bristle.run('LuGre', t, {'relativeVelocity': 0.02}, outputs=['frictionForce'])['frictionForce'][-1])\n"
    )
    package, file, *models, force = run(sys.executable, "-c", program, **anywhere).splitlines()
    assert Path(package) == installed / "bristle" / "__init__.py"
    assert Path(file) == installed / "bristle" / "data" / "LuGre.fmu"
    assert models == [file.stem for file in FILES]
    assert float(force) == pytest.approx(3.34, abs=0.01)  # dynamic friction under 9.81 N, and a little above it


def test_the_installed_command_works(anywhere, installed):
    command = installed / "bin" / "bristle"
    assert run(command, "--version", **anywhere).startswith("bristle ")
    assert len(run(command, "list", **anywhere).splitlines()) == len(FILES)
    rows = run(command, "run", "LuGre", "--set", "relativeVelocity=0.02", "--stop", "0.1", "--interval", "0.01", **anywhere).splitlines()
    assert len(rows) == 12


def test_a_package_that_is_missing_is_named(anywhere, tmp_path):
    """pycparser is hidden by one that fails as if it were not there."""
    hiding = tmp_path / "pycparser.py"
    hiding.write_text("raise ModuleNotFoundError('gone', name='pycparser')", encoding="utf-8")
    environment = {**anywhere["env"], "PYTHONPATH": f"{tmp_path}{os.pathsep}{anywhere['env']['PYTHONPATH']}"}
    words = ["generate", "x.toml", "--out", "x", "--fmi-include", "x"]
    done = subprocess.run([sys.executable, "-m", "bristle", *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, 'bristle: bristle generate needs the Python package pycparser: pip install "bristle[build]".\n')
