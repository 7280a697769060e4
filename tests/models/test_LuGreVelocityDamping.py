"""LuGre with fading damping: the deflection of LuGre, the force with its damping scaled by the
Stribeck decay."""

import pytest

from prescribed import CASES, REVERSAL_LIFT_OFF_RETURN, check_linear_bristle, parameters_for
from reference import LuGreVelocityDamping as law


@pytest.mark.parametrize("case", CASES)
def test_constant_velocity_reversal_lift_off_and_return(fmu, kind, case):
    check_linear_bristle(
        fmu, kind, law, parameters_for(fmu, CASES[case]), REVERSAL_LIFT_OFF_RETURN, 2e-3
    )
