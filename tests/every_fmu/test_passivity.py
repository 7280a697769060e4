"""Energy: what an element takes from the moving bodies, and what it may give back.

A model is passive unless its description has `passive = false` with a reason. Passive means: from
an unloaded start the energy taken so far is never negative, whatever the motion and the normal
force were. A model that is not passive shows it: by the numbers on its page, or in some random
motion.
"""

import tomllib
from functools import cache

import pytest

from fmus import REPOSITORY
from operating_points import Sampler
from prescribed import BOUNDED

STEPS = 40  # per piece of constant velocity; Simpson's rule is then good to ROUGHNESS
ROUGHNESS = 1e-4


@cache
def is_passive(description):
    """Reads whether a model is passive from its description or a shared part that it includes."""
    folder = REPOSITORY / "modelDescription"
    waiting = [folder / f"{description.name}.toml"]
    while waiting:
        data = tomllib.loads(waiting.pop(0).read_text(encoding="utf-8"))
        if "passive" in data:
            return data["passive"]
        waiting += [folder / "shared" / f"{name}.toml" for name in data.get("include", [])]
    return True


def scalar(description):
    return description.has("normalForce", "relativeVelocity", "dissipatedPower")


def is_passive_when_bounded(description):
    """Checks whether the description names the item of an option with which the element is
    passive."""
    file = REPOSITORY / "modelDescription" / f"{description.name}.toml"
    return file.is_file() and "passive_with" in tomllib.loads(file.read_text(encoding="utf-8"))


MEMORYLESS = pytest.mark.fmus(
    lambda d: (
        d.family("relativeVelocity") and "dissipatedPower" in d and not d.states and is_passive(d)
    )
)
PASSIVE = pytest.mark.fmus(lambda d: scalar(d) and d.states and is_passive(d))
PASSIVE_WHEN_BOUNDED = pytest.mark.fmus(lambda d: is_passive_when_bounded(d))
NOT_PASSIVE = pytest.mark.fmus(
    lambda d: scalar(d) and not is_passive(d) and "externalForce" not in d and d.name in GIVING_BACK
)
NOT_PASSIVE_WITHOUT_NUMBERS = pytest.mark.fmus(
    lambda d: (
        scalar(d) and not is_passive(d) and "externalForce" not in d and d.name not in GIVING_BACK
    )
)
LOADED = pytest.mark.fmus(lambda d: scalar(d) and "externalForce" in d)

# Parameters other than the default; a list of (normal force, velocity, distance); the energy that
# each of these takes, in J.
RISING_NORMAL_FORCE = {}, [(1, 1e-6, 1e-5), (10, -1e-6, 1e-5)], [4.160e-6, -39.33e-6]
GIVING_BACK = {
    "LuGre": ({}, [(9.81, 1e-4, 4.5e-4), (9.81, 0.5, 4e-4)], [1.806e-3, -11.83e-3]),
    "LuGreVelocityDamping": ({}, [(9.81, 1e-4, 1e-5), (0.01, 0.01, 1e-5)], [2.286e-6, -13.82e-6]),
    "LuGreNormalized": ({}, [(1, 1e-5, 5e-6), (10, -1e-5, 5e-6)], [0.05113e-6, -0.4496e-6]),
    "ElastoPlastic": ({}, [(9.81, 1e-4, 4.5e-4), (9.81, 0.5, 4e-4)], [2.000e-3, -12.66e-3]),
    "Leuven": ({}, [(9.81, 1e-4, 1e-3), (9.81, 1, 1e-3)], [4.048e-3, -17.91e-3]),
    "Gonthier": ({}, [(0.981, 1e-4, 2e-4), (9.81, -1e-4, 2e-4)], [0.1130e-3, -0.7013e-3]),
    "StickSlip": (
        {},
        [(9.81, 1e-5, 6.4e-5), (9.81, 0.05, 3.6e-5), (9.81, -1e-5, 1e-4)],
        [0.1685e-3, 0.1059e-3, -0.3667e-3],
    ),
    "GeneralizedMaxwellSlip": (
        {},
        [(9.81, 0.01, 5e-4), (98.1, 1e-5, 2e-6), (98.1, -0.01, 1e-3)],
        [1.465e-3, 0.05492e-3, -18.56e-3],
    ),
    "AdamsStickSlip": RISING_NORMAL_FORCE,
    "RecurDynStickSlip": RISING_NORMAL_FORCE,
    "SimpackStickSlip": (
        {"restart": 2},
        [(1, 1e-3, 1e-8), (100, -1e-6, 3e-7)],
        [0.003e-6, -4.497e-6],
    ),
}


def energy(instance, normal, velocity, path, steps=STEPS):
    """Returns the energy that the element takes over a distance at constant velocity, and the
    energy exchanged."""
    instance.set({"normalForce": normal, "relativeVelocity": velocity})
    instance.step(0.0)
    size = abs(path / velocity) / steps
    powers = [instance.get("dissipatedPower")]
    for _ in range(steps):
        instance.step(size)
        powers.append(instance.get("dissipatedPower"))
    taken = size / 3 * (powers[0] + powers[-1] + 4 * sum(powers[1:-1:2]) + 2 * sum(powers[2:-1:2]))
    return taken, size * sum(map(abs, powers))


def unloaded(sampler, instance, given=None):
    """Starts an instance with random parameters, but for the given ones, and no deflection; returns
    its parameters."""
    parameters = sampler.start(instance, tolerance=1e-8)
    parameters.update(given or {})
    parameters.update(
        {name: 0.0 for name in parameters if name.partition("[")[0].endswith("Start")}
    )
    instance.demand("fmi2Reset")
    instance.start({**parameters, "relativeVelocity": 0.0}, tolerance=1e-8)
    return parameters


def paths(description, parameters, normal, speed):
    """Lists lengths over which the model changes: its own, those over which its springs take up the
    friction force, and distances in its time constants."""
    friction = max(parameters.get(name, 0.0) for name in ("staticFriction", "dynamicFriction"))
    lengths = [state.nominal for state in description.states if state.unit == "m"]
    for v in description.real_parameters:
        if v.unit == "N/m":
            lengths.append(friction * normal / parameters[v.name])
        if v.unit == "1/m":
            lengths.append(friction / parameters[v.name])
        if v.unit == "m" and "Start" not in v.name and parameters[v.name] > 0:
            lengths.append(parameters[v.name])
        if v.unit == "s" and parameters[v.name] > 0:
            lengths.append(parameters[v.name] * speed)
    return lengths


def piece(sampler, parameters, normal, swing):
    """Draws a piece of a motion: normal force, which may vanish if it varies, velocity and
    distance."""
    d, draw = sampler.description, sampler.random
    load = -1.0 if swing and draw.random() < 0.1 else normal * 10 ** draw.uniform(-swing, swing)
    velocity = sampler.value(d["relativeVelocity"], parameters) * 10 ** draw.uniform(-1, 1)
    return (
        load,
        velocity,
        min(
            draw.choice(paths(d, parameters, normal, abs(velocity))) * 10 ** draw.uniform(-1, 0.7),
            abs(velocity) * 10,
        ),
    )


@MEMORYLESS
def test_an_element_without_memory_never_drives_the_motion(fmu):
    for instance, parameters in Sampler(fmu.description, "passive").points(fmu, 20, 40):
        assert instance.get("dissipatedPower") >= 0, parameters


def balances(fmu, swing, given=None):
    """Runs random motions of pieces of constant velocity, from creep to ten times the natural
    speed, over the lengths in which the model changes; yields after each piece the energy taken so
    far over the energy exchanged, and the motion."""
    sampler = Sampler(fmu.description, "energy")
    draw = sampler.random
    with fmu.co_simulation() as instance:
        for _ in range(150):
            parameters = unloaded(sampler, instance, given)
            normal = 10 ** draw.uniform(0, 2.3)
            taken = moved = 0.0
            history = []
            for _ in range(draw.choice([2, 3, 4, 6, 10])):
                history.append(piece(sampler, parameters, normal, swing))
                work, flow = energy(instance, *history[-1])
                taken, moved = taken + work, moved + flow
                yield taken, moved, (parameters, history)
            instance.demand("fmi2Reset")


@PASSIVE
@pytest.mark.endurance
@pytest.mark.parametrize("swing", [0.0, 1.0], ids=["constant normal force", "varying normal force"])
def test_a_passive_element_never_gives_back_more_than_it_took(fmu, swing):
    for taken, moved, motion in balances(fmu, swing):
        assert taken >= -ROUGHNESS * moved, motion


@PASSIVE_WHEN_BOUNDED
@pytest.mark.endurance
@pytest.mark.parametrize("swing", [0.0, 1.0], ids=["constant normal force", "varying normal force"])
def test_an_element_that_is_passive_when_bounded_never_gives_back_more_than_it_took(fmu, swing):
    for taken, moved, motion in balances(fmu, swing, BOUNDED):
        assert taken >= -ROUGHNESS * moved, motion


@NOT_PASSIVE
def test_an_element_declared_not_passive_gives_back_the_energy_on_its_page(fmu):
    parameters, pieces, expected = GIVING_BACK[fmu.name]
    with fmu.co_simulation() as instance:
        instance.start(
            {**parameters, "normalForce": pieces[0][0], "relativeVelocity": 0.0}, tolerance=1e-9
        )
        taken = [energy(instance, *piece, steps=1000)[0] for piece in pieces]
    assert taken == pytest.approx(expected, rel=2e-3), "the numbers its page prints"
    assert sum(taken) < 0


@NOT_PASSIVE_WITHOUT_NUMBERS
def test_an_element_declared_not_passive_gives_back_more_than_it_took_somewhere(fmu):
    assert any(taken < -ROUGHNESS * moved for taken, moved, _ in balances(fmu, 1.0)), (
        "no motion shows it"
    )


@LOADED
def test_an_element_with_the_load_drives_a_body_that_moves_against_it(fmu):
    """In stick it balances the load, not the motion: power is negative, but never more than the
    load itself takes."""
    d = fmu.description
    assert not is_passive(d)
    with fmu.model_exchange() as instance:
        load, speed = 0.5 * d["staticFriction"].start * 10.0, 1e-9
        instance.start({"normalForce": 10.0, "relativeVelocity": 0.0, "externalForce": load})
        instance.set({"relativeVelocity": -speed})
        assert -load * speed <= instance.get("dissipatedPower") < 0
