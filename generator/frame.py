"""The frame of an element: C that leads from the variables of the element to those of its law and
back.

The law is the model's C file as it stands. Inside the frame its functions are called law_evaluate,
law_indicators and so on, and where the element has other inputs or outputs than the law, the types
of the law are LawInputs and LawOutputs. Slopes and dependencies go through the frame like through
any other function.
"""

from __future__ import annotations

from collections.abc import Iterable

from .contract import CONTRACT, arguments_of
from .description import Description

PREFIX = "law_"


# Functions of the contract with inputs, besides evaluate.
FORWARDED = {
    name: prototype
    for name, prototype in CONTRACT.items()
    if name != "evaluate" and any(kind == "const Inputs *" for kind, _ in arguments_of(prototype))
}


def renames(description: Description) -> dict[str, str]:
    """Returns the names of the law's functions and types inside the frame."""
    frame = description.frame
    if frame is None:
        return {}
    types = {"Inputs": "LawInputs"} if frame.inputs != description.inputs else {}
    types |= {"Outputs": "LawOutputs"} if frame.outputs != description.outputs else {}
    return types | {name: PREFIX + name for name in ("evaluate", *FORWARDED)}


def frame_text(description: Description, functions: Iterable[str]) -> str:
    """Writes the functions of the contract around those of the law; `functions` are those to
    forward."""
    frame = description.frame
    if frame is None:
        return ""
    names = renames(description)
    inputs, outputs = names.get("Inputs", "Inputs"), names.get("Outputs", "Outputs")
    lines = [
        f"static {inputs} law_inputs(const Parameters *p, const Inputs *u) {{",
        f"    {inputs} law;",
    ]
    lines += [f"    law.{entry.symbol} = {frame.given[entry.symbol]};" for entry in frame.inputs]
    lines += ["    (void)p;", "    return law;", "}", ""]
    lines += [
        (
            "static void evaluate(const Parameters *p, const Inputs *u, const States *x, const"
            " Modes *m, States *dx, Outputs *y) {"
        ),
        f"    const {inputs} law_u = law_inputs(p, u);",
    ]
    if outputs == "Outputs":
        lines += ["    law_evaluate(p, &law_u, x, m, dx, y);"]
    else:
        lines += [f"    {outputs} law;", "    law_evaluate(p, &law_u, x, m, dx, &law);"]
        lines += [
            f"    y->{entry.symbol} = {frame.taken[entry.symbol]};" for entry in description.outputs
        ]
    lines += ["}", ""]
    for name, prototype in FORWARDED.items():
        if name not in functions:
            continue
        arguments = arguments_of(prototype)
        seen = [argument for kind, argument in arguments if kind == "const Inputs *"]
        given = ", ".join(
            f"&law_{argument}" if argument in seen else argument for _, argument in arguments
        )
        value = "" if prototype.startswith("static void ") else "return "
        lines += [
            f"{prototype} {{",
            *(f"    const {inputs} law_{one} = law_inputs(p, {one});" for one in seen),
        ]
        lines += [f"    {value}{PREFIX}{name}({given});", "}", ""]
    return "\n".join(lines)
