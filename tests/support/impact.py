"""Drops a body on a contact, in a host with a fixed step that holds the force over it: v' = v + h
(N/m − g), x' = x + h v'."""

GRAVITY = 9.81


def drop(push, mass, height, step, steps, late=False, sliding=0.0):
    """Returns the energies in flight after each step and the last speed. `push(position, velocity,
    time, step)` returns the force on the body across and along."""
    x, v, w, last, energies = height, 0.0, sliding, (0.0, 0.0), []
    for n in range(steps):
        force = push(x, v, w, n * step, step)
        acts, last = (last, force) if late else (force, force)
        v += step * (acts[0] / mass - GRAVITY)
        w += step * acts[1] / mass
        x += step * v
        if x > 0:
            energies.append(mass * (0.5 * (v**2 + w**2) + GRAVITY * x))
    return energies, v, w


def impact(push, height, steps, late, implicit, mass=1.0):
    """Returns the largest energy in flight after contact, relative to that before, and speed and
    position at the end. Positions follow with the new speed (implicit) or the old one."""
    x, v, last, before, energy, left, time = height, 0.0, 0.0, None, 0.0, 0.0, 0.0
    for step in steps:
        force, _ = push(x, v, 0.0, time, step)
        acts, last = (last, force) if late else (force, force)
        old = v
        v += step * (acts / mass - GRAVITY)
        x += step * (v if implicit else old)
        if acts > 0 and before is None:
            before = energy
        energy = 0.5 * v**2 + GRAVITY * max(x, 0.0)
        if before is not None and x > 0:
            left = max(left, energy / before)
        time += step
    return left, v, x
