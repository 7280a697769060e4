"""Simulates measurements with the FMUs, and writes them as measuring programs do."""

import numpy as np

from bristle.running import run

PIATKOWSKI = {
    "staticFriction": 0.563710499490316,
    "dynamicFriction": 0.4739041794087666,
    "stribeckVelocity": 0.001646,
    "stribeckExponent": 0.791,
    "viscousFriction": 0.0,
    "bristleStiffness": 946160.0,
    "bristleDamping": 3075.971391284386,
}
PIATKOWSKI_DAHL = {
    "dynamicFriction": 0.563710499490316,
    "bristleStiffness": 1592200.0,
    "hysteresisExponent": 1.52,
}
PIATKOWSKI_NORMAL = 98.1
DRIVE = {
    "staticFriction": 30.0,
    "dynamicFriction": 20.0,
    "stribeckVelocity": 0.005,
    "stribeckExponent": 2.0,
    "viscousFriction": 150.0,
    "bristleStiffness": 5e5,
    "bristleDamping": 1000.0,
}


def slow_loop(cycles=2, period=10.0, interval=0.01, amplitude=0.891e-4):
    """Makes the motion of Piatkowski's loop: slow, within the pre-sliding range."""
    time = np.arange(round(cycles * period / interval) + 1) * interval
    rate = 2 * np.pi / period
    return time, amplitude * np.sin(rate * time), amplitude * rate * np.cos(rate * time)


def changing_strokes(duration=12.0, interval=0.002):
    """Makes strokes whose speed changes from one to the next, as for measuring a drive."""
    time = np.arange(round(duration / interval) + 1) * interval
    velocity = 0.05 * np.sin(np.pi * time) * (1 + 0.8 * np.sin(0.6 * time))
    positions = np.concatenate(([0.0], np.cumsum((velocity[1:] + velocity[:-1]) / 2) * interval))
    return time, positions, velocity, np.gradient(velocity, interval)


def friction(model, time, velocity, normal, parameters):
    return run(
        model,
        time,
        {"relativeVelocity": velocity, "normalForce": normal},
        parameters,
        ["frictionForce"],
    )["frictionForce"]


def noisy(values, share, seed=3):
    return values + share * np.abs(values).max() * np.random.default_rng(seed).standard_normal(
        len(values)
    )


def written(file, columns, separator=",", decimal=".", encoding="utf-8"):
    """Writes a table with a header; returns the file."""
    lines = [separator.join(columns)]
    for row in zip(*columns.values(), strict=True):
        lines.append(separator.join(f"{value:.9g}".replace(".", decimal) for value in row))
    file.write_text("\n".join(lines) + "\n", encoding=encoding)
    return file
