"""The variables that a modelDescription.xml describes, of FMI 2.0 or 3.0, scalar by scalar: an
element reads the same in both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from xml.etree.ElementTree import Element

REALS = ("Real", "Float64")
ENUMERATIONS = ("TypeDefinitions/SimpleType", "TypeDefinitions/EnumerationType")


@dataclass(frozen=True)
class Variable:
    """One scalar variable of an FMU."""

    name: str
    reference: int  # in FMI 3.0 that of the vector plus the element's index
    causality: str  # parameter, input, output or local
    variability: str
    text: str
    unit: str | None
    start: Any  # a float, of an option an int; None where there is none
    min: float | None
    max: float | None
    nominal: float | None
    is_real: bool
    items: tuple[str, ...]  # of a mode or an option, with the values 1, 2, …
    derivative: int | None  # the place of the state whose derivative this is

    def __hash__(self) -> int:
        return hash(self.name)  # hashing all fields would take as long as setting up a run

    @property
    def base(self) -> str:
        """The name of its vector, or its own if it is a scalar."""
        return self.name.partition("[")[0]


def version_of(root: Element) -> int:
    """Returns the FMI version of a model description: 2 or 3; 0 for any other."""
    version = root.get("fmiVersion", "")
    return 2 if version == "2.0" else 3 if version.startswith("3.") else 0


def token_name(root: Element) -> str:
    """Returns the attribute with the token that the library checks."""
    return "instantiationToken" if version_of(root) == 3 else "guid"


def variables_of(
    root: Element, options: Mapping[str, Iterable[str]] | None = None
) -> tuple[Variable, ...]:
    """Reads all scalar variables, without the time and event indicators that FMI 3.0 lists among
    them; `options` are the items of integer variables."""
    types = {one.get("name"): one for path in ENUMERATIONS for one in root.iterfind(path)}
    found: list[Variable] = []
    for element in elements_of(root):
        one = _shared(element, types, options or {})
        for i, (name, start) in enumerate(zip(*scalars(element), strict=True)):
            state = None if one.derivative is None else one.derivative + i
            place = one.reference + i
            found.append(replace(one, name=name, reference=place, start=start, derivative=state))
    if version_of(root) == 3:  # a derivative names its state by its value reference
        places = {one.reference: i for i, one in enumerate(found, 1)}
        found = [
            one if one.derivative is None else replace(one, derivative=places[one.derivative])
            for one in found
        ]
    return tuple(found)


def elements_of(root: Element) -> list[Element]:
    """Lists the elements of the variables, without time and event indicators."""
    indicators = root.iterfind("ModelStructure/EventIndicator")
    marked = {one.get("valueReference") for one in indicators}
    return [
        one
        for one in root.iterfind("ModelVariables/*")
        if one.get("causality") != "independent" and one.get("valueReference") not in marked
    ]


def kind_of(element: Element) -> Element:
    """Returns the element with the type of a variable: in 2.0 its child."""
    return element[0] if element.tag == "ScalarVariable" else element


def scalars(element: Element) -> tuple[list[str], list[Any]]:
    """Returns the names of a variable's scalars, and their start values."""
    name, about = element.get("name", ""), kind_of(element)
    kind = float if about.tag in REALS else int
    starts: list[Any] = [kind(one) for one in about.get("start", "").split()]
    sizes = [int(one.get("start", "")) for one in element.iterfind("Dimension")]
    if not sizes:
        return [name], starts or [None]
    (size,) = sizes
    inner = name[4:-1] if name.startswith("der(") else name
    names = [name.replace(inner, f"{inner}[{i + 1}]") for i in range(size)]
    return names, (starts if len(starts) > 1 else (starts or [None]) * size)


def _reference(element: Element) -> int:
    reference = int(element.get("valueReference", ""))
    if not 0 <= reference < 2**32:
        raise OverflowError
    return reference


def _shared(
    element: Element,
    types: Mapping[str | None, Element],
    options: Mapping[str, Iterable[str]],
) -> Variable:
    """Reads the attributes that all scalars of a variable share."""
    about = kind_of(element)

    def number(key: str) -> float | None:
        return None if about.get(key) is None else float(about.get(key, ""))

    name, items = element.get("name", ""), []
    if about.tag not in REALS:
        items = list(options.get(name.partition("[")[0], ()))
        declared = types.get(about.get("declaredType"))
        if declared is not None:
            items = [one.get("name", "") for one in declared.iter("Item")]
    return Variable(
        name=name,
        reference=_reference(element),
        causality=element.get("causality", "local"),
        variability=element.get("variability", "continuous"),
        text=element.get("description", ""),
        unit=about.get("unit"),
        start=None,
        min=number("min"),
        max=number("max"),
        nominal=number("nominal"),
        is_real=about.tag in REALS,
        items=tuple(items),
        derivative=None if about.get("derivative") is None else int(about.get("derivative", "")),
    )
