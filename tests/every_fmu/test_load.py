"""Elements with ideal stick whose load is not connected: in model exchange a loaded body creeps
quietly instead of sticking, which is logged."""

import pytest

import body_on_element
from fmi2 import CO_SIMULATION, MODEL_EXCHANGE
from reference import references

LOADED = pytest.mark.fmus(lambda d: d.takes("externalForce"))


@LOADED
@pytest.mark.parametrize("sign", [1, -1])
def test_without_its_load_a_body_creeps_quietly(fmu, monkeypatch, sign):
    """Within the band around zero velocity the law is F_s v/v_0 then: the body settles at v_0
    load/F_s, without an event or a jump of the force. A model with another law there has its speed
    in reference/<model>.py, `creep`.
    """
    creep = getattr(references(fmu.name), "creep", float)
    connected = body_on_element.inputs_of
    monkeypatch.setattr(
        body_on_element,
        "inputs_of",
        lambda *arguments: {k: v for k, v in connected(*arguments).items() if k != "externalForce"},
    )
    with fmu.in_model_exchange({"normalForce": 9.81}) as instance:
        limit = instance.get("staticFriction") * 9.81
        band = next(
            instance.get(name)
            for name in ("regularizationVelocity", "staticVelocity")
            if name in fmu.description
        )
        load = sign * 0.4 * limit
        course = body_on_element.run_exchange(instance, lambda t: load * min(t / 0.1, 1.0), 0.5)
    assert course.velocity[-1] == pytest.approx(sign * creep(0.4) * band, rel=1e-3)
    assert course.force[-1] == pytest.approx(load, rel=1e-3)
    assert max(map(abs, course.force)) <= abs(load) * (1 + 1e-6), "never more than the load"
    assert not course.events


def missed(instance):
    """Returns the warnings of a missing load."""
    return [
        m.text
        for m in instance.messages
        if m.category == "logStatusWarning" and "has never been set" in m.text
    ]


def run(instance, speed, points=3):
    """Takes a few steps, or evaluations in continuous-time mode, without setting the load."""
    for i in range(points):
        instance.set({"relativeVelocity": speed * (i + 1)})
        instance.step(1e-3) if instance.kind == CO_SIMULATION else instance.get("frictionForce")


@pytest.fixture
def warned(fmu, kind):
    """Makes an instance with warnings enabled."""
    with fmu.instance(kind) as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        yield instance


BOTH = pytest.mark.parametrize(
    "kind", [MODEL_EXCHANGE, CO_SIMULATION], ids=["model exchange", "co-simulation"]
)


@LOADED
@BOTH
def test_a_load_that_is_never_set_is_reported_once_and_after_a_reset_again(warned):
    for count in (1, 2):
        warned.start()
        assert len(missed(warned)) == count - 1, "not before it runs: the load may still be set"
        run(warned, 0.1)
        assert len(missed(warned)) == count and missed(warned)[-1].startswith("externalForce ")
        warned.demand("fmi2Reset")


@LOADED
@BOTH
@pytest.mark.parametrize("load", [0.0, 1.0], ids=["zero", "not zero"])
def test_a_load_that_is_set_is_not_missed(warned, load):
    """Before the start or in the run; a load set to zero is a load."""
    warned.start({"externalForce": load})
    run(warned, 0.1)
    warned.demand("fmi2Reset")
    warned.start()
    warned.set({"externalForce": load})
    run(warned, 0.1)
    assert not missed(warned)


@LOADED
@BOTH
def test_a_stored_state_knows_whether_its_load_was_set(warned):
    """Its inputs are restored with it, so that they need not be set anew; a state without a load
    still has none after restoring."""
    warned.start()
    without = warned.snapshot()
    warned.set({"externalForce": 1.0})
    loaded = warned.snapshot()
    for content, count in ((loaded, 0), (without, 1)):
        warned.demand("fmi2Reset")
        warned.resume(content)
        warned.time = 0.0
        run(warned, 0.1)
        assert len(missed(warned)) == count


@LOADED
@pytest.mark.parametrize("kind", [CO_SIMULATION])
def test_a_load_given_as_a_rate_or_observed_is_not_missed(warned):
    warned.start()
    warned.set_input_derivative("externalForce", 1.0)
    run(warned, 0.1)
    warned.demand("fmi2Reset")
    warned.start({"couplingMass": 1.0})
    run(warned, 0.1)
    assert not missed(warned)


@pytest.mark.fmus(lambda d: not d.takes("externalForce"))
def test_an_element_that_needs_no_load_misses_none(fmu):
    with fmu.co_simulation() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start()
        instance.step(1e-3)
        assert not missed(instance)


def test_a_twin_misses_its_torque(twin, model):
    with twin.co_simulation() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start()
        instance.step(1e-3)
        assert [text.partition(" ")[0] for text in missed(instance)] == ["externalTorque"] * (
            "externalForce" in model.description
        )
