"""Finds every FMU in the folder BRISTLE_FMUS (default: dist/) and runs each test of an `fmu` over all of them.

A test that only makes sense for some (models with states, with modes …) says so by `@pytest.mark.fmus(predicate)`; the predicate sees
the description, never a list of names.
"""

import atexit
import os
import shutil
import tempfile
import zipfile
from functools import cached_property
from pathlib import Path

import pytest
from hypothesis import settings

from description import Description
from fmi2 import CO_SIMULATION, MODEL_EXCHANGE, Instance, Library

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("BRISTLE_FMUS", REPOSITORY / "dist")).resolve()

# The shared checks say what they compared, like the tests themselves.
pytest.register_assert_rewrite("curves", "mass", "prescribed")

settings.register_profile("bristle", max_examples=60, deadline=None, derandomize=True, print_blob=True)
settings.load_profile("bristle")


class Fmu:
    """One FMU file, unpacked on first use."""

    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.description = Description(path)

    @cached_property
    def folder(self):
        folder = Path(tempfile.mkdtemp(prefix=f"{self.name}-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        with zipfile.ZipFile(self.path) as archive:
            archive.extractall(folder)
        return folder

    @property
    def binary(self):
        return self.folder / "binaries" / "linux64" / f"{self.description.identifier}.so"

    @property
    def resource_location(self):
        return (self.folder / "resources").as_uri()

    @cached_property
    def library(self):
        return Library(self.binary)

    def model_exchange(self, **options):
        return Instance(self, MODEL_EXCHANGE, **options)

    def co_simulation(self, **options):
        return Instance(self, CO_SIMULATION, **options)

    def instance(self, kind, **options):
        return Instance(self, kind, **options)

    def __repr__(self):
        return self.name


TWIN_SUFFIXES = [file.stem for file in sorted((REPOSITORY / "modelDescription" / "twins").glob("*.toml"))]


def _twin_of(name):
    """The model whose twin has this name; None where it is no twin."""
    return next((name.removesuffix(suffix) for suffix in TWIN_SUFFIXES if name.endswith(suffix)), None)


# Twins are proven by their relation to their models (test_twins.py), not by running everything twice.
_ALL = [Fmu(path) for path in sorted(FOLDER.glob("*.fmu"))]
FMUS = [fmu for fmu in _ALL if _twin_of(fmu.name) is None]
TWINS = [(fmu, next(model for model in FMUS if model.name == _twin_of(fmu.name))) for fmu in _ALL if _twin_of(fmu.name)]


def pytest_addoption(parser):
    parser.addoption("--only-fmus", action="store_true", help="only the tests that run an FMU")


def pytest_configure():
    if not FMUS:
        raise pytest.UsageError(f"no FMU in {FOLDER}: run ./build.sh first")


def pytest_generate_tests(metafunc):
    if "fmu" in metafunc.fixturenames:
        chosen = FMUS
        for marker in metafunc.definition.iter_markers("fmus"):
            chosen = [fmu for fmu in chosen if marker.args[0](fmu.description)]
        metafunc.parametrize("fmu", chosen, ids=[fmu.name for fmu in chosen])


    if "twin" in metafunc.fixturenames:
        metafunc.parametrize("twin, model", TWINS, ids=[twin.name for twin, _ in TWINS])


def pytest_collection_modifyitems(config, items):
    """A test that no FMU in the folder is concerned by is not a skipped test: it is none. Groups, which share something that takes long to
    make, come first, so that nobody waits for them in the end."""
    def wanted(item):
        if config.getoption("--only-fmus") and not {"fmu", "all_fmus", "twin"} & set(item.fixturenames):
            return False
        return "NOTSET" not in item.name

    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)
    unwanted = [item for item in items if not wanted(item)]
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        items[:] = [item for item in items if wanted(item)]


@pytest.fixture(scope="session")
def all_fmus():
    return FMUS


@pytest.fixture(params=[MODEL_EXCHANGE, CO_SIMULATION], ids=["ME", "CS"])
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def browser():
    from browsing import chromium  # only those who look at pages need it

    with chromium() as browser:
        yield browser
