"""Energy: what an element takes out of the moving bodies, and what it may give back."""

import pytest

from points import Sampler

MEMORYLESS = pytest.mark.fmus(lambda d: not d.states and d.has("relativeVelocity", "dissipatedPower") and "externalForce" not in d)


@MEMORYLESS
def test_an_element_without_memory_never_drives_the_motion(fmu):
    for instance, parameters in Sampler(fmu.description, "passive").points(fmu, 20, 40):
        assert instance.get("dissipatedPower") >= 0, parameters
