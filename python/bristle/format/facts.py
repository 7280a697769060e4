"""What tools need to know of an element beyond modelDescription.xml: resources/bristle.json.

The generator writes it into the FMU; `bristle stamp` copies it unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from .. import BristleError
from .archive import LARGEST_DESCRIPTION, opened

FACTS = "resources/bristle.json"
EVENTS = "state events"  # needed from the host by an element with modes
# Relations of a value to its limits
IN_WORDS = {"at_least": "at least", "above": "above", "at_most": "at most", "below": "below"}

# Kinds of models, in the order of the README, each with what it is about.
MODEL_KINDS = {
    "regularized": "Regularized: a curve over the velocity. Cheapest; a body under load creeps",
    "ideal stick": (
        "Ideal stick: no motion at rest; needs the load on the body and, in most, state events"
    ),
    "bristle": (
        "Bristles and springs: pre-sliding displacement as a state; drift in stick differs by model"
    ),
    "hysteresis": "Hysteresis: loops for small motions",
    "spatial": "Spatial: vectors at any orientation, and the normal force of a contact",
    "load": (
        "Loads: what presses the surfaces of joints, guides, gears and ropes; for the normalForce"
        " of an element"
    ),
}


@dataclass(frozen=True)
class Facts:
    """A missing fact is unknown, as in an FMU of another tool; a newer bristle may add facts."""

    law: str = ""  # the model with its equations, also for a twin or a stamped element
    twin: str = ""  # the kind of twin of that model, as Rotational
    kind: str = ""  # regularized, ideal stick, bristle, hysteresis or spatial
    summary: str = ""
    choose: list[str] = field(default_factory=list)  # what it is for
    not_modelled: list[str] = field(default_factory=list)  # what it is not for
    # Variable by role: velocity, force, load, …
    roles: dict[str, str] = field(default_factory=dict)
    # Between parameters: {"dynamicFriction": {"at_most": "staticFriction"}}
    rules: dict[str, dict[str, str]] = field(default_factory=dict)
    # {option: {item: text}}, items in the order of their values 1, 2, …
    options: dict[str, dict[str, str]] = field(default_factory=dict)
    identify: dict[str, str] = field(default_factory=dict)  # how a parameter is found
    passive: bool = True  # with every option
    passive_with: dict[str, str] = field(default_factory=dict)  # {option: item}, if not with others
    energy: str = ""  # a remark on passivity
    equations: list[dict[str, str]] = field(default_factory=list)  # text, latex, source

    def text(self) -> str:
        """Writes the file."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n"

    def passivity(self) -> str:
        """States in a sentence whether it is passive."""
        for option, item in self.passive_with.items():
            others = " or ".join(one for one in self.options[option] if one != item)
            return f"Passive with {option} = {item}, but not with {others}."
        if not self.passive:
            return "Not passive."
        return "Passive: from an unloaded start it never returns more energy than it took."


def needs(inputs: Iterable[str], roles: Mapping[str, str], has_modes: bool) -> list[str]:
    """Lists what an element needs from its host beside normal force and velocity: inputs, and
    events if it has modes."""
    usual = {roles.get("normal_force"), roles.get("velocity")}
    return [name for name in inputs if name not in usual] + ([EVENTS] if has_modes else [])


def read_facts(fmu: Path) -> Facts:
    """Reads the facts of an FMU and checks their types."""
    with opened(fmu) as archive:
        if FACTS not in archive.namelist():
            return Facts()
        if archive.getinfo(FACTS).file_size > LARGEST_DESCRIPTION:
            raise BristleError(f"{fmu}: {FACTS} is larger than {LARGEST_DESCRIPTION >> 20} MiB.")
        data = archive.read(FACTS)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise BristleError(f"{fmu}: {FACTS} cannot be read.") from None
    if not isinstance(found, dict):
        raise BristleError(f"{fmu}: {FACTS} is not what bristle writes.")
    known = {name: hint for name, hint in get_type_hints(Facts).items() if name in found}
    for name, hint in known.items():
        if not _fits(found[name], hint):
            raise BristleError(f"{fmu}: {FACTS}: {name} has another type than bristle writes.")
    return Facts(**{name: found[name] for name in known})


def _fits(value: Any, hint: Any) -> bool:
    """Checks the type of a value and of its parts."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    is_one = type(value) is (get_origin(hint) or hint)
    return is_one and all(_fits(one, get_args(hint)[-1]) for one in parts)
