"""The modified LuGre equation is linear in the deflection too: rate |v| sigma0/(mu N + |v| sigma1),
end mu N/sigma0."""

import pytest

from prescribed import CASES, REVERSAL_LIFT_OFF_RETURN, check_linear_bristle, parameters_for
from reference import LuGreModified as law


@pytest.mark.parametrize("case", CASES)
def test_constant_velocity_reversal_lift_off_and_return(fmu, kind, case):
    check_linear_bristle(
        fmu, kind, law, parameters_for(fmu, CASES[case]), REVERSAL_LIFT_OFF_RETURN, 2e-3
    )


def test_rest_without_load_is_no_division_by_zero(fmu):
    """Eq 18 is 0/0 for N = v = 0."""
    with fmu.model_exchange() as instance:
        instance.start(
            {"normalForce": 0.0, "relativeVelocity": 0.0, "bristleDeflectionStart": 1e-4}
        )
        p = fmu.description.starts()
        assert instance.derivatives == pytest.approx(
            [-p["bristleStiffness"] * 1e-4 / p["bristleDamping"]], rel=1e-12
        )
