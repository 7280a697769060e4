"""The Windows binary runs: under Wine the same small importer prints the same numbers as here."""

import os
import shutil

import pytest

import hosting
from points import Sampler

pytestmark = [pytest.mark.xdist_group("windows"), pytest.mark.shipped]

# Short enough for explicit Euler to be stable for every model: an unstable one would amplify the last bit without bound.
STEPS, STEP, REPORT = 40000, 2e-6, 2000


def jobs_for(fmu, library):
    waves = hosting.natural_waves(Sampler(fmu.description, "windows"), fmu.description.starts())
    return [hosting.job(fmu, library, 0, STEPS, STEP, REPORT, waves), hosting.job(fmu, library, 1, 80, 1e-3, 4, waves)]


@pytest.fixture(scope="module")
def runs(all_fmus):
    """All FMUs in one process on either side: starting Wine is what takes long."""
    wine = shutil.which("wine64") or shutil.which("wine") or "/usr/lib/wine/wine64"
    if not os.path.exists(wine):
        if os.environ.get("CI") == "true":
            pytest.fail("wine64 is missing")
        pytest.skip("wine64 is missing: the Windows binary is not run")
    here, there = [], []
    for fmu in all_fmus:
        here += jobs_for(fmu, fmu.binary)
        dll = fmu.folder / "binaries" / "win64" / f"{fmu.description.identifier}.dll"
        there += jobs_for(fmu, "Z:" + str(dll).replace("/", "\\"))
    environment = {**os.environ, "WINEDEBUG": "-all", "WINEARCH": "win64", "DISPLAY": ""}
    linux = hosting.run(hosting.build(), here)
    windows = hosting.run(hosting.build(windows=True), there, before=[wine], environment=environment, timeout=300)
    return {fmu.name: (linux[2 * i:2 * i + 2], windows[2 * i:2 * i + 2]) for i, fmu in enumerate(all_fmus)}


@pytest.mark.parametrize("way, rounding", [(0, 1e-12), (1, 1e-9)], ids=["ME", "CS"])
def test_windows_gives_the_numbers_of_linux(fmu, runs, way, rounding):
    """Relative to the size each variable has during the run: the two C libraries round exp and sin differently in the last bit.

    In co-simulation that bit also moves the solver's step sizes, so what remains is small against its tolerance of 1e-6.
    """
    (here, ended), (there, ended_there) = (side[way] for side in runs[fmu.name])
    assert ended == ended_there
    assert len(here) == len(there) > 10
    sizes = [max(abs(row[i]) for row in here) for i in range(len(here[0]))]
    results = [v.reference for v in fmu.description.states + fmu.description.outputs]
    assert any(max(row[i] for row in here) > min(row[i] for row in here) for i in results), "the run must not be a standstill"
    for ours, theirs in zip(here, there):
        for one, two, size in zip(ours, theirs, sizes):
            assert abs(one - two) <= rounding * size
