"""A share of the transmitted torque, depending on which side drives."""

from .PinLoad import rounded


def evaluate(p, u, x):
    torque, speed = u["transmittedTorque"], u["relativeAngularVelocity"]
    forward, backward = p["forwardLoss"], p["backwardLoss"]
    if p["losses"] == 1:
        forward, backward = 1 / p["forwardEfficiency"] - 1, 1 - p["backwardEfficiency"]
    part = min(max((speed if torque >= 0 else -speed) / p["transitionVelocity"], 0.0), 1.0)
    share = backward + (forward - backward) * (3 * part**2 - 2 * part**3)
    friction = share * rounded(abs(torque), p["smoothingTorque"])
    return {}, {
        "loss": share,
        "lossTorque": friction,
        "backDrivingEfficiency": 1 - backward,
        "normalForce": friction / (p["dynamicFriction"] * p["frictionRadius"]),
    }
