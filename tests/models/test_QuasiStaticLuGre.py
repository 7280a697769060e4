"""QuasiStaticLuGre: the steady curve of LuGre. Its stick is tested with Coulomb's."""

import pytest

from prescribed import CASES, NORMAL, parameters_for
from reference.stribeck import steady_force


@pytest.mark.parametrize("case", CASES)
def test_sliding_friction_is_the_stribeck_curve(fmu, kind, case):
    p = parameters_for(fmu, CASES[case])
    with fmu.instance(kind) as instance:
        for part in (0.2, -0.7, 1.0, -3.0, 50.0):
            velocity = part * p["stribeckVelocity"]
            instance.start({**p, "normalForce": NORMAL, "relativeVelocity": velocity})
            assert instance.get("frictionForce") == pytest.approx(
                steady_force(p, NORMAL, velocity), rel=1e-13
            )
            instance.demand("fmi2Reset")
