"""preloadForce: the law, the contact and its events use normalForce + preloadForce."""

import random

import pytest

from fmi2 import ERROR, FmiError
from operating_points import Sampler

PRELOADED = pytest.mark.fmus(lambda d: "preloadForce" in d)
PRELOAD = 4.0  # sums with it are exact for the normal forces below


def test_every_element_between_two_surfaces_on_a_line_has_it(all_fmus):
    for fmu in all_fmus:
        assert (
            ("preloadForce" in fmu.description)
            == fmu.description.takes("normalForce", "relativeVelocity")
            or fmu.description.has("normalDirection[1]")
            or "relativeVelocity" not in fmu.description
        )


@PRELOADED
def test_the_law_uses_the_sum(fmu):
    d = fmu.description
    for instance, parameters in Sampler(d, "preload").points(fmu, 4, 8):
        u = {v.name: instance.get(v.name) for v in d.inputs}
        parameters = parameters | {"preloadForce": 0.0}
        normal = (
            round(u["normalForce"] * 16) / 16
        )  # exact in binary, and so are its sums with the preload
        with fmu.model_exchange() as a, fmu.model_exchange() as b:
            a.start(parameters | u | {"normalForce": normal})
            b.start(parameters | u | {"normalForce": normal - PRELOAD, "preloadForce": PRELOAD})
            if d.states:
                a.states = b.states = instance.states
                a.event(), b.event()
            assert (b.modes(), b.indicators) == (a.modes(), a.indicators)
            for v in d.derivatives + d.outputs:
                assert b.get(v.name) == a.get(v.name), v.name


@PRELOADED
def test_contact_parts_and_returns_with_the_sum_in_co_simulation(fmu):
    d = fmu.description
    draw = random.Random(fmu.name)
    with fmu.co_simulation() as a, fmu.co_simulation() as b:
        a.start({"normalForce": 8.0})
        b.start({"normalForce": 8.0 - PRELOAD, "preloadForce": PRELOAD})
        for normal in (8.0, 2.0, 0.0, -1.0, 0.5, 8.0):
            velocity = draw.uniform(-0.1, 0.1)
            a.set({"normalForce": normal, "relativeVelocity": velocity})
            b.set({"normalForce": normal - PRELOAD, "relativeVelocity": velocity})
            for _ in range(3):
                a.step(1e-3)
                b.step(1e-3)
                assert b.modes() == a.modes()
                for v in d.states + d.outputs:
                    assert b.get(v.name) == a.get(v.name), (v.name, normal)
            assert (b.get("frictionForce") == 0) == (normal <= 0)


@PRELOADED
def test_a_negative_preload_is_refused_in_a_sentence(fmu, kind):
    with fmu.instance(kind) as instance, pytest.raises(FmiError) as refused:
        instance.start({"preloadForce": -1.0})
    assert refused.value.status == ERROR
    assert refused.value.messages[-1].text == "preloadForce = -1 must be at least 0."
