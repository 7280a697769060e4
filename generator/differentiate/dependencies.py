"""Finds what the derivatives, outputs and initial states of a model depend on, for its
ModelStructure.

The pass that writes slopes cannot do this, too. A variable that only decides which branch is taken
has a slope of zero, and a dependency. And that pass writes each function once, for all its callers,
with its loops and branches, while dependencies differ from call to call: of 37 models 4 get other
dependencies if the constants that a caller passes are ignored, and 6 if the modes at the start are.
So functions are executed symbolically here, call by call.

Runs of the compiled model at random points, which tests compare with these results, are no
substitute: a point proves that a dependency exists, never that one does not, and a rare branch
would be missing in the XML until a test happened to reach it. Also, writing the XML would need a
compiler, and a member left unset on some path of evaluate would go unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from .kinds import DOUBLE, Array, Kind, Path, path_text
from .source import SubsetError
from .tracer import NOTHING, UNSET, Address, Origin, Tracer, built, numbers
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
    """Finds what each member of dx and y depends on, {"dx.z": {"p.sigma0", "u.v", "x.z"}, …}, and
    what the initial states depend on, {"init.z": {"p.z_start"}}. If the model has options, or modes
    that can be followed, also what dx, y and the modes depend on at the start, where the modes are
    computed, too: {"start.dx.z": {…}, "start.m.mode": {…}}; "m.…" stands for an option there. And
    that many event indicators, {"g[0]": {…}}, if they can be followed.
    """
    return _running(unit) | _starting(unit, options) | _indicated(unit, indicators or 0)


def _running(unit: Unit) -> Dependencies:
    run = _Run(unit)
    return run.evaluated(*(run.known(name) for name in "puxm"))


def _indicated(unit: Unit, count: int) -> Dependencies:
    if "indicators" not in unit.definitions or not count:
        return {}
    run = _Run(unit)
    g = run.tracer.new_variable("g", built(Array(DOUBLE, count), lambda *_: UNSET))
    try:
        run.tracer.run("indicators", [*(run.known(name) for name in "puxm"), g.inner(0)])
    except SubsetError:  # event functions may use any C
        return {}
    return run.roots("g", g)


def _starting(unit: Unit, options: Collection[str]) -> Dependencies:
    def start_value(path: Path, leaf: Kind) -> Origin:
        return Origin(frozenset({f"p.{path[0]}_start{path_text(path[1:])}"}))

    def fresh_mode(path: Path, leaf: Kind) -> Origin:
        return (
            Origin(frozenset({"m" + path_text(path)})) if path[0] in options else Origin(number=0)
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
    states = run.roots("init", x)
    if "next_modes" not in unit.definitions and not options:
        return states
    try:
        if "next_modes" in unit.definitions:
            run.tracer.run("next_modes", [p, u, x, m])
    except SubsetError:
        # mode functions may use any C; then everything depends on everything at the start
        return states
    states, modes = run.roots("init", x), run.roots("start.m", m)
    return (
        states
        | modes
        | {f"start.{name}": roots for name, roots in run.evaluated(p, u, x, m).items()}
    )


class _Run:
    """The functions of a model, executed once over the members of its structs."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.tracer = Tracer(unit)

    def given(self, name: str, origin: Callable[[Path, Kind], Origin]) -> Address:
        """Makes a struct whose numbers have these origins."""
        kind = self.unit.typedefs[STRUCT_OF[name]]
        return self.tracer.new_variable(name, built(kind, origin))

    def known(self, name: str) -> Address:
        """Makes a struct whose doubles are their own origins."""

        def itself(path: Path, leaf: Kind) -> Origin:
            return Origin(frozenset({name + path_text(path)}) if leaf == DOUBLE else NOTHING)

        return self.given(name, itself)

    def evaluated(self, p: Address, u: Address, x: Address, m: Address) -> Dependencies:
        """Finds the origins of derivatives and outputs."""
        dx, y = (self.given(name, lambda *_: UNSET) for name in ("dx", "y"))
        self.tracer.run("evaluate", [p, u, x, m, dx, y])
        self.check_set("dx", dx, "the derivative of")
        self.check_set("y", y, "output")
        return self.roots("dx", dx) | self.roots("y", y)

    def check_set(self, name: str, address: Address, what: str) -> None:
        """Refuses an evaluate that leaves a member unset."""
        for member, origin in self.members(address):
            text = ""
            if origin is UNSET:
                text = f"{what} {member[1:]} is never set; evaluate must set {name}->{member[1:]}"
            elif origin.unset:
                text = (
                    f"{what} {member[1:]} is not set on every path through evaluate; set it in each"
                    " branch"
                )
            if text:
                raise self.unit.error(self.unit.definitions["evaluate"], text)

    def members(self, address: Address) -> Iterator[tuple[str, Origin]]:
        """Yields the numbers of a struct, each with its name."""
        found = numbers(self.tracer.load(address))
        return ((path_text(path), origin) for path, origin in found if path != ("none",))

    def roots(self, prefix: str, address: Address) -> Dependencies:
        """Returns the origins of the members of a struct."""
        return {prefix + member: set(origin.roots) for member, origin in self.members(address)}
