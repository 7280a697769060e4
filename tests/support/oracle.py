"""The best element that knows the load only from velocities: it has the exact law, parameters and
mass of the body, and knows when its output acts. A load that changes at t[k] affects the velocity
at t[k+1] first, so until then no element can respond. This one integrates law and body over the
past, again with the load that is now observed, and over the step in which its output will act with
the load observed last; both in steps as fine as those of the reference in docs/coupling.md. It then
removes the momentum that the body got while its load was unknown, within the limit of the contact.
"""

from held_force import Element


def confined(value, limit):
    return min(max(value, -limit), limit)


class Oracle(Element):
    """A replacement for an Element. The body has 1 kg, and so has couplingMass of the instance,
    which takes `fine` parts of a step."""

    def __init__(self, instance, normal, limit, late, fine):
        super().__init__(instance, normal)
        self.limit, self.late, self.fine = limit, late, fine
        self.state = None  # of the law at the start of the last step, and its velocity there
        self.velocity = self.load = self.remainder = 0.0
        self.forces = [0.0, 0.0]  # past outputs, the last one first

    def follow(self, state, velocity, load, time, length):
        """Integrates law and body over a step from a state; returns state and velocity at its end,
        and the mean force."""
        self.instance.restore(state)
        count = max(round(length / self.fine), 1)
        begin, part = velocity, length / count
        for n in range(count):
            velocity += part * (load - super().step(time + n * part, velocity, part))
        return self.instance.save(), velocity, load - (velocity - begin) / length

    def share(self, excess):
        """Splits an excess of momentum into what the contact holds beside the load, and the
        remainder."""
        held = confined(self.load + excess, self.limit) - confined(self.load, self.limit)
        return held, excess - held

    def step(self, time, velocity, length):
        drop = self.instance.drop
        if self.state is None:
            self.state, self.velocity = self.instance.save(), velocity
        else:
            shown = (velocity - self.before) / length + self.forces[self.late]
            if abs(shown - self.load) > 1e-9 * self.limit:
                drop(self.ahead[0])
                self.load = shown
                self.ahead = self.follow(
                    self.state, self.velocity, shown + self.remainder, time - length, length
                )
            drop(self.state)
            self.state, self.velocity, _ = self.ahead
        self.before = velocity
        held, self.remainder = self.share((velocity - self.velocity) / length)
        self.ahead = self.follow(
            self.state, self.velocity, self.load + self.remainder, time, length
        )
        force = self.ahead[2]
        if self.late:
            begin = velocity + length * (self.load - self.forces[0])
            held, remainder = self.share((begin - self.ahead[1]) / length)
            further, _, force = self.follow(
                *self.ahead[:2], self.load + remainder, time + length, length
            )
            drop(further)
        force = confined(force + held, max(self.limit, abs(force)))
        self.forces = [force, self.forces[0]]
        return force

    def close(self):
        """Frees the stored states of the instance."""
        for state in (self.state, self.ahead[0]):
            self.instance.drop(state)
