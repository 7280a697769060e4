"""STEP and STEP5 as multibody packages document them: from h0 at x0 to h1 at x1, constant
outside."""


def step(x, x0, h0, x1, h1):
    u = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return h0 + (h1 - h0) * (3 * u**2 - 2 * u**3)


def step5(x, x0, h0, x1, h1):
    u = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return h0 + (h1 - h0) * (10 * u**3 - 15 * u**4 + 6 * u**5)
