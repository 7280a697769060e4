"""RecurDynStickSlip is AdamsStickSlip with a fixed ratio of velocities; its other tests are with
that model."""

import pytest

from operating_points import Sampler


@pytest.mark.collection
def test_the_law_is_that_of_adams(fmu, all_fmus):
    adams = next(other for other in all_fmus if other.name == "AdamsStickSlip")
    d, sampler = fmu.description, Sampler(fmu.description, "twins")
    with fmu.model_exchange() as one, adams.model_exchange() as two:
        for _ in range(10):
            parameters = sampler.start(one)
            begin = {v.name: one.get(v.name) for v in d.inputs}
            two.start({**parameters, **begin, "velocityRatio": 1.5})
            for _ in range(20):
                inputs, states = sampler.inputs(parameters), sampler.states(parameters)
                for instance in (one, two):
                    instance.set(inputs)
                    instance.states = states
                    instance.event()
                names = [v.name for v in d.outputs + d.derivatives + d.states] + ["mode"]
                assert [one.get(name) for name in names] == [two.get(name) for name in names]
            one.demand("fmi2Reset"), two.demand("fmi2Reset")
