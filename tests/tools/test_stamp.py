"""A stamped FMU: the law of a model with the user's values as its defaults, as valid as the model
itself."""

import os
import subprocess
import zipfile
from html import escape

import numpy as np
import pytest
from fmpy.validation import validate_fmu

from fmus import FMUS, TWINS, Fmu, need_all_fmus
from fmi2 import FmiError, Instance, Library
from c_host import natural_record
from operating_points import Sampler

import bristle
from bristle.format.archive import page_of
from bristle.format.defaults import MARK
from bristle.parameters import read_ssv
from bristle.format.signature import signed_anew
from bristle.format.universal import joined, parts

need_all_fmus()

pytestmark = pytest.mark.xdist_group("stamp")  # on one worker, which stamps each FMU once

NAME = "MyGuideway"
TEXT = 'Axis 3, "oiled" & <worn>'
SOME = sorted(
    (fmu for fmu in FMUS if fmu.name in ("LuGre", "GeneralizedMaxwellSlip", "ProjectedGKF")),
    key=lambda fmu: fmu.name != "LuGre",
)


@pytest.fixture(scope="module")
def stamped(tmp_path_factory):
    """Stamps each FMU once with natural parameters that the model accepts; returns it and them."""
    made = {}

    def make(fmu):
        if fmu not in made:
            with fmu.co_simulation() as instance:
                values = Sampler(fmu.description, "stamp").start(instance)
            made[fmu] = (
                Fmu(
                    bristle.stamp(
                        fmu.path,
                        values,
                        NAME,
                        tmp_path_factory.mktemp(fmu.name) / f"{NAME}.fmu",
                        TEXT,
                    )
                ),
                values,
            )
        return made[fmu]

    return make


def numbers(fmu, path, values=None):
    time, inputs = natural_record(fmu, 40)
    outputs = [v.name for v in fmu.description.outputs + fmu.description.states]
    return bristle.run(path, time, inputs, values, outputs)


def same(one, two):
    return one.keys() == two.keys() and all(np.array_equal(one[name], two[name]) for name in one)


@pytest.mark.shipped
def test_it_is_the_law_with_the_values_as_defaults(fmu, stamped):
    own, values = stamped(fmu)
    assert own.description.name == own.description.identifier == NAME
    assert own.description.root.get("description") == TEXT
    starts = {v.name: v.start for v in own.description.parameters}
    assert starts == values
    with own.co_simulation() as instance:
        assert {name: instance.get(name) for name in starts} == starts, (
            "what the library has is what the description says"
        )
    ours = numbers(fmu, own.path)
    assert same(ours, numbers(fmu, fmu.path, values))
    before = {v.name: v.start for v in fmu.description.parameters}
    assert same(numbers(fmu, own.path, before), numbers(fmu, fmu.path)), (
        "every parameter can still be set"
    )


@pytest.mark.shipped
def test_it_is_valid_and_complete(fmu, stamped, tmp_path):
    own, values = stamped(fmu)
    assert validate_fmu(str(own.path)) == []
    with zipfile.ZipFile(own.path) as new, zipfile.ZipFile(fmu.path) as old:
        libraries = {
            name.replace(f"/{fmu.name}.", f"/{NAME}.") if name.startswith("binaries/") else name
            for name in old.namelist()
        }
        assert set(new.namelist()) == {*libraries, f"resources/{NAME}.ssv"}
        for name in new.namelist():
            if name.startswith("binaries/"):
                mode = new.getinfo(name).external_attr >> 16
                assert mode & 0o111, "an unpacked library can be loaded"
        page = new.read("documentation/index.html").decode()
        ssv = tmp_path / "set.ssv"
        ssv.write_bytes(new.read(f"resources/{NAME}.ssv"))
    changed = {
        v.name: values[v.name] for v in fmu.description.parameters if v.start != values[v.name]
    }
    assert read_ssv(ssv, bristle.describe(fmu.path)) == changed
    assert page.count(NAME) >= 3 and escape(TEXT) in page
    for variable in fmu.description.real_parameters:
        if variable.base is None:
            assert (
                f'<span data-default="{variable.name}">{values[variable.name]:.9g}</span>' in page
            )


@pytest.mark.shipped
def test_its_guid_is_its_own_and_is_checked(fmu, stamped, tmp_path):
    own, values = stamped(fmu)
    assert own.description.guid != fmu.description.guid
    for library, description in ((own.library, fmu), (fmu.library, own)):
        with pytest.raises(FmiError) as refused:
            Instance(description, 1, library=library)
        message = refused.value.messages[-1].text
        name, guid = (
            (NAME, own.description.guid)
            if library is own.library
            else (fmu.name, fmu.description.guid)
        )
        assert (
            message
            == f"The GUID {description.description.guid} is not that of this {name}, which is"
            f" {guid}."
        )
    again = bristle.stamp(fmu.path, values, NAME, tmp_path / "again.fmu", TEXT)
    assert again.read_bytes() == own.path.read_bytes(), "the same stamp makes the same file"
    if fmu not in SOME:
        return
    other = bristle.stamp(fmu.path, values, "Other", tmp_path / "other.fmu", TEXT)
    assert Fmu(other).description.guid != own.description.guid
    other = bristle.stamp(fmu.path, values, NAME, tmp_path / "text.fmu", f"{TEXT}!")
    assert Fmu(other).description.guid != own.description.guid, (
        "an element with another description is another one"
    )


@pytest.mark.parametrize("model", [twin for twin, _ in TWINS[:1]], ids=repr)
def test_a_twin_is_stamped_like_any_other(model, stamped):
    own, values = stamped(model)
    assert validate_fmu(str(own.path)) == []
    assert same(numbers(model, own.path), numbers(model, model.path, values))


def test_an_input_is_a_default_and_no_part_of_the_parameter_set(tmp_path):
    own = Fmu(
        bristle.stamp(
            LUGRE, {"normalForce": 12.5, "staticFriction": 0.8}, NAME, tmp_path / "own.fmu"
        )
    )
    assert own.description["normalForce"].start == 12.5
    assert read_ssv(own.folder / "resources" / f"{NAME}.ssv", bristle.describe(LUGRE)) == {
        "staticFriction": 0.8
    }
    only = Fmu(bristle.stamp(LUGRE, {"normalForce": 12.5}, NAME, tmp_path / "only.fmu"))
    assert not (only.folder / "resources" / f"{NAME}.ssv").exists(), "a set of nothing is none"


def test_one_that_is_stamped_again_tells_of_both(tmp_path):
    """The pictures stay those of the model."""
    one = bristle.stamp("LuGre", {"staticFriction": 0.7}, "One", tmp_path / "One.fmu")
    two = bristle.stamp(one, {"dynamicFriction": 0.2}, "Two", tmp_path / "Two.fmu")
    about = bristle.describe(two)
    assert about.title == bristle.describe(one).title
    assert [about[name].start for name in ("staticFriction", "dynamicFriction")] == [0.7, 0.2]
    page = page_of(two)
    assert page.count("The law of <code>") == 2
    assert page.count("The pictures show <code>") == 1
    assert "The pictures show <code>LuGre</code>" in page


def test_several_are_loaded_together_and_do_not_mix(tmp_path):
    base = SOME[0]
    first = bristle.stamp(base.path, {"staticFriction": 0.8}, "First", tmp_path / "first.fmu")
    second = bristle.stamp(
        first, {"staticFriction": 0.9}, "Second", tmp_path / "second.fmu"
    )  # stamped twice
    found = [numbers(base, path)["frictionForce"] for path in (base.path, first, second, base.path)]
    wanted = [
        numbers(base, base.path, {"staticFriction": mu})["frictionForce"]
        for mu in (base.description["staticFriction"].start, 0.8, 0.9)
    ]
    for one, two in zip(found, [*wanted, wanted[0]]):
        assert np.array_equal(one, two)
    assert len({one.tobytes() for one in found}) == 3


@pytest.mark.shipped
@pytest.mark.parametrize("model", SOME, ids=repr)
def test_its_sources_compiled_anew_are_the_same(model, stamped, tmp_path):
    own, values = stamped(model)
    sources, library = own.folder / "sources", tmp_path / f"{NAME}.so"
    flags = "-std=c99 -O1 -ffp-contract=off -shared -fPIC -DFMI2_OVERRIDE_FUNCTION_PREFIX".split()
    subprocess.run(["gcc", *flags, "-o", library, sources / "fmu.c", "-lm"], check=True)
    assert f"#define FMI2_FUNCTION_PREFIX {NAME}_\n" in (sources / "fmu.c").read_text(
        encoding="utf-8"
    )
    with Instance(own, 1, library=Library(library)) as instance:
        assert {name: instance.get(name) for name in values} == values
    with pytest.raises(FmiError):
        Instance(model, 1, library=Library(library))
    assert f"#define FMI2_FUNCTION_PREFIX {NAME}_\n" in (sources / "fmu.c").read_text()


def libraries(fmu, platform):
    """Returns the library of a platform; a build for one platform lacks the others."""
    with zipfile.ZipFile(fmu.path) as archive:
        return [
            archive.read(name)
            for name in archive.namelist()
            if name.startswith(f"binaries/{platform}/")
        ]


@pytest.mark.shipped
@pytest.mark.parametrize("model", SOME, ids=repr)
def test_the_macos_signature_is_the_linkers_own_and_follows_the_change(model, stamped):
    fmu = model
    if not libraries(fmu, "darwin64"):
        pytest.skip("there is no library for macOS in this build")
    own, values = stamped(fmu)
    (before,), (after,) = libraries(fmu, "darwin64"), libraries(own, "darwin64")
    assert len(parts(before)) == len(parts(after)) == 2
    assert joined(parts(before)) == before
    signatures = 0
    for old, new in zip(parts(before), parts(after)):
        assert signed_anew(old) == old, "the hashes are made as the linker makes them"
        assert signed_anew(new) == new and len(new) == len(old)
        place = new.index(MARK)
        broken = bytearray(new)
        broken[place + 30] ^= 1
        signatures += signed_anew(bytes(broken)) != bytes(broken)
        different = [i for i in range(len(old)) if old[i] != new[i]]
        inside = [
            i
            for i in different
            if place <= i < place + 24 + 40 + 128 + 8 * len(fmu.description.reals)
        ]
        pages = len({i // 4096 for i in inside})  # hashed in a signature
        assert len(inside) > 20 and len(different) - len(inside) <= 32 * pages, (
            "beside the table one hash of 32 bytes has changed for each page of it"
        )
    assert signatures == 1, "the library for Apple's processors is signed"


LUGRE = SOME[0].path
REFUSED = {
    "a broken rule, in the words of the model": (
        {"staticFriction": 0.1},
        {},
        "LuGre: dynamicFriction = 0.3 must be at most staticFriction = 0.1.",
    ),
    "no such parameter": ({"slip": 1}, {}, "LuGre has no variable slip."),
    "an output": ({"frictionForce": 1}, {}, "LuGre: frictionForce is not a parameter."),
    "not a name": (
        {},
        {"name": "my guideway"},
        'the name "my guideway" has to be a letter, followed by letters, digits and _.',
    ),
    "a keyword": (
        {},
        {"name": "while"},
        "the name while is taken in C, in Modelica or in Windows.",
    ),
    "a device": ({}, {"name": "Con"}, "the name Con is taken in C, in Modelica or in Windows."),
    "the model's name": (
        {},
        {"name": "LuGre"},
        "LuGre is the name of the model; give the element one of its own.",
    ),
    "too long": ({}, {"name": "a" * 128}, f"the name {'a' * 20}… has more than 127 letters."),
    "not an FMU's name": ({}, {"out": "own.zip"}, "own.zip: the name of an FMU ends in .fmu."),
    "the model itself": (
        {},
        {"out": LUGRE},
        f"{LUGRE}: is the FMU that is stamped; give the new one another name.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_stamped_is_reported_and_nothing_is_written(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values, more, sentence = REFUSED[case]
    with pytest.raises(bristle.BristleError) as raised:
        bristle.stamp(LUGRE, values, **{"name": NAME, "out": "own.fmu", **more})
    assert str(raised.value) == sentence
    assert os.listdir(tmp_path) == []


def test_an_fmu_of_another_tool_is_refused(tmp_path):
    strange = tmp_path / "strange.fmu"
    with zipfile.ZipFile(LUGRE) as old, zipfile.ZipFile(strange, "w") as new:
        for name in old.namelist():
            if not name.endswith("own_defaults.h"):
                new.writestr(name, old.read(name))
    with pytest.raises(
        bristle.BristleError,
        match="cannot be stamped; it was built by an older bristle or by another tool.$",
    ):
        bristle.stamp(strange, {}, NAME, tmp_path / "own.fmu")
    assert not (tmp_path / "own.fmu").exists()
