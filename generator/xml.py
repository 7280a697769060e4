"""Writes modelDescription.xml of FMI 2.0."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element, SubElement

from bristle import VERSION
from bristle.format.parameter_set import document_text
from bristle.format.sources import UNIT
from .description import Choice, Description, Unit, Variable
from .structure import Structure

LOG_CATEGORIES = {
    "logStatusWarning": (
        "A use in which the element cannot serve its purpose; also calls against the standard that"
        " are tolerated as harmless"
    ),
    "logStatusDiscard": "A value or step that was refused; the instance can go on",
    "logStatusError": "A call that was refused",
    "logStatusFatal": "The instance cannot go on",
    "logEvents": "Events of the model",
    "logAll": "All messages",
}

CAPABILITIES = {
    "canBeInstantiatedOnlyOncePerProcess": "false",
    "canGetAndSetFMUstate": "true",
    "canNotUseMemoryManagementFunctions": "false",
    "canSerializeFMUstate": "true",
    "needsExecutionTool": "false",
    "providesDirectionalDerivative": "true",
}
MODEL_EXCHANGE = CAPABILITIES | {"completedIntegratorStepNotNeeded": "true"}
CO_SIMULATION = CAPABILITIES | {
    "canHandleVariableCommunicationStepSize": "true",
    "canInterpolateInputs": "true",
    "maxOutputDerivativeOrder": "1",
    "canRunAsynchronuously": "false",
}


@dataclass(frozen=True)
class Described:
    """The attributes of a variable in every version of FMI; a vector is one."""

    entry: Variable | Choice
    text: str
    causality: str
    variability: str
    initial: str | None = None

    @property
    def attributes(self) -> dict[str, str]:
        attributes = {"description": self.text, "causality": self.causality}
        attributes |= {"variability": self.variability}
        return attributes | ({"initial": self.initial} if self.initial else {})


def variables(description: Description) -> Iterator[Described]:
    """Yields all variables in the order of their value references."""
    for entry in description.parameters:
        tunable = "tunable" if entry in description.tunable else "fixed"
        yield Described(entry, with_unit(entry), "parameter", tunable, "exact")
    for entry in description.inputs:
        yield Described(entry, with_unit(entry), "input", "continuous")
    for entry in description.states + description.derivatives:
        yield Described(entry, with_unit(entry), "local", "continuous", "calculated")
    for entry in description.all_outputs:
        yield Described(entry, with_unit(entry), "output", "continuous", "calculated")
    for mode in description.mode_outputs:
        yield Described(mode, mode.text, "output", "discrete", "calculated")
    for option in description.options:
        yield Described(option, numbered(option), "parameter", "fixed", "exact")


def xml_text(
    description: Description, structure: Structure, resets: Collection[str], guid: str
) -> str:
    head = {"fmiVersion": "2.0", "guid": guid} | about(description)
    head["numberOfEventIndicators"] = str(description.indicators)
    root = Element("fmiModelDescription", head)
    _kind(root, "ModelExchange", description, MODEL_EXCHANGE)
    _kind(root, "CoSimulation", description, CO_SIMULATION)
    add_units(root, used_units(description))
    _types(root, description)
    add_run(root, description)
    places = _variables(root, description, resets)
    _structure(root, description, structure, places)
    return document_text(root)


def about(description: Description) -> dict[str, str]:
    """Returns the attributes of the root element in every version of FMI."""
    return {
        "modelName": description.name,
        "description": description.title,
        "version": VERSION,
        "author": "Bristle",
        "copyright": "Bristle contributors",
        "license": "MIT",
        "generationTool": f"Bristle {VERSION}",
        "variableNamingConvention": "structured",
    }


def add_run(root: Element, description: Description) -> None:
    """Writes the log categories and the default experiment."""
    categories = SubElement(root, "LogCategories")
    for name, text in LOG_CATEGORIES.items():
        SubElement(categories, "Category", name=name, description=text)
    SubElement(
        root,
        "DefaultExperiment",
        startTime="0.0",
        stopTime=repr(description.stop),
        tolerance=repr(description.tolerance),
        stepSize=repr(description.step),
    )


def _kind(root: Element, tag: str, description: Description, capabilities: dict[str, str]) -> None:
    kind = SubElement(root, tag, {"modelIdentifier": description.name, **capabilities})
    SubElement(SubElement(kind, "SourceFiles"), "File", name=UNIT)


def used_units(description: Description) -> list[Unit]:
    found = {entry.unit.name: entry.unit for entry in description.reals}
    return list(found.values())


def add_units(root: Element, units: Iterable[Unit]) -> None:
    definitions = SubElement(root, "UnitDefinitions")
    for unit in units:
        element = SubElement(definitions, "Unit", name=unit.name)
        SubElement(
            element, "BaseUnit", {base: str(power) for base, power in unit.exponents.items()}
        )
        for name, factor in unit.displays.items():
            SubElement(element, "DisplayUnit", name=name, factor=repr(factor))


def _types(root: Element, description: Description) -> None:
    definitions = SubElement(root, "TypeDefinitions")
    for unit in used_units(description):
        simple = SubElement(definitions, "SimpleType", name=unit.quantity)
        SubElement(simple, "Real", quantity=unit.quantity, unit=unit.name)
    for choice in description.mode_outputs:
        simple = SubElement(
            definitions, "SimpleType", name=choice.type_name, description=choice.text
        )
        add_items(SubElement(simple, "Enumeration", quantity=choice.type_name), choice)


def add_items(enumeration: Element, choice: Choice) -> None:
    for value, (name, text) in enumerate(choice.items, 1):
        SubElement(enumeration, "Item", name=name, value=str(value), description=text)


def _variables(root: Element, description: Description, resets: Collection[str]) -> dict[str, int]:
    """Writes all variables; returns the index of each, counted from 1."""
    listed = SubElement(root, "ModelVariables")
    places: dict[str, int] = {}
    for one in variables(description):
        if one.causality == "parameter":  # docs/design.md explains why none is tunable in 2.0
            one = replace(one, variability="fixed")
        for i, name in enumerate(one.entry.scalar_names):
            about_it = {"name": name, "valueReference": str(len(places))} | one.attributes
            SubElement(listed, "ScalarVariable", about_it).append(_type(one, i))
            places[name] = len(places) + 1
    # A derivative names its state by index.
    elements = {element.get("name"): element for element in listed}
    for state_name, rate in state_rates(description):
        elements[rate][0].set("derivative", str(places[state_name]))
    for state in description.states:
        for name in state.scalar_names if state.symbol in resets else ():
            elements[name][0].set("reinit", "true")
    return places


def state_rates(description: Description) -> Iterator[tuple[str, str]]:
    """Yields each scalar state with its derivative."""
    for state, rate in zip(description.states, description.derivatives, strict=True):
        yield from zip(state.scalar_names, rate.scalar_names, strict=True)


def _type(one: Described, i: int) -> Element:
    """Returns the type of a scalar, the i-th of a vector."""
    entry = one.entry
    if isinstance(entry, Variable):
        kind = Element("Real", real_attributes(entry))
        if entry.starts:
            kind.set("start", repr(entry.starts[i]))
        return kind
    if one.causality == "output":
        return Element("Enumeration", {"declaredType": entry.type_name} | items_range(entry))
    return Element("Integer", items_range(entry) | {"start": str(entry.start)})


def real_attributes(entry: Variable) -> dict[str, str]:
    """Returns the attributes of a real variable in every version of FMI, but its start values."""
    attributes = {"declaredType": entry.unit.quantity, "unit": entry.unit.name}
    if entry.display:
        attributes["displayUnit"] = entry.display
    for bound in entry.bounds:
        if not isinstance(bound.limit, str):
            attributes["min" if bound.relation == "at_least" else "max"] = repr(bound.limit)
    if entry.nominal:
        attributes["nominal"] = repr(float(entry.nominal))
    return attributes


def with_unit(entry: Variable) -> str:
    """Returns the description of a variable with its unit: importers such as OpenModelica keep
    nothing else."""
    return entry.text if entry.unit.name == "1" else f"{entry.text} [{entry.unit.name}]"


def items_range(choice: Choice) -> dict[str, str]:
    return {"min": "1", "max": str(choice.largest)}


def numbered(option: Choice) -> str:
    """Returns the description of an option with the meaning of its values. It is an Integer,
    because OpenModelica never sets an enumeration."""
    items = (f"{value} = {name}: {text}" for value, (name, text) in enumerate(option.items, 1))
    return f"{option.text} ({'; '.join(items)})" if option.items else option.text


def _structure(
    root: Element, description: Description, structure: Structure, places: dict[str, int]
) -> None:
    model = SubElement(root, "ModelStructure")
    outputs = [
        name
        for entry in description.all_outputs + description.mode_outputs
        for name in entry.scalar_names
    ]
    states = [name for entry in description.states for name in entry.scalar_names]
    rates = [rate for _, rate in state_rates(description)]
    _unknowns(model, "Outputs", outputs, structure.running, places)
    _unknowns(model, "Derivatives", rates, structure.running, places)
    _unknowns(model, "InitialUnknowns", states + rates + outputs, structure.initial, places)


def _unknowns(
    model: Element,
    tag: str,
    names: Iterable[str],
    knowns: dict[str, frozenset[str]],
    places: dict[str, int],
) -> None:
    unknowns = sorted((places[name], name) for name in names)
    if not unknowns:
        return
    group = SubElement(model, tag)
    for index, name in unknowns:
        dependencies = sorted(places[known] for known in knowns[name])
        SubElement(
            group, "Unknown", index=str(index), dependencies=" ".join(map(str, dependencies))
        )
