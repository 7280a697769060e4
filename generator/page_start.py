"""Writes the first section of a page: purpose and needs of the element, and a minimal example for
three tools."""

from __future__ import annotations

from html import escape

from bristle.format.facts import EVENTS, Facts, needs
from bristle.format.names import mangled
from bristle.format.page_parts import own_name
from .description import Description, Variable
from .project import twins_of

SPEED = 0.02  # velocity in the examples, m/s or rad/s


def start_html(description: Description, known: Facts) -> str:
    lines = {
        "For": escape(description.choose[0] if description.choose else description.title),
        "Needs": _needs(description, known),
        "Gives": _gives(description, known),
        "Other form": _twin(description),
        "Direction": _direction(description),
        "Printed or bounded": _law(description),
        "Fixed step": _fixed_step(known),
    }
    items = "\n".join(
        f"<li><strong>{title}:</strong> {text}</li>" for title, text in lines.items() if text
    )
    return f"<ul>\n{items}\n</ul>\n{_uses(description, known)}"


def _needs(description: Description, known: Facts) -> str:
    asked = needs(
        [entry.name for entry in description.inputs], known.roles, bool(description.modes)
    )
    inputs = ", ".join(_code(entry) for entry in description.inputs)
    events = f"; {EVENTS} of the host, in model exchange" if EVENTS in asked else ""
    return f"{inputs}{events}."


def _gives(description: Description, known: Facts) -> str:
    force = next((e for e in description.outputs if e.name == known.roles.get("force")), None)
    if force is None:
        return ", ".join(_code(entry) for entry in description.outputs) + "."
    return f"{_code(force)}, which is subtracted in the body's equation of motion; more below."


def _twin(description: Description) -> str:
    if description.name != description.model:
        return f"<code>{escape(description.model)}.fmu</code>, the same law on a line."
    names = ", ".join(f"<code>{escape(name)}.fmu</code>" for name in twins_of(description.file))
    return f"{names}, the same law for joints, clutches and bearings." if names else ""


def _direction(description: Description) -> str:
    if not any(one.name == "backwardFrictionRatio" for one in description.parameters):
        return ""
    return (
        "the same in both directions, unless <code>backwardFrictionRatio</code>"
        ' (<a href="#parameters">parameters</a>) says otherwise.'
    )


def _law(description: Description) -> str:
    if not any(option.name == "law" for option in description.options):
        return ""
    return (
        "the option <code>law</code> is Printed, the paper's equations; set it to Bounded where the"
        " normal force falls or vanishes, where the element has to be passive, and in hosts with a"
        ' fixed step (<a href="#printed-and-bounded">what it changes</a>).'
    )


def _fixed_step(known: Facts) -> str:
    if not (mass := known.roles.get("coupling_mass")):
        return ""
    return (
        f"give <code>{escape(mass)}</code>, or a body at rest may chatter"
        ' (<a href="#hosts-with-a-fixed-step">why</a>).'
    )


def _code(entry: Variable) -> str:
    size = f"[1…{entry.size}]" if entry.size else ""
    unit = "" if entry.unit.name == "1" else f" [{escape(entry.unit.name)}]"
    return f"<code>{escape(entry.name)}{size}</code>{unit}"


def _tried(description: Description, known: Facts) -> dict[str, float]:
    """Returns the inputs of the examples by scalar: start values, but with a velocity. An element
    without a velocity gets its first input instead: 1 mm, or 1 of its unit."""
    values = {
        name: start
        for entry in description.inputs
        for name, start in zip(entry.scalar_names, entry.starts, strict=True)
    }
    first, velocity = description.inputs[0], known.roles.get("velocity")
    for entry in description.inputs:
        if entry.name == velocity:
            return values | {entry.scalar_names[0]: SPEED}
    return values | dict.fromkeys(first.scalar_names, 1e-3 if first.unit.name == "m" else 1.0)


def _uses(description: Description, known: Facts) -> str:
    name = own_name(description.name)
    inputs = _tried(description, known)
    results = (known.roles.get("force"), "normalForce")
    shown = [entry for entry in description.outputs if entry.name in results]
    output = (shown or description.outputs)[0].scalar_names[0]
    set_values = ", ".join(f'"{key}": {value:.9g}' for key, value in inputs.items() if value)
    python = f"""from fmpy import simulate_fmu

values = {{{set_values}}}
result = simulate_fmu("{name}.fmu", start_values=values, stop_time=0.1)
print(result["{output}"][-1])"""
    equations = "\n".join(
        f"  element.{mangled(key)} = {value:.9g};" for key, value in inputs.items()
    )
    modelica = f"""mkdir("{name}");
importFMU("{name}.fmu", workdir = cd() + "/{name}");
loadFile("{name}/{name}_me_FMU.mo");

model Test
  {name}_me_FMU element;
equation
{equations}
end Test;"""
    events = " Model exchange needs a solver that locates events." if description.modes else ""
    mass = known.roles.get("coupling_mass")
    coupled = f" and <code>{escape(mass)}</code>" if mass else ""
    return (
        f"<h3>FMPy</h3>{_listing(python)}"
        f"<h3>OpenModelica (tolerance 1e-8)</h3>{_listing(modelica)}"
        f"<h3>Simulink (not tried by us)</h3><p>An <em>FMU Import</em> block with <code>{name}.fmu"
        "</code>: as model exchange with a variable-step solver such as ode15s, or as co-simulation"
        f" with a fixed step{coupled}.{events}</p>"
    )


def _listing(text: str) -> str:
    return f'<pre class="equation" tabindex="0" role="group" aria-label="Listing">{text}</pre>'
