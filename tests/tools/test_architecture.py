"""ARCHITECTURE.md and docs/adding-a-model.md are true: the example makes an FMU, a model is added
without editing a list, and contract and keys are as documented."""

import ast
import json
import os
import re
import shlex
import shutil
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu

from commands import completed, printed
from fmus import REPOSITORY

OWN = REPOSITORY / "tests" / "support" / "own_models"
ADDED = ["ViscousCoulomb", "LaggingCoulomb", "PivotBristle"]
WITH_OUR_TOOLS = {
    **os.environ,
    "PATH": f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}",
}


@pytest.fixture(scope="module")
def enlarged(tmp_path_factory):
    """Copies the repository, adds the walked example and two more models, and builds only these, as
    when adding one."""
    folder = tmp_path_factory.mktemp("enlarged")
    text = (REPOSITORY / "docs" / "adding-a-model.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"^`(\S+)`\n\n```\w+\n(.*?)^```", text, re.M | re.S))
    assert list(files) == [
        "modelDescription/ViscousCoulomb.toml",
        "fmu_src/models/ViscousCoulomb.c",
        "tests/support/reference/ViscousCoulomb.py",
    ]
    for name in "modelDescription fmu_src generator python cmake resources runner tests".split():
        shutil.copytree(
            REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("CMakeLists.txt", "LICENSE"):
        shutil.copy(REPOSITORY / name, folder / name)
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    for file in OWN.glob("[A-Z]*"):
        shutil.copy(
            file, folder / ("modelDescription" if file.suffix == ".toml" else "fmu_src/models")
        )
    with open(
        folder / "modelDescription" / "shared" / "units.toml", "a", encoding="utf-8"
    ) as units:
        units.write("\n" + (OWN / "units.toml").read_text(encoding="utf-8"))
    options = [f"-DPython3_EXECUTABLE={sys.executable}", "-DBRISTLE_PLAYGROUND=OFF"]
    configure = ["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DBRISTLE_PLATFORMS=linux64"]
    build = ["cmake", "--build", "build", "--target", *ADDED]
    for command in ([*configure, *options], build):
        printed(*command, cwd=folder, env=WITH_OUR_TOOLS)
    return folder


@pytest.mark.shipped
@pytest.mark.xdist_group("enlarged")
def test_the_walked_example_builds_and_runs(enlarged):
    fmu = str(enlarged / "dist" / "ViscousCoulomb.fmu")
    assert validate_fmu(fmu) == []
    result = simulate_fmu(
        fmu,
        start_values={"relativeVelocity": 0.5, "normalForce": 10.0, "viscousFriction": 2.0},
        stop_time=0.1,
        output=["frictionForce"],
    )
    assert result["frictionForce"][-1] == pytest.approx(
        10 * (0.3 + 2 * 0.5), rel=1e-12
    )  # tanh(500) is 1


# The tests of names, units, sets or other models. All others use only the description of an FMU.
LOOKING_AROUND = (
    "description heat importers laws limits parameter_sets passivity preload reference twins"
).split()


@pytest.mark.shipped
@pytest.mark.xdist_group("enlarged")
def test_an_added_model_passes_without_editing_a_test(enlarged):
    """One that is not passive, with a unit and an input that no other has, and one that turns;
    nothing else is built."""
    files = [f"tests/every_fmu/test_{name}.py" for name in LOOKING_AROUND]
    environment = {
        **os.environ,
        "BRISTLE_FMUS": str(enlarged / "dist"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    said = printed(*command, *files, cwd=enlarged, env=environment)
    assert "holds a part of the collection" in said


@pytest.mark.shipped
@pytest.mark.xdist_group("enlarged")
def test_a_mistake_is_shown_last_and_below_little_else(enlarged):
    """ninja shows the failed command above its output: one output and a short command."""
    description = enlarged / "modelDescription" / "PivotBristle.toml"
    text = description.read_text(encoding="utf-8")
    description.write_text(text.replace("[[equations]]", "[[equation]]"), encoding="utf-8")
    result = completed("cmake", "--build", "build", "--target", "PivotBristle", cwd=enlarged)
    description.write_text(text, encoding="utf-8")
    *_, echo, sentence, end = result.stdout.splitlines()
    assert re.fullmatch(
        r"generator: .*PivotBristle.toml: equation: unknown key.*", sentence
    ) and end.startswith("ninja: ")
    assert len(echo.replace(str(enlarged), "")) < 600


@pytest.mark.shipped
@pytest.mark.xdist_group("enlarged")
def test_an_editor_finds_how_a_model_is_compiled(enlarged):
    entries = {
        Path(entry["file"]).relative_to(enlarged).as_posix(): entry
        for entry in json.loads((enlarged / "build" / "compile_commands.json").read_text())
    }
    for file in ("fmu_src/models/ViscousCoulomb.c", "build/generated/ViscousCoulomb/fmu.c"):
        command = [*shlex.split(entries[file]["command"]), "-fsyntax-only"]
        result = completed(*command, cwd=entries[file]["directory"])
        assert result.returncode == 0 and result.stderr == "", result.stderr


@pytest.mark.shipped
@pytest.mark.xdist_group("enlarged")
def test_a_model_is_built_for_a_debugger(enlarged):
    """As in CONTRIBUTING.md, with the compiler of the machine."""
    shutil.copy(REPOSITORY / "CMakePresets.json", enlarged)
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    commands = re.search(
        r"^(cmake --preset debug) && (cmake --build --preset debug --target) LuGre", text, re.M
    ).groups()
    for command, words in zip(
        commands,
        (
            [f"-DPython3_EXECUTABLE={sys.executable}", "-DBRISTLE_PLAYGROUND=OFF"],
            ["ViscousCoulomb"],
        ),
    ):
        printed(*command.split(), *words, cwd=enlarged, env=WITH_OUR_TOOLS)
    with zipfile.ZipFile(enlarged / "build" / "debug" / "dist" / "ViscousCoulomb.fmu") as archive:
        archive.extract("binaries/linux64/ViscousCoulomb.so", enlarged)
    library = enlarged / "binaries" / "linux64" / "ViscousCoulomb.so"
    listing = printed("objdump", "--syms", "--section-headers", library)
    assert ".debug_info" in listing and re.search(r"F \.text.* evaluate$", listing, re.M)


def test_the_documented_contract_is_the_one_that_is_checked():
    from generator.contract import CONTRACT

    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    documented = re.findall(
        r"^(static .*\));", text.partition("## The contract of a model")[2].partition("##")[0], re.M
    )
    assert documented == list(CONTRACT.values())


def test_every_key_of_a_description_is_documented():
    from generator.reading.keys import EQUATION_KEYS, EXPERIMENT_KEYS, TABLE_KEYS, TOP_KEYS

    text = (REPOSITORY / "docs" / "adding-a-model.md").read_text(encoding="utf-8")
    documented = text.partition("## The keys of a description")[2].partition("##")[0]
    keys = [
        *TOP_KEYS,
        *EXPERIMENT_KEYS,
        *EQUATION_KEYS,
        *(key for keys in TABLE_KEYS.values() for key in keys),
    ]
    missing = {
        key
        for key in keys
        if f"`{key}`" not in documented
        and f"[{key}." not in documented
        and f"[[{key}]]" not in documented
    }
    assert not missing


# ---- the arrows between the Python packages ----

PLACES = {
    "bristle": "python",
    "generator": "",
    "bristle_site": "site",
}  # folder of each package


def modules(package):
    """Lists all modules of a package with their files."""
    root = REPOSITORY / PLACES[package]
    files = sorted((root / package).rglob("*.py"))
    return {
        ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
    }


def imported(module, file):
    """Yields what a module imports, anywhere in it: packages and modules by their full names."""
    package = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            known = modules(source.split(".")[0]) if source.split(".")[0] in PLACES else {}
            yield from (
                f"{source}.{one.name}" if f"{source}.{one.name}" in known else source
                for one in node.names
            )


def below(name, parts):
    return any(name == part or name.startswith(f"{part}.") for part in parts)


def arrows(user):
    """Lists the imports of a part of a package: module and imported name."""
    return [
        (module, name)
        for module, file in modules(user.split(".")[0]).items()
        if below(module, [user])
        for name in imported(module, file)
    ]


OURS = [*PLACES, "mutation", "tests", "bench", "rig", "runner", "playground"]


@pytest.mark.parametrize(
    "user, used",
    [
        ("bristle", ["bristle"]),
        ("generator", ["generator", "bristle.format", "bristle.cli"]),
        ("bristle_site", [*PLACES, "rig"]),
        ("bristle.format", ["bristle.format", "bristle.cli.files"]),
        ("bristle.pages", ["bristle.pages"]),
    ],
)
def test_an_arrow_between_python_packages_points_one_way(user, used):
    """Installed code imports neither generator nor site, the generator only the format of FMUs and
    the command line, and nothing imports the site."""
    found = arrows(user)
    assert found
    wrong = [
        f"{module} imports {name}"
        for module, name in found
        if below(name, OURS) and name != "bristle" and not below(name, used)
    ]
    assert not wrong


LAYERS = {  # layers of the C, and what each may include beside itself; "" is generated code
    "common": [],
    "solver": [],
    "models": ["common", ""],
    "core": [],
    "fmi2": ["headers"],
    "fmi3": ["headers"],
}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_of_the_c_knows_none_above_it(layer):
    """The generated unit includes all of them. What versions share includes none of them; a version
    does not include the other."""
    versions = [name for name in ("fmi2", "fmi3") if name != layer]
    for file in sorted((REPOSITORY / "fmu_src" / layer).iterdir()):
        text = file.read_text(encoding="utf-8")
        for name in re.findall(r'#include "([^"]+)"', text):
            folder = name.rpartition("/")[0]
            assert folder == layer or folder in LAYERS[layer], f"{file.name} includes {name}"
        assert not [name for name in versions if name in text], file.name


def test_what_runs_fmus_does_not_know_its_applications():
    """Each of these may use those before it; everything else in the package uses none of them,
    except that the command line finds its commands."""
    applications = ["bristle.identify", "bristle.sweep", "bristle.cli.commands"]

    def rank(name):
        return next((i for i, one in enumerate(applications, 1) if below(name, [one])), 0)

    wrong = [
        f"{module} imports {name}"
        for module, name in arrows("bristle")
        if module != "bristle.cli" and rank(name) > rank(module)
    ]
    assert not wrong


def test_the_installed_package_needs_what_it_declares():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [need for needs in project["optional-dependencies"].values() for need in needs]
    needs = {re.match(r"\w+", need)[0] for need in [*project["dependencies"], *extras]}
    foreign = (
        {name.split(".")[0] for _, name in arrows("bristle")}
        - set(sys.stdlib_module_names)
        - {"bristle"}
    )
    assert foreign == needs


def test_no_package_takes_the_name_of_a_module_of_python():
    """The folder site/ is no package: one of this name would hide Python's module site."""
    folders = [file.parent for file in REPOSITORY.glob("*/__init__.py")] + [
        file.parent for file in REPOSITORY.glob("*/*/__init__.py")
    ]
    top = {folder.name for folder in folders if not (folder.parent / "__init__.py").is_file()}
    assert set(PLACES) <= top and not top & set(sys.stdlib_module_names)
