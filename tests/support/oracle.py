"""The best element that knows nothing of the load but what velocities show: it has the law, its
values and the body's mass exactly, and knows when its output acts.

A load that changes at t[k] shows in the velocity at t[k+1] for the first time, so until then no
element can answer to it. This one takes law and body over what is past, again with the load that
has shown itself, and over the step in which its output will act with the load that was last seen;
both in such fine steps as the truth that docs/coupling.md compares with. The momentum that the body
got while its load was unknown it takes out again, within what the contact holds.
"""

from held_force import Element


def confined(value, limit):
    return min(max(value, -limit), limit)


class Oracle(Element):
    """In the place of an Element. The body has 1 kg, and so has couplingMass of the instance, which
    is stepped in `fine` parts of a step."""

    def __init__(self, instance, normal, limit, late, fine):
        super().__init__(instance, normal)
        self.limit, self.late, self.fine = limit, late, fine
        self.state = None  # of the law at the start of the last step, and its velocity there
        self.velocity = self.load = self.remainder = 0.0
        self.forces = [0.0, 0.0]  # given, the last one first

    def follow(self, state, velocity, load, time, length):
        """Law and body over a step from a state on: state and velocity at its end, and the mean
        force."""
        self.instance.restore(state)
        count = max(round(length / self.fine), 1)
        begin, part = velocity, length / count
        for n in range(count):
            velocity += part * (load - super().step(time + n * part, velocity, part))
        return self.instance.save(), velocity, load - (velocity - begin) / length

    def share(self, excess):
        """What the contact holds of an excess of momentum beside the load, and the remainder."""
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
        """Gives back what it keeps of the instance."""
        for state in (self.state, self.ahead[0]):
            self.instance.drop(state)
