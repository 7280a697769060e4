"""GuideLoad: reactions of a guide, over an overlap that changes."""

import pytest

from fmi2 import ERROR, FmiError

REACTIONS = {
    "reactionForce[1]": 99.0,
    "reactionForce[2]": 3.0,
    "reactionForce[3]": 4.0,
    "reactionMoment[1]": -0.1,
    "reactionMoment[2]": 0.6,
    "reactionMoment[3]": 0.8,
}
GUIDE = {"initialOverlap": 0.1, "minimumOverlap": 0.02, "reactionArm": 0.05}


def test_each_part_acts_at_its_arm(fmu):
    """5 N across, 1 N.m over 0.1 m, 0.1 N.m at 0.05 m; the force along the guide drives its
    motion."""
    with fmu.in_model_exchange(REACTIONS | GUIDE) as instance:
        got = tuple(
            instance.get(name)
            for name in ("normalForce", "reactionLoad", "bendingLoad", "torsionLoad")
        )
    assert got == pytest.approx((17, 5, 10, 2), rel=1e-15)


@pytest.mark.parametrize(
    "off, left", [("reactionForceEffect", 12), ("bendingEffect", 7), ("torsionEffect", 15)]
)
def test_each_effect_can_be_switched_off(fmu, off, left):
    with fmu.in_model_exchange(REACTIONS | GUIDE | {off: 2}) as instance:
        assert instance.get("normalForce") == pytest.approx(left, rel=1e-15)


@pytest.mark.parametrize("rate", [-1.0, 0.0, 1.0])
def test_the_overlap_follows_the_position_down_to_its_limit(fmu, rate):
    with fmu.in_model_exchange(GUIDE | {"overlapRate": rate, "reactionMoment[2]": 1.0}) as instance:
        for position in (-1.0, -0.09, -0.05, 0.0, 0.05, 0.09, 1.0):
            instance.set({"slidePosition": position})
            overlap = max(0.1 + rate * position, 0.02)
            assert instance.get("overlap") == pytest.approx(overlap, rel=1e-15)
            assert instance.get("bendingLoad") == pytest.approx(1 / overlap, rel=1e-15)


@pytest.mark.parametrize("bending, count", [(1, 1), (2, 0)])
def test_an_overlap_that_ends_warns_once(fmu, bending, count):
    with fmu.co_simulation(logging=True) as instance:
        instance.start(
            GUIDE | {"overlapRate": -1.0, "reactionMoment[2]": 1.0, "bendingEffect": bending}
        )
        for n in range(20):
            instance.set({"slidePosition": 0.01 * n})
            instance.step(1e-3, n * 1e-3)
            assert n > 8 or not any(
                "minimumOverlap" in message.text for message in instance.messages
            ), "the overlap is still there"
        assert sum("minimumOverlap" in message.text for message in instance.messages) == count


@pytest.mark.parametrize(
    "wrong",
    [
        {"initialOverlap": 0.0},
        {"reactionArm": -1.0},
        {"minimumOverlap": 0.0},
        {"minimumOverlap": 0.2},
        {"overlapRate": 1.5},
    ],
    ids=str,
)
def test_invalid_parameters_are_refused_in_a_sentence(fmu, wrong):
    with fmu.model_exchange() as instance:
        with pytest.raises(FmiError) as refusal:
            instance.start(GUIDE | wrong)
        assert refusal.value.status == ERROR and next(iter(wrong)) in instance.messages[-1].text
