"""The frame of an element: C that leads from the variables of the element to those of its law and back.

The law is the model's C file as it stands. Inside the frame its functions are called law_evaluate, law_indicators and so on, and where the
element has other inputs or outputs than the law, the types of the law are LawInputs and LawOutputs. Slopes and dependencies go through the
frame like through any other function.
"""

from __future__ import annotations

from collections.abc import Iterable

from .description import Description

PREFIX = "law_"
# Functions of the contract that see inputs: how they are declared, and how the law's own is called.
FORWARDED = {
    "indicators": ("void", "const Parameters *p, const Inputs *u, const States *x, const Modes *m, double *g", "p, &law, x, m, g"),
    "next_modes": ("int", "const Parameters *p, const Inputs *u, States *x, Modes *m", "p, &law, x, m"),
    "initialize": ("void", "const Parameters *p, const Inputs *u, States *x", "p, &law, x"),
    "check_inputs": ("const char *", "const Parameters *p, const Inputs *u", "p, &law"),
    "constrain": ("void", "const Parameters *p, const Inputs *before, const Inputs *u, States *x", "p, &law_before, &law, x"),
}


def renames(description: Description) -> dict[str, str]:
    """The names that the law's C file goes by inside the frame."""
    frame = description.frame
    if frame is None:
        return {}
    types = {"Inputs": "LawInputs"} if frame.inputs != description.inputs else {}
    types |= {"Outputs": "LawOutputs"} if frame.outputs != description.outputs else {}
    return types | {name: PREFIX + name for name in ("evaluate", *FORWARDED)}


def frame_text(description: Description, functions: Iterable[str]) -> str:
    """The functions of the contract, `functions` of the forwarded ones, around those of the law."""
    frame = description.frame
    if frame is None:
        return ""
    names = renames(description)
    inputs, outputs = names.get("Inputs", "Inputs"), names.get("Outputs", "Outputs")
    lines = [f"static {inputs} law_inputs(const Parameters *p, const Inputs *u) {{", f"    {inputs} law;"]
    lines += [f"    law.{entry.symbol} = {frame.given[entry.symbol]};" for entry in frame.inputs]
    lines += ["    (void)p;", "    return law;", "}", ""]
    lines += [
        "static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m, States *dx, Outputs *y) {",
        f"    const {inputs} law_u = law_inputs(p, u);",
    ]
    if outputs == "Outputs":
        lines += ["    law_evaluate(p, &law_u, x, m, dx, y);"]
    else:
        lines += [f"    {outputs} law;", "    law_evaluate(p, &law_u, x, m, dx, &law);"]
        lines += [f"    y->{entry.symbol} = {frame.taken[entry.symbol]};" for entry in description.outputs]
    lines += ["}", ""]
    for name, (result, arguments, call) in FORWARDED.items():
        if name not in functions:
            continue
        head = f"static {result}{'' if result.endswith('*') else ' '}{name}({arguments}) {{"
        before = [f"    const {inputs} law_before = law_inputs(p, before);"] if "before" in call else []
        value = "" if result == "void" else "return "
        lines += [head, f"    const {inputs} law = law_inputs(p, u);", *before, f"    {value}{PREFIX}{name}({call});", "}", ""]
    return "\n".join(lines)
