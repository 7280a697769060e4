"""resources/bristle.json: what tools need to know of an element beyond modelDescription.xml."""

from __future__ import annotations

import re

from bristle.format.facts import Facts
from .description import Coupling, Description, Equation

# Roles of variables by their part in the coupling with a body.
ROLES = {
    "velocity": "velocity",
    "force": "force",
    "normal_force": "normal_force",
    "load": "load",
    "rest": "rest_velocity",
    "normal": "contact_normal",
    "lever": "radius",
    "preload": "preload",
    "limit": "friction_coefficient",
    "mass": "coupling_mass",
    "timing": "coupling_timing",
    "observed_load": "estimated_load",
    "power": "power",
    "heat": "heat",
}


def facts(description: Description) -> Facts:
    return Facts(
        law=description.model,
        twin=description.name.removeprefix(description.model),
        kind=description.kind,
        summary=" ".join(description.summary.split()),
        choose=list(description.choose),
        not_modelled=list(description.not_modelled),
        roles=_roles(description.coupling) if description.coupling else {},
        rules=_rules(description),
        options={option.name: dict(option.items) for option in description.options if option.items},
        identify=_identify(description),
        passive=description.passive,
        passive_with={
            option.name: description.passive_with
            for option in description.options
            if description.passive_with in dict(option.items)
        },
        energy=" ".join(description.energy.split()),
        equations=[
            {"text": one.text, "latex": one.latex, "source": _source(one)}
            for one in description.equations
        ],
    )


def _roles(coupling: Coupling) -> dict[str, str]:
    return {role: entry.name for part, role in ROLES.items() if (entry := getattr(coupling, part))}


def _rules(description: Description) -> dict[str, dict[str, str]]:
    """Returns rules between parameters; numeric limits are in modelDescription.xml."""
    rules: dict[str, dict[str, str]] = {}
    for entry in description.parameters:
        for bound in entry.bounds:
            if isinstance(bound.limit, str):
                rules.setdefault(entry.name, {})[bound.relation] = bound.limit
    return rules


def _identify(description: Description) -> dict[str, str]:
    """Returns how to find each parameter: the text after the colon that follows its name."""
    known = {entry.name for entry in description.parameters}
    found: dict[str, str] = {}
    for text in description.identify:
        names, _, how = text.partition(":")
        for name in known.intersection(re.split(r"\W+", names)):
            found[name] = f"{found.get(name, '')} {how.strip()}".strip()
    return {one.name: found[one.name] for one in description.parameters if one.name in found}


def _source(equation: Equation) -> str:
    cite = equation.reference.cite if equation.reference else ""
    return ", ".join(filter(None, [cite, equation.place]))
