"""The static model: a continuous curve, and the creep that Rill 2023 section 4.3 prints."""

import pytest

from prescribed import CASES, MODEL_1, NORMAL, drive, parameters_for
from reference import StaticRegularized as law

PHASES = [(NORMAL, 5e-4, 0.01), (NORMAL, -2e-2, 0.01), (-1.0, 0.1, 0.01), (NORMAL, 1e-5, 0.01)]


@pytest.mark.parametrize("case", CASES)
def test_constant_velocity_reversal_lift_off_and_return(fmu, kind, case):
    p = parameters_for(fmu, CASES[case])
    for number, _, found in drive(fmu, kind, p, PHASES, 5e-3):
        normal, velocity, _ = PHASES[number]
        assert found["frictionForce"] == pytest.approx(
            law.regularized(p, normal, velocity) if normal > 0 else 0.0, rel=1e-13
        )


def test_a_load_of_2_newton_creeps_with_0_1875_mm_per_second(fmu):
    with fmu.model_exchange() as instance:
        instance.start(
            {**parameters_for(fmu, MODEL_1), "normalForce": NORMAL, "relativeVelocity": 0.1875e-3}
        )
        assert instance.get("frictionForce") == pytest.approx(
            2.0, rel=5e-4
        )  # as many digits as are printed


@pytest.mark.parametrize("case", CASES)
def test_the_curve_is_continuous_and_peaks_at_the_static_limit(fmu, case):
    p = parameters_for(fmu, CASES[case])
    band = p["regularizationVelocity"]
    with fmu.in_model_exchange({**p, "normalForce": NORMAL}) as instance:

        def force(velocity):
            instance.set({"relativeVelocity": velocity})
            return instance.get("frictionForce")

        assert force(band) == pytest.approx(p["staticFriction"] * NORMAL, rel=1e-14)
        assert force(band * (1 - 1e-9)) == pytest.approx(force(band * (1 + 1e-9)), rel=1e-7)
        assert force(0.0) == 0
        assert all(
            abs(force(band * k / 50)) <= p["staticFriction"] * NORMAL * (1 + 1e-14)
            for k in range(-200, 200)
        )
