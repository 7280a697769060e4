"""GearLoad: a share of the transmitted torque, from coefficients or efficiencies, and other laws
that it can express."""

import math
from itertools import product

import pytest

from fmi2 import ERROR, FmiError
from fmus import TWINS

ELEMENTS = {twin.name: twin for twin, _ in TWINS}
UNITY = {
    "dynamicFriction": 1.0,
    "frictionRadius": 1.0,
}  # the normal force is the friction torque as a number


@pytest.mark.parametrize("forward, backward", [(0.9, 0.9), (0.7, 0.4), (1.0, 1.0), (0.3, -1.3)])
@pytest.mark.parametrize("torque", [-5.0, 5.0])
def test_the_powers_are_in_the_ratio_of_the_efficiency(fmu, forward, backward, torque):
    """If the gear drives, the input is load plus friction; if the load drives, the output is load
    minus friction."""
    with fmu.model_exchange() as gear:
        gear.start(
            {
                "forwardEfficiency": forward,
                "backwardEfficiency": backward,
                "transmittedTorque": torque,
            }
        )
        for speed in (10.0, -10.0):
            gear.set({"relativeAngularVelocity": speed})
            load, friction = abs(torque), gear.get("lossTorque")
            if speed * torque > 0:
                assert load / (load + friction) == pytest.approx(forward, rel=1e-14)
            else:
                assert (load - friction) / load == pytest.approx(backward, rel=1e-14, abs=1e-14)
        assert gear.get("backDrivingEfficiency") == pytest.approx(backward, rel=1e-14)


@pytest.mark.platforms
def test_the_friction_element_takes_that_torque(fmu):
    """With the same radius and coefficient for both."""
    with (
        fmu.model_exchange() as gear,
        ELEMENTS["QuasiStaticLuGreRotational"].model_exchange() as friction,
    ):
        at = {"dynamicFriction": 0.2, "frictionRadius": 0.03}
        gear.start(
            at
            | {
                "losses": 2,
                "forwardLoss": 0.25,
                "transmittedTorque": 8.0,
                "relativeAngularVelocity": 20.0,
            }
        )
        assert gear.get("lossTorque") == pytest.approx(2, rel=1e-14)
        friction.start(
            at
            | {
                "staticFriction": 0.2,
                "viscousFriction": 0.0,
                "viscousDamping": 0.0,
                "relativeAngularVelocity": 20.0,
                "normalForce": gear.get("normalForce"),
            }
        )
        assert friction.get("frictionTorque") == pytest.approx(2, rel=1e-12)


def test_at_rest_friction_has_to_hold_the_load(fmu):
    """So the loss of back-driving applies there, without a jump."""
    with fmu.model_exchange() as gear:
        gear.start(
            {
                "losses": 2,
                "forwardLoss": 0.2,
                "backwardLoss": 1.2,
                "transitionVelocity": 0.1,
                "transmittedTorque": 3.0,
            }
        )
        losses = []
        for speed in (-1.0, -1e-9, 0.0, 1e-9, 0.05, 0.1, 1.0):
            gear.set({"relativeAngularVelocity": speed})
            losses.append(gear.get("loss"))
    assert losses == pytest.approx([1.2, 1.2, 1.2, 1.2, 0.7, 0.2, 0.2], rel=1e-12)


# Laws that it expresses: BAM's friction budgets M1 to M6 (Duclusaud et al. 2025) and MuJoCo's
# proposal, issue 3528, in steady sliding.

BAM = {
    "friction_base": 0.05,
    "friction_stribeck": 0.03,
    "load_friction": 0.08,
    "load_friction_stribeck": 0.06,
    "viscous": 0.02,
    "stribeck_velocity": 0.2,
    "alpha": 1.35,
    "motor": 0.07,
    "external": 0.09,
    "motor_stribeck": 0.02,
    "external_stribeck": 0.05,
}


def budget(model, motor, external, speed):
    """Returns the friction torque of BAM while the joint turns with `speed`."""
    b = BAM
    fading = math.exp(-(abs(speed / b["stribeck_velocity"]) ** b["alpha"]))
    torque = b["friction_base"] + b["viscous"] * abs(speed)
    if model != "M1" and model != "M3":
        torque += fading * b["friction_stribeck"]
    if model in ("M3", "M4"):
        torque += b["load_friction"] * abs(motor - external)
    if model == "M4":
        torque += fading * b["load_friction_stribeck"] * abs(motor - external)
    if model == "M5":
        torque += abs(b["external"] * external - b["motor"] * motor)
        torque += fading * abs(b["external_stribeck"] * external - b["motor_stribeck"] * motor)
    return torque


def sliding_torque(speed, normal, static, dynamic, viscous):
    """Returns the torque of one rotational element with the Stribeck curve at a radius of 1 m."""
    with ELEMENTS["QuasiStaticLuGreRotational"].model_exchange() as friction:
        friction.start(
            {
                "frictionRadius": 1.0,
                "staticFriction": static,
                "dynamicFriction": dynamic,
                "stribeckVelocity": BAM["stribeck_velocity"],
                "stribeckExponent": BAM["alpha"],
                "viscousFriction": 0.0,
                "viscousDamping": viscous,
                "normalForce": normal,
                "relativeAngularVelocity": speed,
            }
        )
        return friction.get("frictionTorque")


def load_of(fmu, torque, speed):
    with fmu.model_exchange() as gear:
        gear.start(
            UNITY
            | {
                "losses": 2,
                "forwardLoss": 1.0,
                "backwardLoss": 1.0,
                "transmittedTorque": torque,
                "relativeAngularVelocity": speed,
            }
        )
        return gear.get("normalForce")


def expressed(fmu, model, motor, external, speed):
    """Returns the torque of an element for the part independent of the load, and of one for each
    part that depends on it, each with its own coefficients."""
    b = BAM
    stribeck = model not in ("M1", "M3")
    fixed = b["friction_base"]
    torque = sliding_torque(
        speed, 1.0, fixed + (b["friction_stribeck"] if stribeck else 0.0), fixed, b["viscous"]
    )
    if model in ("M3", "M4"):
        k = b["load_friction"]
        torque += sliding_torque(
            speed,
            load_of(fmu, motor - external, speed),
            k + (b["load_friction_stribeck"] if stribeck else 0.0),
            k,
            0.0,
        )
    if model == "M5":
        torque += sliding_torque(
            speed, load_of(fmu, b["external"] * external - b["motor"] * motor, speed), 1.0, 1.0, 0.0
        )
        fading = load_of(
            fmu, b["external_stribeck"] * external - b["motor_stribeck"] * motor, speed
        )
        small = 1e-6  # the smallest dynamic friction; its contribution is subtracted again
        torque += sliding_torque(speed, fading, 1.0 + small, small, 0.0) - small * fading
    return torque


@pytest.mark.platforms
@pytest.mark.parametrize("model", ["M1", "M2", "M3", "M4", "M5"])
def test_it_is_the_budget_of_bam(fmu, model):
    """All but the quadratic term of M6, which no friction element has."""
    for motor, external, speed in product((-1.0, 0.4), (-0.7, 0.0, 1.3), (0.01, 0.3, 5.0)):
        assert expressed(fmu, model, motor, external, speed) == pytest.approx(
            budget(model, motor, external, speed), rel=1e-12
        )


@pytest.mark.platforms
def test_it_is_the_loss_that_mujoco_proposes(fmu):
    """mu T_in sgn(omega); a bristle in place of the sign is what DahlRotational does."""
    for torque, speed in product((-2.0, 3.0), (-1.0, 1.0)):
        with (
            fmu.model_exchange() as gear,
            ELEMENTS["CoulombRotational"].model_exchange() as friction,
        ):
            gear.start(
                {
                    "losses": 2,
                    "forwardLoss": 0.15,
                    "backwardLoss": 0.15,
                    "transmittedTorque": torque,
                    "relativeAngularVelocity": speed,
                }
            )
            friction.start(
                {
                    "staticFriction": 0.3,
                    "dynamicFriction": 0.3,
                    "normalForce": gear.get("normalForce"),
                    "relativeAngularVelocity": speed,
                }
            )
            assert friction.get("frictionTorque") == pytest.approx(
                0.15 * abs(torque) * math.copysign(1, speed), rel=1e-12
            )


@pytest.mark.parametrize(
    "wrong",
    [
        {"forwardEfficiency": 0.0},
        {"forwardEfficiency": 1.1},
        {"backwardEfficiency": 1.1},
        {"forwardLoss": -0.1},
        {"frictionRadius": 0.0},
        {"transitionVelocity": 0.0},
    ],
    ids=str,
)
def test_invalid_parameters_are_refused_in_a_sentence(fmu, wrong):
    with fmu.model_exchange() as instance:
        with pytest.raises(FmiError) as refusal:
            instance.start(wrong)
        assert refusal.value.status == ERROR and next(iter(wrong)) in instance.messages[-1].text
