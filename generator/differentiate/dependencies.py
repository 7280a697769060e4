"""What the derivatives, outputs and initial states of a model depend on, for its ModelStructure.

The pass that writes slopes cannot give this as well. A variable that only decides which branch is
taken has a slope of zero, and a dependency. And that pass writes each function once, for all its
callers, with its loops and branches, while a dependency is one of a call: of 37 models 4 get other
dependencies if the constants that a caller hands over are forgotten, and 6 if the modes at the
start are. So functions are run here over the names of what they are given, call by call.

Nor can runs of the compiled model at random points, which tests compare with what is found here: a
point proves that a dependency exists, never that one does not, and a branch that is seldom taken
would be missing in the XML until a test happened to meet it. The XML would also need a compiler
before it could be written, and what is never set on some path of evaluate would go unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from .tracer import Tracer
from .kinds import DOUBLE, Array, Kind, Path, leaves, path_text
from .memory import NOTHING, Address, Origin
from .source import SubsetError
from .unit import Unit

Dependencies = dict[str, set[str]]

STRUCT_OF = {
    "p": "Parameters",
    "u": "Inputs",
    "x": "States",
    "m": "Modes",
    "dx": "States",
    "y": "Outputs",
}


def model_dependencies(
    unit: Unit, options: Collection[str] = (), indicators: int | None = None
) -> Dependencies:
    """What each member of dx and y depends on, {"dx.z": {"p.sigma0", "u.v", "x.z"}, …}, and what
    the states are made from at the start, {"init.z": {"p.z_start"}}. Where the model has options,
    or modes that can be followed, also what dx, y and the modes depend on at the start, when the
    modes are found too: {"start.dx.z": {…}, "start.m.mode": {…}}; "m.…" stands for an option there.
    And so many event indicators, {"g[0]": {…}}, where they can be followed.
    """
    return _running(unit) | _starting(unit, options) | _indicated(unit, indicators or 0)


def _running(unit: Unit) -> Dependencies:
    run = _Run(unit)
    return run.evaluated(*(run.known(name) for name in "puxm"))


def _indicated(unit: Unit, count: int) -> Dependencies:
    if "indicators" not in unit.definitions or not count:
        return {}
    run, kind = _Run(unit), Array(DOUBLE, count)
    g = run.tracer.memory.new_variable("g", kind)
    try:
        run.tracer.run("indicators", [*(run.known(name) for name in "puxm"), g.inner(0)])
    except SubsetError:  # events may be marked by any C
        return {}
    state = run.tracer.memory.state
    return {f"g[{i}]": set(state[*g.places[0], i].roots) for i in range(count)}


def _starting(unit: Unit, options: Collection[str]) -> Dependencies:
    def start_value(path: Path, leaf: Kind) -> Origin:
        return Origin(frozenset({f"p.{path[0]}_start{path_text(path[1:])}"}))

    def fresh_mode(path: Path, leaf: Kind) -> Origin:
        return (
            Origin(frozenset({"m" + path_text(path)})) if path[0] in options else Origin(NOTHING, 0)
        )

    run = _Run(unit)
    p, u, x, m = (
        run.known("p"),
        run.known("u"),
        run.given("x", start_value),
        run.given("m", fresh_mode),
    )
    if "initialize" in unit.definitions:
        run.tracer.run("initialize", [p, u, x])
    states = run.roots("init", "x", x)
    if "next_modes" not in unit.definitions and not options:
        return states
    try:
        if "next_modes" in unit.definitions:
            run.tracer.run("next_modes", [p, u, x, m])
    except SubsetError:
        # modes may be found by any C, and then everything depends on everything at the start
        return states
    states, modes = run.roots("init", "x", x), run.roots("start.m", "m", m)
    return (
        states
        | modes
        | {f"start.{name}": roots for name, roots in run.evaluated(p, u, x, m).items()}
    )


class _Run:
    """The functions of a model, run once over the members of its structs."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.tracer = Tracer(unit)

    def kind(self, name: str) -> Kind:
        return self.unit.typedefs[STRUCT_OF[name]]

    def members(self, name: str) -> Iterator[Path]:
        return (path for path, _ in leaves(self.kind(name)) if path != ("none",))

    def unset(self, name: str) -> Address:
        return self.tracer.memory.new_variable(name, self.kind(name))

    def given(self, name: str, origin: Callable[[Path, Kind], Origin]) -> Address:
        """A struct whose leaves have these origins."""
        address = self.unset(name)
        value = {path: origin(path, leaf) for path, leaf in leaves(self.kind(name))}
        self.tracer.memory.store(address, self.kind(name), value)
        return address

    def known(self, name: str) -> Address:
        """A struct whose doubles come from nowhere but themselves."""

        def itself(path: Path, leaf: Kind) -> Origin:
            return Origin(frozenset({name + path_text(path)}) if leaf == DOUBLE else NOTHING)

        return self.given(name, itself)

    def evaluated(self, p: Address, u: Address, x: Address, m: Address) -> Dependencies:
        """What the derivatives and outputs come from."""
        dx, y = self.unset("dx"), self.unset("y")
        self.tracer.run("evaluate", [p, u, x, m, dx, y])
        self.check_set("dx", dx, "the derivative of")
        self.check_set("y", y, "output")
        return self.roots("dx", "dx", dx) | self.roots("y", "y", y)

    def check_set(self, name: str, address: Address, what: str) -> None:
        """Refuses an evaluate that leaves a member as it was."""
        for path in self.members(name):
            member = path_text(path)[1:]
            origin = self.tracer.memory.state.get(address.places[0] + path)
            if origin is None:
                text = f"{what} {member} is never set; evaluate must set {name}->{member}"
                raise self.unit.error(self.unit.definitions["evaluate"], text)
            if origin.unset:
                text = (
                    f"{what} {member} is not set on every path through evaluate; set it in each"
                    " branch"
                )
                raise self.unit.error(self.unit.definitions["evaluate"], text)

    def roots(self, prefix: str, name: str, address: Address) -> Dependencies:
        """What the members of a struct come from."""
        state = self.tracer.memory.state
        return {
            prefix + path_text(path): set(state[address.places[0] + path].roots)
            for path in self.members(name)
        }
