"""Writes modelDescription.xml of FMI 3.0, buildDescription.xml and terminalsAndIcons.xml. Value
references are those of 2.0, of a vector that of its first element. After them come time and the
event indicators.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate
from xml.etree.ElementTree import Element, SubElement

from bristle.format.parameter_set import document_text
from bristle.format.sources import UNIT
from .description import Choice, Description, Unit, Variable
from .structure import Structure, indicator_names
from .xml import about, add_items, add_run, add_units, items_range, real_attributes, used_units
from .xml import variables

VERSION = "3.0"
TERMINALS = "terminalsAndIcons/terminalsAndIcons.xml"
ICON = "terminalsAndIcons/icon.png"
SECOND = Unit("s", {"s": 1}, "Time", {})

CAPABILITIES = {
    "canGetAndSetFMUState": "true",
    "canSerializeFMUState": "true",
    "providesDirectionalDerivatives": "true",
    "providesAdjointDerivatives": "true",
}
MODEL_EXCHANGE = CAPABILITIES | {"needsCompletedIntegratorStep": "false"}
CO_SIMULATION = CAPABILITIES | {
    "canHandleVariableCommunicationStepSize": "true",
    "maxOutputDerivativeOrder": "1",
    "hasEventMode": "true",
    "mightReturnEarlyFromDoStep": "true",
    "providesIntermediateUpdate": "true",
}


def xml3_text(
    description: Description, structure: Structure, resets: Collection[str], token: str
) -> str:
    head = {"fmiVersion": VERSION, "instantiationToken": token}
    root = Element("fmiModelDescription", head | about(description))
    for tag, capabilities in (("ModelExchange", MODEL_EXCHANGE), ("CoSimulation", CO_SIMULATION)):
        SubElement(root, tag, {"modelIdentifier": description.name, **capabilities})
    units = list({unit.name: unit for unit in [SECOND, *used_units(description)]}.values())
    add_units(root, units)
    _types(root, description, units)
    add_run(root, description)
    SubElement(root, "ModelVariables").extend(_variables(description, resets))
    _structure(root, description, structure)
    return document_text(root)


def _types(root: Element, description: Description, units: Iterable[Unit]) -> None:
    definitions = SubElement(root, "TypeDefinitions")
    for unit in units:
        about_it = {"quantity": unit.quantity, "unit": unit.name}
        SubElement(definitions, "Float64Type", {"name": unit.quantity} | about_it)
    for choice in description.mode_outputs:
        kind = {"name": choice.type_name, "description": choice.text, "quantity": choice.type_name}
        add_items(SubElement(definitions, "EnumerationType", kind), choice)


def _entries(description: Description) -> list[Variable | Choice]:
    """Returns all variables in the order of their value references."""
    return [*description.reals, *description.mode_outputs, *description.options]


def references(description: Description) -> dict[str, int]:
    """Returns the value reference of each variable, by its name."""
    entries = _entries(description)
    places = accumulate((entry.count for entry in entries), initial=0)
    names = [*(entry.name for entry in entries), "time", *indicator_names(description)]
    first = dict(zip(names, places))
    last = sum(entry.count for entry in entries)
    return first | {name: last + i for i, name in enumerate(names[len(entries) :])}


def _variables(description: Description, resets: Collection[str]) -> Iterator[Element]:
    places = references(description)
    states = {one.derivative.name: one.name for one in description.states if one.derivative}
    for one in variables(description):
        entry = one.entry
        about_it = {"name": entry.name, "valueReference": str(places[entry.name])} | one.attributes
        if isinstance(entry, Variable):
            variable = Element("Float64", about_it | real_attributes(entry))
            if entry.starts:
                variable.set("start", " ".join(map(repr, entry.starts)))
            if one.causality == "input":
                variable.set("intermediateUpdate", "true")
            if entry in description.states and entry.symbol in resets:
                variable.set("reinit", "true")
            if entry.name in states:
                variable.set("derivative", str(places[states[entry.name]]))
        elif one.causality == "output":
            declared = {"declaredType": entry.type_name} | items_range(entry)
            variable = Element("Enumeration", about_it | declared)
        else:
            given = items_range(entry) | {"start": str(entry.start)}
            variable = Element("Int32", about_it | given)
        if entry.size is not None:
            SubElement(variable, "Dimension", start=str(entry.size))
        yield variable
    time = {"name": "time", "valueReference": str(places["time"])}
    time |= {"description": "Simulation time", "causality": "independent"}
    time |= {"variability": "continuous", "declaredType": SECOND.quantity, "unit": SECOND.name}
    yield Element("Float64", time)
    for name in indicator_names(description):
        indicator = {"name": name, "valueReference": str(places[name])}
        indicator |= {"description": "Event indicator: an event is where its sign changes"}
        indicator |= {"causality": "local", "variability": "continuous", "initial": "calculated"}
        yield Element("Float64", indicator)


def _structure(root: Element, description: Description, structure: Structure) -> None:
    model = SubElement(root, "ModelStructure")
    places = references(description)
    scalars = {
        scalar: entry.name for entry in _entries(description) for scalar in entry.scalar_names
    } | {name: name for name in indicator_names(description)}
    members: dict[str, list[str]] = {}
    for scalar, name in scalars.items():
        members.setdefault(name, []).append(scalar)

    def add(tag: str, names: Iterable[str], knowns: dict[str, frozenset[str]]) -> None:
        """Adds an unknown: a vector depends on whatever any of its elements does."""
        for name in sorted(names, key=places.__getitem__):
            found = {scalars[known] for scalar in members[name] for known in knowns[scalar]}
            dependencies = " ".join(str(place) for place in sorted(places[one] for one in found))
            SubElement(model, tag, valueReference=str(places[name]), dependencies=dependencies)

    outputs = [entry.name for entry in description.all_outputs + description.mode_outputs]
    states = [entry.name for entry in description.states]
    rates = [entry.name for entry in description.derivatives]
    add("Output", outputs, structure.tuned)
    add("ContinuousStateDerivative", rates, structure.tuned)
    add("InitialUnknown", states + rates + outputs, structure.initial)
    add("EventIndicator", indicator_names(description), structure.tuned)


def build_text(description: Description) -> str:
    """Writes sources/buildDescription.xml: one file, and the macro for a dynamic library."""
    root = Element("fmiBuildDescription", fmiVersion=VERSION)
    build = SubElement(root, "BuildConfiguration", modelIdentifier=description.name)
    files = SubElement(build, "SourceFileSet", language="C99")
    SubElement(files, "SourceFile", name=UNIT)
    override = {"name": "FMI3_OVERRIDE_FUNCTION_PREFIX", "value": "1", "optional": "true"}
    why = "For a dynamic library: its functions have no prefix"
    SubElement(files, "PreprocessorDefinition", override | {"description": why})
    return document_text(root)


def terminals_text(description: Description) -> str:
    """Writes terminalsAndIcons/terminalsAndIcons.xml: the icon and, for an element that acts on a
    body, the flange. The force flows into the element: it is subtracted in the equation of the
    body."""
    root = Element("fmiTerminalsAndIcons", fmiVersion=VERSION)
    graphics = SubElement(root, "GraphicalRepresentation")
    frame = {"x1": "-100", "y1": "-100", "x2": "100", "y2": "100"}
    SubElement(graphics, "CoordinateSystem", frame | {"suggestedScalingFactorTo_mm": "0.1"})
    SubElement(graphics, "Icon", frame)
    if coupling := description.coupling:
        flange = SubElement(
            SubElement(root, "Terminals"),
            "Terminal",
            name="flange",
            matchingRule="plug",
            description="The body, relative to its counterpart",
        )
        for member, entry, kind in (
            ("velocity", coupling.velocity, "signal"),
            ("force", coupling.force, "inflow"),
        ):
            attributes = {"variableName": entry.name, "memberName": member, "variableKind": kind}
            SubElement(flange, "TerminalMemberVariable", attributes)
    return document_text(root)
