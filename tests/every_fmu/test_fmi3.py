"""The FMUs of FMI 3.0 beside those of 2.0: same description, same runs, and conforming to the
standard."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu
from lxml import etree

import bristle
from bristle.format.archive import contents
from bristle.format.hosting import instance
from bristle.format.references import FOLDER, in_vectors, references
from bristle.native import library_of
from build_cache import compiled
from commands import printed
from fmus import FOLDER as FMUS, files_of
from fmus import PLATFORMS
from operating_points import Sampler
from test_binaries import LINKERS_OWN, commands_of_mach_o, exports_of_pe

pytestmark = pytest.mark.shipped

FMPY = Path(fmpy.__file__).parent
SCHEMAS = {
    "modelDescription.xml": "ModelDescription",
    "sources/buildDescription.xml": "BuildDescription",
    "terminalsAndIcons/terminalsAndIcons.xml": "TerminalsAndIcons",
}
NAMES = set(
    re.findall(
        r"^FMI3_Export \w+\s+(fmi3\w+);", (FMPY / "c-code" / "fmi3Functions.h").read_text(), re.M
    )
)
FILES = sorted((FMUS / "fmi3").glob("*.fmu"))
NAMED_IN_3 = {
    "linux64": {"x86_64-linux"},
    "win64": {"x86_64-windows"},
    "darwin64": {"x86_64-darwin", "aarch64-darwin"},
}
each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def older(file):
    """Returns the FMU of FMI 2.0 of the same element."""
    return file.parents[1] / file.name


@cache
def schema(name):
    return etree.XMLSchema(file=str(FMPY / "schema" / "fmi3" / f"fmi3{name}.xsd"))


def test_there_is_one_of_each():
    assert [file.name for file in FILES] == sorted(file.name for file in FMUS.glob("*.fmu"))


@each_file
def test_it_is_valid(file):
    assert validate_fmu(str(file)) == []
    content = files_of(file)
    for name, kind in SCHEMAS.items():
        schema(kind).assertValid(etree.fromstring(content[name]))


@each_file
def test_its_description_is_that_of_2(file):
    """Names, texts, units, ranges, start values and value references, scalar by scalar; 3.0 also
    declares what may change in a run."""
    new, old = bristle.describe(file), bristle.describe(older(file))
    assert (new.version, old.version) == (3, 2)
    assert [replace(one, variability="") for one in new.variables] == [
        replace(one, variability="") for one in old.variables
    ]
    starts = {f"{state.base}Start" for state in new.states}
    for one in new.parameters:
        tunable = one.is_real and one.base not in starts
        assert one.variability == ("tunable" if tunable else "fixed"), one.name
    assert (new.name, new.title, new.guid, new.identifier, new.indicators) == (
        (old.name, old.title, old.guid, old.identifier, old.indicators)
    )


@each_file
def test_a_vector_is_one_variable(file):
    old, new = bristle.describe(older(file)), read_model_description(str(file))
    sizes = {v.name: v.dimensions[0].start if v.dimensions else 1 for v in new.modelVariables}
    counts = {}
    for one in old.variables:
        counts[base(one.name)] = counts.get(base(one.name), 0) + 1
    listed = {name: int(size) for name, size in sizes.items() if name in counts}
    assert listed == counts
    others = [v for v in new.modelVariables if v.name not in counts]
    assert [v.causality for v in others] == ["independent"] + ["local"] * old.indicators


@each_file
def test_dependencies_are_those_of_all_elements(file):
    """On inputs and states, which 2.0 lists, too; parameters and event indicators follow below."""
    (new, _), (old, _) = contents(file), contents(older(file))
    scalars = old.findall("ModelVariables/ScalarVariable")
    places = {one.get("valueReference"): one.get("name") for one in new.find("ModelVariables")}
    parameters = {one.base for one in bristle.describe(file).parameters}
    tags = {
        "Output": "Outputs",
        "ContinuousStateDerivative": "Derivatives",
        "InitialUnknown": "InitialUnknowns",
    }

    def indexed(index):
        return base(scalars[int(index) - 1].get("name"))

    for tag, group in tags.items():
        wanted, found = {}, {}
        for one in old.findall(f"ModelStructure/{group}/Unknown"):
            known = wanted.setdefault(indexed(one.get("index")), set())
            known |= {indexed(index) for index in one.get("dependencies").split()}
        for one in new.findall(f"ModelStructure/{tag}"):
            names = {places[place] for place in one.get("dependencies").split()}
            running = names - parameters if tag != "InitialUnknown" else names
            found[places[one.get("valueReference")]] = running
        assert found == wanted, tag


def dependencies_of(fmu, tag):
    """Returns the names that each unknown of a kind depends on, by its own name."""
    root, _ = contents(FMUS / "fmi3" / fmu.path.name)
    names = {one.get("valueReference"): one.get("name") for one in root.find("ModelVariables")}
    return {
        names[one.get("valueReference")]: {names[at] for at in one.get("dependencies").split()}
        for one in root.findall(f"ModelStructure/{tag}")
    }


def base(name):
    return re.sub(r"\[\d+\]", "", name)


def test_an_unknown_with_a_slope_along_a_parameter_depends_on_it(fmu):
    """In 3.0 tunable parameters are knowns of a run; the slopes are those of 2.0."""
    listed = dependencies_of(fmu, "Output") | dependencies_of(fmu, "ContinuousStateDerivative")
    d = fmu.description
    unknowns = d.derivatives + d.outputs
    missing = set()
    for model, _ in Sampler(d, "slopes").points(fmu, sets=2, steps=4):
        for known in d.tunable_parameters:
            slopes = model.slopes([v.reference for v in unknowns], [known.reference], [1.0])
            missing |= {
                (v.name, known.name)
                for v, slope in zip(unknowns, slopes, strict=True)
                if slope and base(known.name) not in listed[base(v.name)]
            }
    assert not missing


@pytest.mark.fmus(lambda d: d.indicators)
def test_event_indicators_depend_on_no_more_than_is_listed(fmu):
    """Both versions have the same ones, so those of 2.0 are evaluated."""
    listed = list(dependencies_of(fmu, "EventIndicator").values())
    sampler, moved = Sampler(fmu.description, "indicators"), [set() for _ in listed]

    def note_changes(model, before, name):
        for place, was, now in zip(moved, before, model.indicators, strict=True):
            if was != now:
                place.add(base(name))

    for model, parameters in sampler.points(fmu, sets=3, steps=5):
        before, states = model.indicators, model.states
        values = {v.name: model.get(v.name) for v in fmu.description.inputs}
        for name, other in sampler.inputs(parameters).items():
            model.set({name: other})
            note_changes(model, before, name)
            model.set({name: values[name]})
        for i, other in enumerate(sampler.states(parameters)):
            model.states = [*states[:i], other, *states[i + 1 :]]
            note_changes(model, before, fmu.description.states[i].name)
            model.states = states
    assert all(found <= known for found, known in zip(moved, listed, strict=True)), (moved, listed)


def opened(file, folder):
    about = read_model_description(str(file))
    return FMU3Slave(
        guid=about.guid,
        unzipDirectory=str(folder),
        modelIdentifier=about.coSimulation.modelIdentifier,
        instanceName="element",
    ), about


@each_file
def test_instances_start_with_the_values_of_the_description(file, tmp_path):
    fmpy.extract(str(file), str(tmp_path))
    fmu, about = opened(file, tmp_path)
    fmu.instantiate()
    for one in about.modelVariables:
        if one.start is not None:
            get = {"Float64": fmu.getFloat64, "Int32": fmu.getInt32}[one.type]
            wanted = [float(value) for value in str(one.start).split()]
            count = int(one.dimensions[0].start) if one.dimensions else 1
            assert list(get([one.valueReference], nValues=count)) == wanted, one.name
    fmu.freeInstance()


@each_file
def test_co_simulation_is_that_of_2_bit_for_bit(file):
    """With the experiments in the file, which move every input."""
    pair = [bristle.describe(older(file)), bristle.describe(file)]
    outputs = [one.reference for one in pair[0].outputs if one.is_real]
    content = files_of(older(file))
    for name in (n for n in content if n.startswith(FOLDER) and n.endswith("_in.csv")):
        head, *rows = (line.split(",") for line in content[name].decode().splitlines())
        inputs = [pair[0][one.strip('"')].reference for one in head[1:]]
        table = [[float(value) for value in row] for row in rows]
        results = []
        for about in pair:
            fmu = instance(library_of(about), contents(about.file)[0])
            fmu.begin(0.0, 0.0, {}, dict(zip(inputs, table[0][1:], strict=True)))
            results.append([fmu.take(outputs)])
            for (time, *values), (after, *_) in zip(table, table[1:]):
                fmu.put(dict(zip(inputs, values, strict=True)))
                fmu.step(time, after - time)
                results[-1].append(fmu.take(outputs))
            fmu.free()
        assert results[0] == results[1], name


VARIANTS = {
    "CoSimulation": {},
    "ModelExchange": {},
    "events": {"use_event_mode": True, "early_return_allowed": True},
}


@each_file
@pytest.mark.parametrize("variant", VARIANTS)
def test_fmpy_runs_both_alike(file, variant, capfd):
    """Vectors are one column in 3.0. With event mode a step may end early, at an event."""
    kind = "ModelExchange" if variant == "ModelExchange" else "CoSimulation"
    about = bristle.describe(older(file))
    moving = next((one for one in about.inputs if one.name.startswith("relative")), about.inputs[0])
    value = 2 * moving.start if moving.start else 0.02
    run = {"fmi_type": kind, "stop_time": 0.02, "output_interval": 1e-3}
    old = simulate_fmu(str(older(file)), start_values={moving.name: value}, **run)
    given = [one.start for one in about.inputs if one.base == moving.base]
    given[0] = value
    start = {moving.base: given if len(given) > 1 else value}
    new = simulate_fmu(str(file), start_values=start, **run, **VARIANTS[variant])
    for name in new.dtype.names:
        columns = [old[one] for one in old.dtype.names if one.partition("[")[0] == name]
        wanted = np.squeeze(np.stack(columns, axis=1))
        if variant == "events" and len(new) != len(old):  # rows at events are extra
            assert np.isfinite(new[name]).all()
            continue
        np.testing.assert_array_equal(new[name], wanted, name)
    assert capfd.readouterr().out == "", "FMPy reports nothing"


@each_file
def test_it_has_the_same_reference_results(file):
    """In the layout that FMPy and fmusim have for vectors."""
    new, old = files_of(file), files_of(older(file))
    found = {name: data for name, data in new.items() if name.startswith(FOLDER)}
    assert found and found == in_vectors(
        {name: data for name, data in old.items() if name.startswith(FOLDER)}
    )
    shared = [name for name in old if name.startswith("resources/")]
    shared += ["documentation/index.html", "sources/core/core.inc", "sources/solver/solver.inc"]
    assert all(new[name] == old[name] for name in shared)


def test_its_own_library_reproduces_the_results():
    for file in FILES[:1] + FILES[-1:]:
        content = files_of(file)
        assert {n: d for n, d in references(content).items() if n in content} == {
            n: d for n, d in content.items() if n in references(content)
        }


@each_file
def test_libraries_export_the_functions_of_3_and_nothing_else(file):
    content = files_of(file)
    libraries = {n.split("/")[1]: d for n, d in content.items() if n.startswith("binaries/")}
    assert len(NAMES) > 70 and set().union(*(NAMED_IN_3[p] for p in PLATFORMS)) <= set(libraries)
    if len(PLATFORMS) == 3:
        assert set(libraries) == set().union(*NAMED_IN_3.values()) | {"aarch64-linux"}
    for platform, library in libraries.items():
        if platform.endswith("windows"):
            assert exports_of_pe(library)[0] == NAMES
        elif platform.endswith("darwin"):
            exported, _ = commands_of_mach_o(library)
            assert exported - LINKERS_OWN == {f"_{name}" for name in NAMES}


@each_file
def test_linux_libraries_export_the_functions_of_3_and_nothing_else(file, tmp_path):
    for name, library in files_of(file).items():
        if name.startswith("binaries/") and name.endswith(".so"):
            (tmp_path / "library.so").write_bytes(library)
            listed = printed("nm", "--dynamic", "--defined-only", tmp_path / "library.so")
            assert {line.split()[-1].split("@")[0] for line in listed.splitlines()} == NAMES


@pytest.mark.parametrize("file", FILES[:: max(1, len(FILES) // 3)], ids=lambda file: file.stem)
def test_its_sources_compile_as_the_build_description_says(file, tmp_path):
    fmpy.extract(str(file), str(tmp_path))
    root = etree.parse(tmp_path / "sources" / "buildDescription.xml")
    (files,) = root.findall("BuildConfiguration/SourceFileSet")
    (source,) = files.findall("SourceFile")
    defined = [f"-D{one.get('name')}=1" for one in files.findall("PreprocessorDefinition")]
    assert files.get("language") == "C99"
    options = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared")
    folder = compiled(
        f"fmi3/{file.stem}",
        {"sources": tmp_path / "sources"},
        (
            *("gcc", *options, *defined, "-fvisibility=hidden"),
            *("-o", "fmu.so", "{sources}/" + source.get("name"), "-lm"),
        ),
    )
    listed = printed("nm", "--dynamic", "--defined-only", folder / "fmu.so")
    names = {line.split()[-1] for line in listed.splitlines()}
    assert names - {"_init", "_fini"} == NAMES


@each_file
def test_the_flange_has_velocity_and_force(file):
    content, about = files_of(file), bristle.describe(file)
    root = etree.fromstring(content["terminalsAndIcons/terminalsAndIcons.xml"])
    members = {
        one.get("memberName"): one.get("variableName")
        for one in root.iterfind("Terminals/Terminal[@name='flange']/TerminalMemberVariable")
    }
    assert members == {n: about.facts.roles[n] for n in ("velocity", "force") if about.facts.roles}
    assert content["terminalsAndIcons/icon.png"] == files_of(older(file))["model.png"]
