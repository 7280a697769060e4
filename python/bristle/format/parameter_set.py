"""A parameter set as a file: SSP parameter values. XML, written and read."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

from .. import VERSION, BristleError

KINDS = {"Real": float, "Integer": int, "Enumeration": str}
NAMESPACE = "http://ssp-standard.org/SSP1/SystemStructureParameterValues"


@dataclass(frozen=True)
class ParameterSet:
    """The values of one case for one model, by the names of its scalar parameters."""

    name: str
    title: str
    source: str
    values: dict[str, float | int]


def document(text: bytes, name: object) -> ElementTree.Element:
    """Parses XML of any origin; returns its root."""
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError) as error:
        raise BristleError(f"{name}: not XML: {error}.") from None


def document_text(root: ElementTree.Element) -> str:
    ElementTree.indent(root)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(root, encoding="unicode")
        + "\n"
    )


def ssv_text(one: ParameterSet) -> str:
    """Writes the set as SSP parameter values."""
    ElementTree.register_namespace("ssv", NAMESPACE)
    root = ElementTree.Element(
        f"{{{NAMESPACE}}}ParameterSet",
        {
            "version": "1.0",
            "name": one.name,
            "description": f"{one.title} ({one.source})",
            "generationTool": f"Bristle {VERSION}",
        },
    )
    parameters = ElementTree.SubElement(root, f"{{{NAMESPACE}}}Parameters")
    for name, value in one.values.items():
        parameter = ElementTree.SubElement(parameters, f"{{{NAMESPACE}}}Parameter", {"name": name})
        kind = "Integer" if isinstance(value, int) else "Real"
        ElementTree.SubElement(parameter, f"{{{NAMESPACE}}}{kind}", {"value": repr(value)})
    return document_text(root)


def values_of(text: bytes, file: object) -> dict[str, tuple[float | int | str, str | None]]:
    """Reads the values of a set, each with its unit."""
    root = document(text, file)
    if root.tag != f"{{{NAMESPACE}}}ParameterSet":
        raise BristleError(f"{file}: not a parameter set of SSP.")
    values: dict[str, tuple[float | int | str, str | None]] = {}
    for parameter in root.iter(f"{{{NAMESPACE}}}Parameter"):
        name = parameter.get("name", "")
        if name in values:
            raise BristleError(f"{file}: {name} is given twice.")
        values[name] = _value(file, name, parameter)
    return values


def _value(
    file: object, name: str, parameter: ElementTree.Element
) -> tuple[float | int | str, str | None]:
    for kind, convert in KINDS.items():
        element = parameter.find(f"{{{NAMESPACE}}}{kind}")
        if element is None:
            continue
        try:
            return convert(element.get("value", "")), element.get("unit")
        except ValueError:
            raise BristleError(
                f'{file}: {name}: "{element.get("value")}" is not a number.'
            ) from None
    raise BristleError(f"{file}: {name}: has no value that is {', '.join(KINDS)}.")
