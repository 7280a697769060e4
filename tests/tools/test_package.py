"""The wheel: one for all platforms, sufficient on a machine with only Python and numpy."""

import json
import os
import sys
import zipfile
from pathlib import Path

import numpy
import pytest

from commands import completed, printed
from fmus import FOLDER, REPOSITORY, need_all_fmus

need_all_fmus()

pytestmark = [pytest.mark.shipped, pytest.mark.xdist_group("wheel")]
FILES = sorted(FOLDER.glob("*.fmu"))
ALONE = [sys.executable, "-S"]  # without site-packages
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Returns the wheel beside the FMUs; a build for one platform has none, so one is made from its
    files."""
    found = list(FOLDER.glob("*.whl"))
    if found:
        return found[0]
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "python"):
        (source / name).symlink_to(REPOSITORY / name)
    printed(
        *PIP,
        *"wheel --no-build-isolation --no-deps --no-index --wheel-dir".split(),
        folder,
        source,
        env={**os.environ, "BRISTLE_DIST": str(FOLDER)},
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    printed(*PIP, "install", "--no-index", "--no-deps", "--no-compile", "--target", folder, wheel)
    for part in Path(numpy.__file__).parent.parent.glob("numpy*"):
        (folder / part.name).symlink_to(part)
    return folder


@pytest.fixture
def anywhere(installed, tmp_path):
    """Returns folder and environment of Python with the installed wheel and numpy, outside the
    checkout; the tests start it with -S, so that it finds no other package."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("BRISTLE_")
    }
    return {
        "cwd": tmp_path,
        "env": {**environment, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"},
    }


def test_the_wheel_has_every_fmu_unchanged(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        for file in FILES:
            assert archive.read(f"bristle/data/{file.name}") == file.read_bytes()
            other = file.parent / "fmi3" / file.name
            assert archive.read(f"bristle/data/fmi3/{file.name}") == other.read_bytes()
        for file in FOLDER.glob("playground/*"):
            assert archive.read(f"bristle/data/playground/{file.name}") == file.read_bytes()
        libraries = {name for name in archive.namelist() if name.startswith("bristle/data/runner/")}
    assert libraries == {
        f"bristle/data/{file.relative_to(FOLDER).as_posix()}"
        for file in FOLDER.glob("runner/*/*")
        if file.suffix != ".lib"
    }
    assert {Path(name).stem for name in libraries} == {"runner", "systems"}
    assert wheel.stat().st_size < 40_000_000


def test_the_wheel_has_the_package_of_users_and_nothing_else(wheel):
    source = REPOSITORY / "python"
    files = {
        file.relative_to(source).as_posix()
        for file in source.rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    }
    with zipfile.ZipFile(wheel) as archive:
        names = {
            name
            for name in archive.namelist()
            if not name.startswith("bristle/data/") and ".dist-info/" not in name
        }
    assert names == files and "bristle/py.typed" in files


def test_the_installed_package_finds_and_runs_its_own_fmus(anywhere, installed):
    program = (
        "import bristle, numpy\nt = numpy.linspace(0, 0.1, 11)\nprint(bristle.__file__,"
        " bristle.fmu('LuGre'), *bristle.models(), sep='\\n')\nprint(bristle.run('LuGre', t,"
        " {'relativeVelocity': 0.02}, outputs=['frictionForce'])['frictionForce'][-1])\n"
    )
    package, file, *models, force = printed(*ALONE, "-c", program, **anywhere).splitlines()
    assert Path(package) == installed / "bristle" / "__init__.py"
    assert Path(file) == installed / "bristle" / "data" / "LuGre.fmu"
    assert models == [file.stem for file in FILES]
    assert float(force) == pytest.approx(
        3.34, abs=0.01
    )  # dynamic friction under 9.81 N, and slightly above it


def test_the_installed_command_works(anywhere, installed):
    command = [*ALONE, installed / "bin" / "bristle"]
    assert printed(*command, "--version", **anywhere).startswith("bristle ")
    listed = json.loads(printed(*command, "list", "--json", **anywhere))
    assert [one["name"] for one in listed] == [file.stem for file in FILES]
    assert printed(*command, "show", "LuGre", **anywhere).startswith("LuGre: ")
    if (FOLDER / "playground").is_dir():
        opened = printed(*command, "playground", env={**anywhere["env"], "BROWSER": "true"})
        page = installed / "bristle" / "data" / "playground" / "index.html"
        assert opened.split() == [page.as_uri()]
    rows = printed(
        *command,
        *"run LuGre --set relativeVelocity=0.02 --stop 0.1 --interval 0.01".split(),
        **anywhere,
    ).splitlines()
    assert len(rows) == 12


def test_every_command_shows_its_help_with_numpy_alone(anywhere):
    program = (
        "from bristle import cli\n"
        "for words in ([], *([name] for name in cli.names())):\n"
        "    try:\n"
        "        cli.main([*words, '--help'])\n"
        "    except SystemExit as end:\n"
        "        assert end.code == 0, words\n"
        "    else:\n"
        "        raise AssertionError(words)\n"
    )
    printed(*ALONE, "-c", program, **anywhere)


def test_commands_that_need_only_numpy_work_with_numpy_alone(anywhere, tmp_path):
    printed(
        *ALONE,
        *"-m bristle suggest LuGre --mass 2 --deflection 2e-5 -o first.ssv".split(),
        **anywhere,
    )
    printed(
        *ALONE,
        *"-m bristle stamp LuGre --ssv first.ssv --name Mine -o Mine.fmu".split(),
        **anywhere,
    )
    assert {file.name for file in tmp_path.iterdir()} == {"first.ssv", "Mine.fmu"}


def test_a_package_that_is_missing_is_named(anywhere, wheel, tmp_path):
    """Only sampling a sweep needs one: numpy is enough for everything else."""
    over = ["--over", "staticFriction=0.1:0.5", "--sample", "sobol", "--count", "4"]
    words = ["sweep", "belt", "LuGre", *over, "-o", "x.csv"]
    sentence = 'this needs the package scipy: pip install "{wheel}[sweep]".'
    done = completed(*ALONE, "-m", "bristle", *words, **anywhere)
    assert (done.returncode, done.stderr) == (2, f"bristle: {sentence.format(wheel=wheel.name)}\n")
    assert list(tmp_path.iterdir()) == []
