"""Runs each test of an `fmu` over every FMU in the folder BRISTLE_FMUS (default: dist/).

A test for some FMUs only (models with states, with modes …) is marked
`@pytest.mark.fmus(predicate)`; the predicate takes the description, so no list of names is needed.
A test in models/test_<Model>.py without the mark runs with the FMU of this name.

The folder may hold a part of the collection. Tests that need all of it (`collection`, and those of
the tools, which take FMUs by their names) or all platforms (`platforms`) are then left out, unless
`--complete` requires everything.
"""

import gc
from collections import Counter

import pytest
from hypothesis import settings

import fmus
import operating_points
from fmi2 import CO_SIMULATION, MODEL_EXCHANGE
from fmus import COMPLETE, FMUS, FOLDER, PLATFORMS, TWINS

# Assertions of the shared checks show what they compared, like those of the tests.
pytest.register_assert_rewrite("friction_curves", "body_on_element", "prescribed")

settings.register_profile(
    "bristle", max_examples=60, deadline=None, derandomize=True, print_blob=True
)
settings.register_profile(
    "bristle again", settings.get_profile("bristle"), max_examples=15
)  # the points have already passed without a sanitizer

BATCH = 8  # tests: few, so that all workers finish at about the same time


def pytest_addoption(parser):
    parser.addoption("--only-fmus", action="store_true", help="only the tests that run an FMU")
    parser.addoption(
        "--complete", action="store_true", help="the folder has to hold all FMUs for all platforms"
    )


def pytest_configure(config):
    fmus.MUST_BE_COMPLETE = config.getoption("--complete")
    config.option.loadscopereorder = False  # the order is made below: long groups first
    operating_points.AGAIN = config.getoption("--only-fmus")
    settings.load_profile("bristle again" if operating_points.AGAIN else "bristle")
    if not FMUS:
        raise pytest.UsageError(f"no FMU in {FOLDER}: run ./build.sh first")


def pytest_generate_tests(metafunc):
    if "fmu" in metafunc.fixturenames:
        chosen, markers = FMUS, list(metafunc.definition.iter_markers("fmus"))
        for marker in markers:
            chosen = [fmu for fmu in chosen if marker.args[0](fmu.description)]
        file = metafunc.definition.path
        if file.parent.name == "models" and not markers:
            chosen = [fmu for fmu in chosen if file.stem == f"test_{fmu.name}"]
        metafunc.parametrize("fmu", chosen, ids=[fmu.name for fmu in chosen])
    if "twin" in metafunc.fixturenames:
        metafunc.parametrize("twin, model", TWINS, ids=[twin.name for twin, _ in TWINS])


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """Leaves out tests that concern no FMU in the folder, and orders the others. Tests that share
    an expensive fixture are a group; groups come first, the largest before all, so that no worker
    waits for them at the end. All others form batches of neighbours, which share their module's
    fixtures: sent one by one, thousands of tests would keep xdist's controller busy."""

    def wanted(item):
        if config.getoption("--only-fmus") and not {"fmu", "all_fmus", "twin"} & set(
            item.fixturenames
        ):
            return False
        return "NOTSET" not in item.name and not any(
            item.get_closest_marker(mark) for mark in impossible
        )

    held = {"collection": COMPLETE, "platforms": len(PLATFORMS) > 1}
    impossible = (
        []
        if config.getoption("--complete")
        else [mark for mark, is_held in held.items() if not is_held]
    )

    def group(item):
        marker = item.get_closest_marker("xdist_group")
        return marker and marker.args[0]

    sizes = Counter(map(group, items))
    items.sort(key=lambda item: -sizes[group(item)] if group(item) else 0)
    unwanted = [item for item in items if not wanted(item)]
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        items[:] = [item for item in items if wanted(item)]
    for i, item in enumerate(item for item in items if not group(item)):
        item.add_marker(pytest.mark.xdist_group(f"batch {i // BATCH}"))


def pytest_collection_finish():
    """Excludes the collected tests from garbage collection: they all live to the end."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter, config):
    if not (COMPLETE and len(PLATFORMS) > 1) and not config.getoption("--complete"):
        terminalreporter.write_line(
            f"{FOLDER} holds a part of the collection: tests that need more than it holds were left"
            " out."
        )


@pytest.fixture(scope="session")
def all_fmus():
    return FMUS


@pytest.fixture(params=[MODEL_EXCHANGE, CO_SIMULATION], ids=["ME", "CS"])
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def browser():
    from browsing import chromium  # only tests of pages need it

    with chromium() as browser:
        yield browser
