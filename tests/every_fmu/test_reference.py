"""Every FMU with a law in reference/<model>.py agrees with it at random points."""

import pytest

from fmus import REPOSITORY
from operating_points import Sampler
from reference import FOLDER, references

HAS_LAW = pytest.mark.fmus(lambda d: hasattr(references(d.name), "evaluate"))


def check_law(instance, parameters):
    """Compares with independent code of the same formulas, up to rounding, amplified where large
    terms cancel."""
    d, law = instance.description, references(instance.description.name).evaluate
    u = {v.name: instance.get(v.name) for v in d.inputs}
    x = {v.name: instance.get(v.name) for v in d.states}
    rates, outputs = law(parameters, u | instance.modes(), x)
    size = sum(abs(v) for v in u.values()) + 1.0
    for state, derivative in zip(d.states, d.derivatives):
        assert instance.get(derivative.name) == pytest.approx(
            rates[state.name], rel=1e-9, abs=1e-11 * size
        ), derivative.name
    for name, value in outputs.items():
        assert instance.get(name) == pytest.approx(value, rel=1e-9, abs=1e-11 * size), name


@HAS_LAW
def test_the_law_is_the_papers(fmu):
    for instance, parameters in Sampler(fmu.description, "law").points(fmu, 15, 20):
        check_law(instance, parameters)


@pytest.mark.fmus(lambda d: bool(d.states) and hasattr(references(d.name), "evaluate"))
def test_the_law_is_the_papers_along_a_run(fmu):
    """In steady sliding, where deflections are at their limits, and a little further in both
    directions: random points miss these."""
    d, sampler = fmu.description, Sampler(fmu.description, "run")
    with fmu.co_simulation() as instance:
        for _ in range(6):
            parameters = sampler.start(instance)
            for _ in range(4):
                inputs = sampler.inputs(parameters)
                for factor in (1.0, 0.999, 1.002, -0.001):
                    instance.set(
                        {
                            v.name: inputs[v.name] * (factor if "elocity" in v.name else 1.0)
                            for v in d.inputs
                        }
                    )
                    instance.step(10 ** sampler.random.uniform(-4, -1))
                    check_law(instance, parameters)
            instance.demand("fmi2Reset")


def test_no_reference_is_left_without_its_model():
    described = {path.stem for path in (REPOSITORY / "modelDescription").glob("[A-Z]*.toml")}
    models = {path.stem for path in FOLDER.glob("*.py") if path.stem[0].isupper()}
    assert models <= described
