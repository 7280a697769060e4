"""A parameter set as a file: SSP parameter values."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

from .. import VERSION

NAMESPACE = "http://ssp-standard.org/SSP1/SystemStructureParameterValues"


@dataclass(frozen=True)
class ParameterSet:
    """The values of one case that one model has, by the names of its scalar parameters."""

    name: str
    title: str
    source: str
    values: dict[str, float | int]


def document_text(root: ElementTree.Element) -> str:
    ElementTree.indent(root)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(root, encoding="unicode")
        + "\n"
    )


def ssv_text(one: ParameterSet) -> str:
    """The set as SSP parameter values."""
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
