"""The code accepts what the description declares: every limit of every parameter."""

import math

from fmi2 import ERROR, OK


def takes(instance, values):
    """Checks whether an instance can be initialized with these parameters, and resets it."""
    instance.demand("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0)
    instance.set(values)
    instance.demand("fmi2EnterInitializationMode")
    status = instance.fmi2ExitInitializationMode()
    instance.demand("fmi2Reset")
    assert status in (OK, ERROR)
    return status == OK


def in_range(variable, value):
    return (variable.min is None or value >= variable.min) and (
        variable.max is None or value <= variable.max
    )


def test_every_declared_limit_is_accepted_and_nothing_beyond_it(fmu):
    """With the start values of all others or, if rules bind others of the same unit to it, with
    those around the limit."""
    d = fmu.description
    tried = 0
    with fmu.co_simulation() as instance:
        for variable in d.real_parameters:
            for limit, outwards in ((variable.min, -math.inf), (variable.max, math.inf)):
                if limit is None:
                    continue
                alike = [
                    v for v in d.real_parameters if v.unit == variable.unit and v is not variable
                ]
                sets = [
                    {
                        v.name: limit * factor
                        for v in alike
                        if factor and in_range(v, limit * factor)
                    }
                    for factor in (0, 0.5, 1, 2)
                ]
                assert any(takes(instance, {**others, variable.name: limit}) for others in sets), (
                    f"{variable.name} = {limit}"
                )
                beyond = math.nextafter(limit, outwards)
                for others in sets:
                    assert not takes(instance, {**others, variable.name: beyond}), (
                        f"{variable.name} = {beyond}"
                    )
                tried += 1
    assert tried
