"""Vectors of an element in space in the axes of its plane of contact: components along the grain,
across it and along the normal."""

import numpy as np


def vector(values, base):
    return np.array([values[f"{base}[{i}]"] for i in (1, 2, 3)])


def spread(base, components):
    return {f"{base}[{i}]": float(component) for i, component in enumerate(components, 1)}


def axes(normal, grain):
    """Returns rows: a unit vector of the plane along the grain (any, if the grain is normal to the
    plane), one across it, and the unit normal (Colantonio et al. 2022, eq 18: the component along
    it is removed)."""
    n = normal / np.linalg.norm(normal)
    along = np.cross(np.cross(n, grain), n)
    if np.linalg.norm(along) == 0:
        along = np.cross(n, np.eye(3)[np.argmin(abs(n))])
    along = along / np.linalg.norm(along)
    return np.array([along, np.cross(n, along), n])


def friction_outputs(normal, force, velocity, sliding):
    """Returns the outputs that every element in space has."""
    size = float(np.linalg.norm(force))
    return {
        **spread("frictionForce", force),
        "frictionForceMagnitude": size,
        "frictionCoefficient": size / normal if normal > 0 else 0.0,
        **spread("slidingVelocity", sliding),
        "slidingSpeed": float(np.linalg.norm(sliding)),
        "dissipatedPower": float(force @ velocity),
    }
