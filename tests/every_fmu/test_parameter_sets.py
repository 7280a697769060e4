"""The parameter sets in resources/*.ssv: each has variables of its FMU in their units, can be
applied, and is accepted."""

import math
import tomllib

import pytest
from lxml import etree

from fmus import REPOSITORY, TWINS
from operating_points import OF_A_DRIVE
from prescribed import MODEL_1, MODEL_2, NORMAL

SSV = {"ssv": "http://ssp-standard.org/SSP1/SystemStructureParameterValues"}


def sets_of(fmu):
    for path in sorted(fmu.folder.glob("resources/*.ssv")):
        values, units = {}, {}
        for parameter in (
            etree.parse(str(path)).getroot().findall("ssv:Parameters/ssv:Parameter", SSV)
        ):
            value = parameter[0]
            kind = etree.QName(value).localname
            values[parameter.get("name")] = (
                float(value.get("value")) if kind == "Real" else value.get("value")
            )
            units[parameter.get("name")] = value.get("unit")
        yield path.stem, values, units


def as_set(description, name, value):
    return value if description[name].type == "Real" else int(value)


def test_every_set_is_accepted_and_runs(fmu, kind):
    d = fmu.description
    for name, values, _ in sets_of(fmu):
        with fmu.instance(kind) as instance:
            instance.start({key: as_set(d, key, value) for key, value in values.items()})
            for key, value in values.items():
                assert instance.get(key) == as_set(d, key, value), f"{name}: {key}"
            if kind:
                instance.set({v.name: 10.0 for v in d.inputs if v.name == "normalForce"})
                for _ in range(20):
                    instance.step(1e-3)
            assert all(math.isfinite(instance.get(v.name)) for v in d.reals)


def test_every_set_has_parameters_in_their_units(fmu):
    d = fmu.description
    for name, values, units in sets_of(fmu):
        assert values, f"{name} is empty"
        for key, unit in units.items():
            assert key in d, f"{name} sets {key}, which does not exist"
            assert d[key].causality == "parameter", f"{name}: {key}"
            assert unit is None or unit == d[key].unit, f"{name}: {key}"


# Parameters of the installation and of the user's choice of law, not of the surfaces, and those of
# a drive: no case sets them.
OF_THE_PLACE = {
    "preloadForce",
    "frictionRadius",
    "couplingMass",
    "couplingTiming",
    "maximumSubsteps",
    "law",
} | OF_A_DRIVE


def test_a_set_has_all_that_its_case_needs(fmu):
    """Loaded after any other set it restores its case: every parameter of the law is in it."""
    law = {
        v.name for v in fmu.description.parameters if not v.name.partition("[")[0].endswith("Start")
    } - OF_THE_PLACE
    for name, values, _ in sets_of(fmu):
        assert not law - set(values), f"{name} leaves out {sorted(law - set(values))}"


@pytest.mark.collection
@pytest.mark.parametrize(
    "file", sorted((REPOSITORY / "resources").glob("*.toml")), ids=lambda file: file.stem
)
def test_a_set_has_nothing_that_none_of_its_models_has(all_fmus, file):
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    fmus = [fmu for fmu in all_fmus if fmu.name in data["models"]] + [
        twin for twin, model in TWINS if model.name in data["models"]
    ]
    shipped = {
        name.partition("[")[0]
        for fmu in fmus
        for case, values, _ in sets_of(fmu)
        if case == file.stem
        for name in values
    }
    shipped |= set() if TWINS else {"frictionRadius"} & set(data["values"])
    own = {name for values in data.get("values_of", {}).values() for name in values}
    assert set(data["values"]) | own == shipped


@pytest.mark.collection
def test_one_model_may_have_values_of_its_own_in_a_set(all_fmus):
    """Pennestrì's band of Karnopp is the v_d of his eq 6, and Gonthier's v_t is not that of the
    stick-slip model."""
    sets = {fmu.name: {name: values for name, values, _ in sets_of(fmu)} for fmu in all_fmus}
    bands = [
        sets[model]["pennestri2016_rabinowicz"]["staticVelocity"]
        for model in ("Karnopp", "VelocityBased")
    ]
    assert bands == [0.05, 0.01]
    assert sets["Karnopp"]["pennestri2016_presliding"]["staticVelocity"] == 0.01
    speeds = [
        sets[model]["pennestri2016_rabinowicz"]["transitionVelocity"]
        for model in ("StickSlip", "Gonthier")
    ]
    assert speeds == [0.05, 5e-4]


def test_rills_two_cases_are_as_printed(fmu):
    """Rill 2023, Fig. 4 and Listing 1: the same numbers wherever they are shipped."""
    printed = {"rill2023_model1": MODEL_1, "rill2023_model2": MODEL_2}
    for name, values, _ in sets_of(fmu):
        for key, value in printed.get(name, {}).items():
            if key in values:
                assert values[key] == pytest.approx(value, rel=2e-3, abs=1e-12), (
                    f"{name}: {key}"
                )  # Fig. 4 rounds


@pytest.mark.collection
@pytest.mark.parametrize(
    "model",
    (
        "StaticRegularized LuGre LuGreVelocityDamping LuGreModified ImplicitBristle "
        "SecondOrderBristle"
    ).split(),
)
def test_rills_models_ship_his_two_cases(all_fmus, model):
    fmu = next(fmu for fmu in all_fmus if fmu.name == model)
    assert {"rill2023_model1", "rill2023_model2"} <= {name for name, _, _ in sets_of(fmu)}


# one set of defaults

# A curve that falls steeply at rest makes springs on their own sliders oscillate, and much damping
# hides their lag: see its page.
OF_ITS_OWN = {"GeneralizedMaxwellSlip": {"stribeckExponent", "bristleDamping"}}


@pytest.mark.collection
@pytest.mark.fmus(lambda d: d.family("relativeVelocity"))
def test_defaults_are_those_of_one_case(fmu):
    """Rill's model 1 in every parameter that a model shares with it; parameters per unit of normal
    force give the same under its weight."""
    d = fmu.description
    if "normalForce" in d and d["normalForce"].causality == "input":
        assert d["normalForce"].start == NORMAL
    for name, value in MODEL_1.items():
        if name in d and name not in OF_ITS_OWN.get(d.name, ()):
            assert d[name].start == pytest.approx(
                value / (NORMAL if d[name].unit in ("1/m", "s/m") else 1), rel=1e-15
            ), name


@pytest.mark.collection
@pytest.mark.fmus(
    lambda d: d.family("relativeVelocity") and ("dynamicFriction" in d or "shapeFactor" in d)
)
def test_a_swap_of_the_model_keeps_the_force(fmu):
    """With defaults all have the same friction in fast sliding. The magic formula falls with 1/v:
    3e-4 above it at 10 m/s."""
    with fmu.co_simulation() as instance:
        instance.start({fmu.description.family("relativeVelocity")[0].name: 10.0})
        for _ in range(20):
            instance.step(0.05)
        assert instance.get(fmu.description.family("frictionCoefficient")[0].name) == pytest.approx(
            MODEL_1["dynamicFriction"], rel=1e-3
        )
