"""The memory of functions that run symbolically: what each place is made from.

A place is a variable and the path into it. A value is the origins of its leaves, or an Address.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from .constants import Number, same
from .kinds import DOUBLE, INT, Kind, Path, leaves, step_into

Roots = frozenset[str]  # the members of the model's structs that something comes from

NOTHING: Roots = frozenset()


@dataclass(frozen=True)
class Origin:
    """What a scalar comes from, its number where that is constant, and whether some path leaves it
    unset."""

    roots: Roots = NOTHING
    number: Number | None = None
    unset: bool = False


@dataclass(frozen=True)
class Address:
    """Where a pointer points to: one place, or one of several."""

    places: tuple[Path, ...]
    roots: Roots = NOTHING

    def inner(self, step: str | int) -> Address:
        """The address of a member or an element."""
        return Address(tuple((*place, step) for place in self.places), self.roots)


UNSET = Origin(unset=True)

Origins = dict[Path, Origin]  # of the leaves of a value, or of all places


def scalar(roots: Roots = NOTHING, number: Number | None = None) -> Origins:
    """The value of a number."""
    return {(): Origin(roots, number)}


def union(origins: Iterable[Origin]) -> Roots:
    return NOTHING.union(*(origin.roots for origin in origins))


def converted(value: Origins, kind: Kind) -> Origins:
    """A number takes the type of what it is stored in."""
    if () not in value or value[()].number is None or kind not in (INT, DOUBLE):
        return value
    roots, number = value[()].roots, value[()].number
    assert number is not None
    if not isinstance(number, int) and not math.isfinite(number):
        return scalar(roots)
    return scalar(roots, float(number) if kind == DOUBLE else int(number))


def merged_values(values: Sequence[Origins]) -> Origins:
    """The value that is one of these."""
    return {path: _merged([value[path] for value in values]) for path in values[0]}


def joined(states: Sequence[Origins]) -> Origins:
    """What the places hold where several paths meet."""
    if len(states) < 2:
        return states[0] if states else {}
    return {
        place: _joined([state.get(place) for state in states]) for place in set().union(*states)
    }


def _merged(origins: Sequence[Origin]) -> Origin:
    number = origins[0].number
    return Origin(union(origins), number if all(same(o.number, number) for o in origins) else None)


def _joined(origins: Sequence[Origin | None]) -> Origin:
    first = origins[0]
    if first is not None and all(o is first or o == first for o in origins):
        return first
    present = [o for o in origins if o is not None]
    merged = _merged(present)
    if len(present) < len(origins):
        return Origin(merged.roots, None, True)
    return replace(merged, unset=any(o.unset for o in present))


@dataclass
class Memory:
    """The variables that exist, and what they hold."""

    variables: dict[str, Kind] = field(default_factory=dict)
    state: Origins = field(default_factory=dict)
    control: Roots = NOTHING  # what decides about the branches that the present statement is in
    returned: Roots = NOTHING  # what decided that the function has not returned before
    count: int = 0

    @property
    def deciding(self) -> Roots:
        """What decides that the present statement runs at all."""
        return self.control | self.returned

    def new_variable(self, name: str, kind: Kind) -> Address:
        self.count += 1
        identity = f"{name}#{self.count}" if name in self.variables else name
        self.variables[identity] = kind
        return Address(((identity,),))

    def keep(self, variables: Collection[str]) -> None:
        """Forgets all variables but these."""
        self.variables = {name: kind for name, kind in self.variables.items() if name in variables}
        self.state = {
            place: origin for place, origin in self.state.items() if place[0] in variables
        }

    def kind_at(self, place: Path) -> Kind:
        return step_into(self.variables[str(place[0])], place[1:])

    def load(self, address: Address, kind: Kind) -> Origins:
        value = {}
        for path, _ in leaves(kind):
            origins = [self.state.get(place + path, UNSET) for place in address.places]
            number = origins[0].number if len(origins) == 1 else None
            value[path] = Origin(address.roots | union(origins), number)
        return value

    def store(self, address: Address, kind: Kind, value: Origins) -> None:
        """Sets a place. Where it is one of several, each of them may also have kept what it
        held."""
        for place in address.places:
            for path, _ in leaves(kind):
                origin = value.get(path, Origin())
                roots = origin.roots | self.deciding | address.roots
                if len(address.places) == 1:
                    self.state[place + path] = Origin(roots, origin.number)
                else:
                    old = self.state.get(place + path, UNSET)
                    self.state[place + path] = Origin(old.roots | roots, None, old.unset)
