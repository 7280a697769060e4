"""Vectors of an FMU: arrays of three, name[1] to name[3]."""

import numpy as np


def is_vector(description, base):
    return len(description.family(base)) == 3


def vectors(description, variables):
    """Returns the names of the vectors among some variables."""
    return sorted({v.base for v in variables if v.base and is_vector(description, v.base)})


def spread(**values):
    """Converts {"relativeVelocity": (1, 2, 3)} to values of scalars."""
    return {
        f"{base}[{i}]": float(value)
        for base, vector in values.items()
        for i, value in enumerate(vector, 1)
    }


def read(instance, base):
    name = f"der({base[4:-1]}[{{}}])" if base.startswith("der(") else f"{base}[{{}}]"
    return np.array([instance.get(name.format(i)) for i in (1, 2, 3)])


def random_rotation(draw):
    q = np.array([draw.gauss(0, 1) for _ in range(4)])
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
