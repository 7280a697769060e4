"""The content of a description: the model's variables, texts and equations, ready for the
writers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path


def scalar_names(name: str, size: int | None) -> list[str]:
    """Returns the names of a variable's scalars: z; z[1], z[2]; of a derivative der(z[1]),
    der(z[2])."""
    if size is None:
        return [name]
    if name.startswith("der("):
        return [f"der({scalar})" for scalar in scalar_names(name[4:-1], size)]
    return [f"{name}[{i + 1}]" for i in range(size)]


@dataclass(frozen=True)
class Unit:
    name: str
    exponents: dict[str, int]
    quantity: str
    displays: dict[str, float]


@dataclass(frozen=True)
class Bound:
    relation: str  # one of IN_WORDS of the facts
    limit: float | str  # a number or the name of a parameter


class Sized:
    """Something with a name and possibly a size, the number of its scalars."""

    name: str
    size: int | None

    @property
    def count(self) -> int:
        return self.size or 1

    @property
    def scalar_names(self) -> list[str]:
        return scalar_names(self.name, self.size)


@dataclass(frozen=True)
class Variable(Sized):
    """A real variable."""

    name: str
    symbol: str
    latex: str
    text: str
    unit: Unit
    display: str | None = None
    size: int | None = None
    starts: tuple[float, ...] = ()
    nominal: float | None = None
    bounds: tuple[Bound, ...] = ()
    derivative: Variable | None = None  # of a state
    start_parameter: Variable | None = None  # of a state


@dataclass(frozen=True)
class Choice(Sized):
    """A choice of one of several items, counted from 1: a mode of the model or an option of the
    user. Without items, an integer that the user gives."""

    name: str
    symbol: str
    text: str
    items: tuple[tuple[str, str], ...]
    size: int | None = None
    output: bool = False
    start: int = 1
    at_most: int | None = None  # without items

    @property
    def largest(self) -> int:
        return len(self.items) if self.at_most is None else self.at_most

    @property
    def type_name(self) -> str:
        return self.name[0].upper() + self.name[1:]


@dataclass(frozen=True)
class Coupling:
    """The variables that close the loop over the body in co-simulation."""

    velocity: Variable  # input: of the body
    force: Variable  # output: subtracted from the equation of motion of the body
    mass: Variable  # parameter: of the body, roughly
    timing: Choice  # option: when the host applies the force
    observed_load: Variable  # output that the model does not compute: the load on the body
    normal_force: Variable  # input or output
    # parameter: times the normal force, the largest holding force
    limit: Variable | None = None
    ratio: Variable | None = None  # parameter: its ratio in other directions
    preload: Variable | None = None  # parameter: added to the normal force
    lever: Variable | None = None  # parameter: radius that turns a force into a torque
    load: Variable | None = None  # input: the load, if the law needs it
    rest: Variable | None = None  # parameter: speed at which a law without a slope at rest sticks
    normal: Variable | None = None  # input: of the plane, where the body moves in space
    opposed: Variable | None = None  # output: contains the force, with the opposite sign
    # outputs proportional to the force, the friction coefficient first
    proportional: tuple[Variable, ...] = ()
    power: Variable | None = None  # outputs that contain the power of the force
    heat: Variable | None = None


@dataclass(frozen=True)
class Reference:
    key: str
    cite: str
    entry: str
    doi: str | None


@dataclass(frozen=True)
class Equation:
    text: str
    latex: str
    reference: Reference | None
    place: str


@dataclass(frozen=True)
class Bounded:
    """The effects of the option `law`."""

    # benchmark systems with the change of the friction force, in per cent of its largest value
    systems: dict[str, float] = field(default_factory=dict)
    # numbers of the papers by their ids: description, value as printed and bounded
    numbers: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table of the page under its own heading, such as the parameters' names in other
    programs."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Frame:
    """The conversion between the variables of an element and those of its law, as expressions in
    C."""

    inputs: tuple[Variable, ...]  # of the law
    outputs: tuple[Variable, ...]
    given: dict[str, str]  # input of the law by its symbol: from p and u
    taken: dict[str, str]  # output of the element by its symbol: from p and law


@dataclass(frozen=True)
class Description:
    file: Path
    name: str
    title: str
    summary: str
    sign_convention: str
    linear_states: bool
    kind: str  # one of MODEL_KINDS
    passive: bool  # with every option
    passive_with: str  # "", or the item of an option, not its default, with which it is passive
    energy: str  # a remark on passivity
    indicators: int
    stop: float
    step: float
    tolerance: float
    # as described, those of the coupling, then the initial values of the states
    parameters: tuple[Variable, ...]
    options: tuple[Choice, ...]
    inputs: tuple[Variable, ...]
    states: tuple[Variable, ...]
    outputs: tuple[Variable, ...]  # of the model
    modes: tuple[Choice, ...]
    coupling: Coupling | None
    equations: tuple[Equation, ...]
    tables: tuple[Table, ...]
    choose: tuple[str, ...]
    identify: tuple[str, ...]
    not_modelled: tuple[str, ...]
    errata: tuple[str, ...]
    bounded: Bounded
    references: tuple[Reference, ...]
    files: tuple[Path, ...] = field(default=())  # all files read
    frame: Frame | None = None  # if the law has other variables than the element

    @property
    def model(self) -> str:
        """The name of the model whose C file has the law."""
        return self.file.stem

    @property
    def law(self) -> Description:
        """The description of the law, as the C file of the model has it."""
        return (
            replace(self, inputs=self.frame.inputs, outputs=self.frame.outputs, frame=None)
            if self.frame
            else self
        )

    @property
    def tunable(self) -> tuple[Variable, ...]:
        """The parameters that may change in a run: all but those read at its start, which come
        last."""
        return self.parameters[: -len(self.states)] if self.states else self.parameters

    @property
    def derivatives(self) -> tuple[Variable, ...]:
        return tuple(state.derivative for state in self.states if state.derivative)

    @property
    def body(self) -> Variable | None:
        """The mass that co-simulation moves together with the element; no law uses it."""
        named = (one for one in self.parameters if one.name == "couplingMass")
        return self.coupling.mass if self.coupling else next(named, None)

    @property
    def observed(self) -> tuple[Variable, ...]:
        """The outputs of the observer of the body."""
        return (self.coupling.observed_load,) if self.coupling else ()

    @property
    def all_outputs(self) -> tuple[Variable, ...]:
        return self.outputs + self.observed

    @property
    def reals(self) -> tuple[Variable, ...]:
        """All real variables in the order of their value references."""
        return self.parameters + self.inputs + self.states + self.derivatives + self.all_outputs

    @property
    def mode_outputs(self) -> tuple[Choice, ...]:
        return tuple(mode for mode in self.modes if mode.output)
