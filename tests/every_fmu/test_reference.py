"""Every FMU whose law stands in reference/<model>.py gives the paper's numbers at random points."""

import pytest

from fmus import REPOSITORY
from points import Sampler
from reference import FOLDER, references

HAS_LAW = pytest.mark.fmus(lambda d: hasattr(references(d.name), "evaluate"))


@HAS_LAW
def test_the_law_is_the_papers(fmu):
    """Independent code, the same formulas: what differs is the order of rounding, amplified where large terms cancel."""
    d = fmu.description
    law = references(fmu.name).evaluate
    for instance, parameters in Sampler(d, "law").points(fmu, 15, 20):
        u = {v.name: instance.get(v.name) for v in d.inputs}
        x = {v.name: instance.get(v.name) for v in d.states}
        rates, outputs = law(parameters, u | instance.modes(), x)
        size = sum(abs(v) for v in u.values()) + 1.0
        for state, derivative in zip(d.states, d.derivatives):
            assert instance.get(derivative.name) == pytest.approx(rates[state.name], rel=1e-9, abs=1e-11 * size), derivative.name
        for name, value in outputs.items():
            assert instance.get(name) == pytest.approx(value, rel=1e-9, abs=1e-11 * size), name


def test_no_reference_is_left_without_its_model():
    described = {path.stem for path in (REPOSITORY / "modelDescription").glob("[A-Z]*.toml")}
    models = {path.stem for path in FOLDER.glob("*.py") if path.stem[0].isupper()}
    assert models <= described
