"""Elements with ideal stick whose load is not connected: in model exchange a loaded body creeps quietly instead of sticking."""

import pytest

import mass

LOADED = pytest.mark.fmus(lambda d: d.takes("externalForce"))


@LOADED
@pytest.mark.parametrize("sign", [1, -1])
def test_without_its_load_a_body_creeps_quietly(fmu, monkeypatch, sign):
    """Within the band of rest the law is F_s v/v_0 then: the body settles at v_0 load/F_s, without an event and without a jump of the force."""
    connected = mass.inputs_of
    monkeypatch.setattr(mass, "inputs_of", lambda *arguments: {k: v for k, v in connected(*arguments).items() if k != "externalForce"})
    with fmu.model_exchange() as instance:
        instance.start({"normalForce": 9.81})
        limit = instance.get("staticFriction") * 9.81
        band = next(instance.get(name) for name in ("regularizationVelocity", "staticVelocity") if name in fmu.description)
        load = sign * 0.4 * limit
        course = mass.run_exchange(instance, lambda t: load * min(t / 0.1, 1.0), 0.5)
    assert course.velocity[-1] == pytest.approx(0.4 * sign * band, rel=1e-3)
    assert course.force[-1] == pytest.approx(load, rel=1e-3)
    assert max(map(abs, course.force)) <= abs(load) * (1 + 1e-6), "never more than the load"
    assert not course.events
