"""The Windows binaries run: under Wine the same small importer prints the same numbers as on Linux,
for FMI 2.0 and 3.0."""

import os
import shutil
import zipfile

import pytest

import c_host
from fmus import FOLDER, Fmu
from operating_points import Sampler

import bristle

pytestmark = [pytest.mark.xdist_group("windows"), pytest.mark.shipped, pytest.mark.platforms]

# Short enough for explicit Euler to be stable for every model: an unstable one would amplify the
# last bit without bound.
STEPS, STEP, REPORT = 40000, 2e-6, 2000


ME, CS, CS_OF_3 = 0, 1, 3  # as named by the host


def has_vectors(description):
    return any(v.base for v in description.variables)


def libraries_of(fmu, platform, folder):
    """Returns the libraries by kind of run. That of 3.0 is unpacked into the folder, for elements
    without vectors, which the host does not support."""
    name = fmu.description.identifier
    suffix = "dll" if platform == "win64" else "so"
    library = fmu.folder / "binaries" / platform / f"{name}.{suffix}"
    found = {ME: library, CS: library}
    new = FOLDER / "fmi3" / fmu.path.name
    if new.exists() and not has_vectors(fmu.description):
        within = f"binaries/x86_64-{'windows' if suffix == 'dll' else 'linux'}/{name}.{suffix}"
        with zipfile.ZipFile(new) as archive:
            found[CS_OF_3] = archive.extract(within, folder / fmu.name)
    return found


def jobs_for(fmu, libraries, before=""):
    waves = c_host.natural_waves(Sampler(fmu.description, "windows"), fmu.description.starts())
    lengths = {ME: (STEPS, STEP, REPORT), CS: (80, 1e-3, 4), CS_OF_3: (80, 1e-3, 4)}
    return {
        (fmu.name, kind): c_host.job(
            fmu,
            before + str(file).replace("/", "\\" if before else "/"),
            kind,
            *lengths[kind],
            waves,
        )
        for kind, file in libraries.items()
    }


@pytest.fixture(scope="module")
def own(all_fmus):
    """Chooses an FMU, and other defaults for its first parameters."""
    base = next((fmu for fmu in all_fmus if fmu.name == "LuGre"), all_fmus[0])
    return base, {
        v.name: v.clipped(0.99 * v.start) for v in base.description.tunable_parameters[:3]
    }


@pytest.fixture(scope="module")
def stamped(own, tmp_path_factory):
    """Stamps that FMU: its library gets the defaults without a compiler."""
    base, values = own
    return Fmu(
        bristle.stamp(base.path, values, "Own", tmp_path_factory.mktemp("stamp") / "Own.fmu")
    )


@pytest.fixture(scope="module")
def runs(all_fmus, stamped, tmp_path_factory):
    """Runs all FMUs in one process on either side: starting Wine takes long."""
    wine = shutil.which("wine64") or shutil.which("wine") or "/usr/lib/wine/wine64"
    if not os.path.exists(wine):
        if os.environ.get("CI") == "true":
            pytest.fail("wine64 is missing")
        pytest.skip("wine64 is missing: the Windows binary is not run")
    folder = tmp_path_factory.mktemp("fmi3")
    here, there = {}, {}
    for fmu in (*all_fmus, stamped):
        here |= jobs_for(fmu, libraries_of(fmu, "linux64", folder))
        there |= jobs_for(fmu, libraries_of(fmu, "win64", folder), "Z:")
    environment = {**os.environ, "WINEDEBUG": "-all", "WINEARCH": "win64", "DISPLAY": ""}
    linux = c_host.run(c_host.build(), here.values())
    windows = c_host.run(
        c_host.build(windows=True),
        there.values(),
        before=[wine],
        environment=environment,
        timeout=300,
    )
    return dict(zip(here, zip(linux, windows, strict=True), strict=True))


# In co-simulation the last bit also changes the solver's step sizes. Only one model shows it:
# 2e-11, small compared with the solver's tolerance of 1e-6.
STEP_SIZES_SHOW = {"SecondOrderBristle": 1e-10}


def check_same_numbers(fmu, runs, kind):
    """Compares to 1e-12 of the magnitude of each variable in the run: the two C libraries round exp
    and sin differently in the last bit."""
    rounding = 1e-12 if kind == ME else STEP_SIZES_SHOW.get(fmu.name, 1e-12)
    (here, ended), (there, ended_there) = runs[fmu.name, kind]
    assert ended == ended_there
    assert len(here) == len(there) > 10
    sizes = [max(abs(row[i]) for row in here) for i in range(len(here[0]))]
    results = [v.reference for v in fmu.description.states + fmu.description.outputs]
    assert any(max(row[i] for row in here) > min(row[i] for row in here) for i in results), (
        "something must move in the run"
    )
    for ours, theirs in zip(here, there):
        for one, two, size in zip(ours, theirs, sizes):
            assert abs(one - two) <= rounding * size


@pytest.mark.parametrize("kind", [ME, CS], ids=["ME", "CS"])
def test_windows_gives_the_numbers_of_linux(fmu, runs, kind):
    check_same_numbers(fmu, runs, kind)


@pytest.mark.fmus(lambda d: not has_vectors(d))
def test_windows_gives_the_numbers_of_linux_in_3_0_too(fmu, runs):
    check_same_numbers(fmu, runs, CS_OF_3)


def test_a_stamped_fmu_has_its_own_values_on_windows_too(own, stamped, runs):
    base, values = own
    assert any(value != base.description[name].start for name, value in values.items())
    for kind in (ME, CS):
        (here, _), (there, _) = runs["Own", kind]
        for name, value in values.items():
            reference = stamped.description[name].reference
            assert here[0][reference] == there[0][reference] == value
