"""The keys of a description, the kind of value of each, and the message about any other.

A table of kinds, because a message has to name the wrong file and key in the words of a
description: the messages of a schema library would have to be translated.
"""

from __future__ import annotations

KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "text": (str, "a text"),
    "number": ((int, float), "a number"),
    "flag": (bool, "true or false"),
    "count": (int, "a whole number"),
    "list": (list, "a list"),
    "table": (dict, "a table"),
    "limit": ((int, float, str), "a number or the name of a parameter"),
    "name": (
        str,
        "the name of a parameter; a number is at_least or at_most, as in modelDescription.xml",
    ),
    "start": ((int, float, list), "a number or a list of numbers"),
}

VARIABLE_KEYS = {
    "symbol": "text",
    "latex": "text",
    "unit": "text",
    "display": "text",
    "text": "text",
    "nominal": "number",
    "size": "count",
}
BOUND_KEYS = {"at_least": "limit", "above": "name", "at_most": "limit", "below": "name"}
CHOICE_KEYS = {"symbol": "text", "text": "text", "items": "list", "size": "count"}
WHOLE_KEYS = ("symbol", "text", "whole", "start", "at_most")
TABLE_KEYS: dict[str, dict[str, str]] = {
    "parameters": VARIABLE_KEYS | BOUND_KEYS | {"start": "start", "items": "list", "whole": "flag"},
    "inputs": (
        VARIABLE_KEYS | {"law": "text", "start": "start", "at_least": "number", "at_most": "number"}
    ),
    "states": VARIABLE_KEYS | BOUND_KEYS | {"start": "start"},
    "outputs": VARIABLE_KEYS | {"law": "text", "at_least": "number", "at_most": "number"},
    "modes": CHOICE_KEYS | {"output": "flag"},
}
TOP_KEYS = dict.fromkeys(TABLE_KEYS, "table") | {
    "title": "text",
    "summary": "text",
    "sign_convention": "text",
    "include": "list",
    "linear_states": "flag",
    "kind": "text",
    "passive": "flag",
    "passive_with": "text",
    "energy": "text",
    "indicators": "count",
    "coupling": "table",
    "experiment": "table",
    "equations": "list",
    "tables": "list",
    "choose": "list",
    "identify": "list",
    "not_modelled": "list",
    "errata": "list",
    "references": "list",
    "bounded": "table",
}
COUPLING_TABLES = {
    "velocity": "inputs",
    "force": "outputs",
    "mass": "parameters",
    "timing": "options",
    "observed_load": "outputs",
    "normal_force": "inputs or outputs",
    "load": "inputs",
    "rest": "parameters",
    "normal": "inputs",
    "opposed": "outputs",
    "power": "outputs",
    "heat": "outputs",
}
COUPLING_LISTS = ("proportional", "limit", "ratio", "preload", "lever")
VECTORS = ("velocity", "force", "observed_load", "load", "normal", "opposed")
OPTIONAL_COUPLING = ("load", "rest", "normal", "opposed", "power", "heat")
EXPERIMENT_KEYS = {"stop": "number", "step": "number", "tolerance": "number"}
PAGE_TABLE_KEYS = {"title": "text", "head": "list", "rows": "list"}
EQUATION_KEYS = {"text": "text", "latex": "text", "source": "text", "last": "flag"}
