"""The parameter sets in resources/*.ssv: each names variables of its FMU in their units, applies, and is accepted."""

import math

import pytest
from lxml import etree

SSV = {"ssv": "http://ssp-standard.org/SSP1/SystemStructureParameterValues"}


def sets_of(fmu):
    for path in sorted(fmu.folder.glob("resources/*.ssv")):
        values, units = {}, {}
        for parameter in etree.parse(str(path)).getroot().findall("ssv:Parameters/ssv:Parameter", SSV):
            value = parameter[0]
            kind = etree.QName(value).localname
            values[parameter.get("name")] = float(value.get("value")) if kind == "Real" else value.get("value")
            units[parameter.get("name")] = value.get("unit")
        yield path.stem, values, units


def as_set(description, name, value):
    """Enumerations are written by the name of their item or by its number."""
    variable = description[name]
    if variable.type != "Enumeration":
        return value
    items = {item: number for number, item in description.items[variable.attributes["declaredType"]].items()}
    return items.get(value) or int(value)


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


def test_every_set_speaks_of_parameters_in_their_units(fmu):
    d = fmu.description
    for name, values, units in sets_of(fmu):
        assert values, f"{name} is empty"
        for key, unit in units.items():
            assert key in d, f"{name} sets {key}, which does not exist"
            assert d[key].causality == "parameter", f"{name}: {key}"
            assert unit is None or unit == d[key].unit, f"{name}: {key}"


@pytest.mark.fmus(lambda d: d.has("staticFriction", "dynamicFriction", "stribeckVelocity", "stribeckExponent", "bristleStiffness", "bristleDamping",
                                  "viscousFriction", "bristleDeflection") and d["bristleStiffness"].unit == "N/m")
def test_the_bristle_models_have_rills_two_cases(fmu):
    """Rill 2023, Fig. 4 and Listing 1."""
    cases = {name: values for name, values, _ in sets_of(fmu)}
    one = next(values for name, values in cases.items() if "model1" in name)
    two = next(values for name, values in cases.items() if "model2" in name)
    expected_one = {"staticFriction": 0.6, "dynamicFriction": 0.3, "stribeckVelocity": 0.01, "stribeckExponent": 1.0, "viscousFriction": 0.0,
                    "bristleStiffness": 39000.0, "bristleDamping": 395.0}
    expected_two = {"staticFriction": 0.15, "dynamicFriction": 0.10, "stribeckVelocity": 0.001, "stribeckExponent": 2.0,
                    "viscousFriction": 0.1 / 9.81, "bristleStiffness": 1e5, "bristleDamping": math.sqrt(1e5)}
    for values, expected in ((one, expected_one), (two, expected_two)):
        for key, value in expected.items():
            assert values[key] == pytest.approx(value, rel=2e-3, abs=1e-12), key
