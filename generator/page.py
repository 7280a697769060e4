"""Writes documentation/index.html: one page per model that needs no network."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from latex2mathml.converter import convert

from bristle import VERSION, BristleError
from bristle.format.contact_step import CONTACT, GRAVITY, contact_step
from bristle.format.facts import IN_WORDS, Facts
from bristle.format.page_parts import (
    default_cell,
    footer_start,
    header_line,
    numbers_text,
    title_line,
)
from bristle.format.parameter_set import ParameterSet
from .description import Choice, Description, Equation, Reference, Variable
from .facts import facts
from .page_start import start_html
from .sketch import sketch
from .twin_pictures import TwinPictures, twin_pictures

# definitions of the pictures, with captions
PICTURES = Path(__file__).with_name("pictures.toml")

READABLE = " !$&'()*+,-./:;=?@[]^_`{|}~"  # in the address that a picture is

MATHML = "http://www.w3.org/1998/Math/MathML"
ElementTree.register_namespace("", MATHML)


class LatexError(BristleError):
    """A formula that cannot be shown."""


TOOLS = [
    (
        "OpenModelica: simulate with a tolerance of 1e-8. It ignores the nominal values of an FMU,"
        " so its default of 1e-6 does not resolve the velocities of friction, and results can be"
        " wrong without any message. Every input has to be connected."
    ),
    (
        "FMPy: give inputs that vary to co-simulation. Its solver for model exchange (0.3.32) holds"
        " them over each of its steps, lags behind, and at a tolerance below the default stops with"
        " “mxstep steps taken before reaching tout” unless the output_interval is short."
    ),
]

SCROLLS = (
    'tabindex="0" role="group"'  # attributes of what scrolls on a narrow screen: it takes the focus
)
PALETTE, PAGE_STYLE, CONTROLS = (
    Path(__file__).with_name(name).read_text(encoding="utf-8")
    for name in ("palette.css", "page.css", "controls.css")
)
STYLE = PALETTE + PAGE_STYLE


def page_text(
    description: Description, sets: Sequence[ParameterSet], pictures: Sequence[Path]
) -> str:
    known = facts(description)
    sections = {
        "At a glance": start_html(description, known),
        "Pictures": _figures(pictures, captions(), twin_pictures(description)),
        "When to choose it": _list(description.choose),
        "Sign convention": (
            f'{sketch(description)}<p class="note">{_prose(description.sign_convention)}</p>'
        ),
        "Equations": equations_html(description),
        "Inputs and outputs": _interface(description),
        "Parameters": _parameters(description),
        "States": _states(description),
        "Modes": "\n".join(_choice(mode) for mode in description.modes),
        "How to find the parameters": _list(description.identify),
        **{
            table.title: _table(table.head, [[_prose(text) for text in row] for row in table.rows])
            for table in description.tables
        },
        "Parameter sets": _parameter_sets(description, sets),
        "In your tool": _list([*TOOLS, *_live(description, sets)]),
        "Hosts with a fixed step": _contact_steps(description) + _fixed_step(description),
        "Energy": _energy(known),
        "Printed and bounded": _bounded(description),
        "Not modelled": _list(description.not_modelled),
        "Corrections to the printed equations": _list(description.errata),
        "References": _references(description.references),
    }
    filled = {title: body for title, body in sections.items() if body}
    links = " ".join(f'<a href="#{_anchor(title)}">{title}</a>' for title in filled)
    body = "\n".join(
        f'<h2 id="{_anchor(title)}">{title}</h2>\n{content}' for title, content in filled.items()
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{title_line(description.name)}
<style>{STYLE}</style>
</head>
<body>
<main>
{header_line(description.name, description.title)}
<p>{_prose(description.summary)}</p>
<nav aria-label="On this page">{links}</nav>
{body}
</main>
{footer_start(description.name)}, Bristle {VERSION}, FMI 2.0 for model exchange and co-simulation, \
MIT licence.</footer>
</body>
</html>
"""


def captions() -> dict[str, str]:
    """Returns the caption of each picture by its name, in the order on a page."""
    entries = tomllib.loads(PICTURES.read_text(encoding="utf-8"))["model"]
    return {entry["name"]: " ".join(entry["caption"].split()) for entry in entries}


def equations_html(description: Description, *, linked: bool = True) -> str:
    """Writes all equations; sources are linked to the references of the page, if it has them."""
    return "\n".join(_equation(equation, linked) for equation in description.equations)


def symbol_html(entry: Variable) -> str:
    return _math(entry.latex)


def range_text(entry: Variable, factor: float = 1) -> str:
    """Writes the limits of a value in words, multiplied by a factor for another unit."""
    limits = (
        b.limit if isinstance(b.limit, str) else _number(factor * b.limit) for b in entry.bounds
    )
    return (
        ", ".join(
            f"{IN_WORDS[b.relation]} {limit}" for b, limit in zip(entry.bounds, limits, strict=True)
        )
        or "any"
    )


def _live(description: Description, sets: Sequence[ParameterSet]) -> list[str]:
    """States where to try the model. The page does not know its own place, so this is no link; the
    playground has loads only beside other elements."""
    if description.kind == "load":
        return []
    chosen = f"#1={description.name}&1.set={sets[0].name}" if sets else f"#{description.name}"
    return [
        f"A browser: playground/index.html{chosen}, in the folder dist of the library, runs the"
        " model live with any parameters."
    ]


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower())


def _math(latex: str, display: str = "inline") -> str:
    problem = None
    try:
        shown = convert(latex, display=display)
        well = _set_well(shown)
    except Exception as error:  # the package has no common base for its exceptions
        problem = type(error).__name__
    else:
        if unknown := re.search(r"<m[io]>\\\w+", shown):
            problem = f"{unknown.group()[4:]} is not known"
        if len(re.findall(r"(?<!\\){", latex)) != len(re.findall(r"(?<!\\)}", latex)):
            problem = "the braces do not match"
    if problem:
        raise LatexError(f'The LaTeX "{" ".join(latex.split())}" cannot be shown: {problem}.')
    return well


def _set_well(math: str) -> str:
    """Corrects what browsers set badly. Without a font for mathematics a subscript is lowered only
    in proportion to its height, so each is made high enough. Bars around a value are spaced like a
    relation. A star is already raised in its line, and as a superscript far too high.
    """
    root = ElementTree.fromstring(math)
    for element in root.iter():
        if element.tag == f"{{{MATHML}}}mo" and element.text == "|":
            element.attrib |= {"lspace": "0", "rspace": "0"}
        if element.tag == f"{{{MATHML}}}msup" and element[1].text == "*":
            lowered = ElementTree.Element(f"{{{MATHML}}}mpadded", voffset="-0.35em")
            ElementTree.SubElement(lowered, f"{{{MATHML}}}mo").text = "\u2217"
            element[1] = lowered
        if element.tag in (f"{{{MATHML}}}msub", f"{{{MATHML}}}msubsup"):
            row = ElementTree.Element(f"{{{MATHML}}}mrow")
            row.extend([element[1], ElementTree.Element(f"{{{MATHML}}}mspace", height="0.9em")])
            element[1] = row
    return ElementTree.tostring(root, encoding="unicode")


def _list(texts: Iterable[str]) -> str:
    items = "\n".join(f"<li>{_prose(text)}</li>" for text in texts)
    return f"<ul>\n{items}\n</ul>" if items else ""


def _energy(known: Facts) -> str:
    return f"<p><strong>{known.passivity()}</strong> {_prose(known.energy)}</p>"


def _bounded(description: Description) -> str:
    """Lists the benchmark systems and numbers of the papers that the option of the law changes."""
    if not any(option.name == "law" for option in description.options):
        return ""
    changed = description.bounded
    systems = ", ".join(f"{system} ({percent:g} %)" for system, percent in changed.systems.items())
    text = (
        "Bounded changes the friction force in these benchmark systems, by up to this part of its "
        f"largest value: {systems}; in no other with a given normal force by 0.1 %. Of the papers' "
        "numbers it changes, in the digits shown here,"
    )
    if not changed.numbers:
        return f"<p>{text} none.</p>"
    rows = "".join(
        f"<tr>{''.join(f'<td>{_prose(cell)}</td>' for cell in cells)}</tr>"
        for cells in changed.numbers.values()
    )
    return (
        f'<p>{text}:</p><div class="scroll" {SCROLLS} aria-label="Table"><table>'
        f"<tr><th>Number</th><th>Printed</th><th>Bounded</th></tr>{rows}</table></div>"
    )


def _equation(equation: Equation, linked: bool) -> str:
    source = ""
    if equation.reference:
        cite = escape(equation.reference.cite)
        link = f'<a href="#{equation.reference.key}">{cite}</a>' if linked else cite
        place = f", {_prose(equation.place)}" if equation.place else ""
        source = f'<span class="source">{link}{place}</span>'
    return (
        f'<div class="equation" {SCROLLS} aria-label="Equation">'
        f"{source}<p>{_prose(equation.text)}</p>{_math(equation.latex, 'block')}</div>"
    )


def _figures(
    pictures: Sequence[Path], known: Mapping[str, str], twin: TwinPictures | None = None
) -> str:
    by_name = {picture.stem: picture for picture in pictures}
    if unknown := sorted(by_name.keys() - known.keys()):
        raise BristleError(
            f"{by_name[unknown[0]]}: {PICTURES.name} has no caption for this picture."
        )
    if twin and (missing := sorted(by_name.keys() - twin.captions.keys())):
        raise BristleError(f"{twin.file}: pictures.captions.{missing[0]}: is missing.")
    figures = "\n".join(
        _figure(by_name[name], twin.captions[name] if twin else caption, twin)
        for name, caption in known.items()
        if name in by_name
    )
    return figures and f'<div class="figures">{figures}</div>'


def _figure(picture: Path, caption: str, twin: TwinPictures | None) -> str:
    drawing = picture.read_text(encoding="utf-8")
    # as text, which compresses better than base64
    data = escape(quote(twin.redrawn(drawing) if twin else drawing, safe=READABLE))
    source = f"data:image/svg+xml,{data}"
    name = escape(picture.stem.replace("_", " "))
    return (
        f'<figure><img src="{source}"'
        f' alt="{name}"><figcaption>{_prose(caption)}</figcaption></figure>'
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[str] = ()) -> str:
    """Writes a table: heads are texts, cells are HTML. Columns named in `numbers` do not wrap; on a
    narrow screen a last column of sentences goes below the others."""
    styles = [' class="number"' if head in numbers else "" for head in heads]
    top = "".join(
        f"<th{style}>{escape(head)}</th>" for style, head in zip(styles, heads, strict=True)
    )
    lines = [
        "<tr>"
        + "".join(f"<td{style}>{cell}</td>" for style, cell in zip(styles, row, strict=True))
        + "</tr>"
        for row in rows
    ]
    kind = ' class="named"' if heads[-1] in ("Meaning", "Source") else ""
    return (
        f'<div class="scroll" {SCROLLS} aria-label="Table"><table{kind}>\n<tr>{top}</tr>\n'
        + "\n".join(lines)
        + "\n</table></div>"
        if lines
        else ""
    )


def _prose(text: str) -> str:
    """Writes a text of a description as HTML: `name` is code, v_n a symbol with an index."""
    text = re.sub(r"(?<![A-Za-z0-9_])([A-Za-zΑ-ω])_(\w{1,3})\b", r"\1<sub>\2</sub>", escape(text))
    return re.sub("`([^`]+)`", r"<code>\1</code>", text)


def _name(entry: Variable | Choice) -> str:
    size = f"[1…{entry.size}]" if entry.size else ""
    return f"<code>{escape(entry.name)}{size}</code>"


def _unit(entry: Variable) -> str:
    return escape(entry.unit.name)


def _number(value: float) -> str:
    return numbers_text([value])


def _starts(entry: Variable) -> str:
    return default_cell(entry.name, numbers_text(entry.starts))


def _default_item(option: Choice) -> str:
    return f"<p>Default: {default_cell(option.name, option.items[option.start - 1][0])}</p>"


def _contact_steps(description: Description) -> str:
    """Writes the largest steps for a contact in the normal direction, as a formula and for some
    masses and stiffnesses."""
    start = {one.name: one.starts[0] for one in description.parameters if one.name in CONTACT}
    if not start:
        return ""
    rows = []
    for factor in (1, 10, 100, 1000):
        values = start | {
            name: factor * start[name] for name in ("contactStiffness", "contactDamping")
        }
        for mass in (0.1, 1.0, 10.0):
            steps = [
                f"{1e3 * contact_step(values, mass, math.sqrt(2 * GRAVITY * 0.01), late):.2g}"
                for late in (False, True)
            ]
            rows.append(
                (
                    f"{values['contactStiffness']:g}",
                    f"{values['contactDamping']:g}",
                    f"{mass:g}",
                    *steps,
                )
            )
    head = (
        "contactStiffness [N]",
        "contactDamping [N s/m]",
        "Mass [kg]",
        "At once: at most [ms]",
        "One step late: at most [ms]",
    )
    return (
        "<p>About a penetration δ = s δ<sub>0</sub> the contact is a spring k = P<sub>K</sub> K"
        " s<sup>P<sub>K</sub> − 1</sup>/δ<sub>0</sub> and a damper d = D"
        " s<sup>P<sub>D</sub></sup>. A host that holds the force over its step h gives a mass m no"
        " energy if h is at most two thirds of (√(d² + 4 k m) − d)/k or, where the force acts one"
        " step late, of d/(k + d²/m), both at the deepest point, s = ((P<sub>K</sub> + 1) m v²/(2"
        " K δ<sub>0</sub>))<sup>1/(P<sub>K</sub> + 1)</sup> for an impact at the speed v, and at"
        " rest, s = (m g/K)<sup>1/P<sub>K</sub></sup>. <code>bristle suggest</code> computes it."
        " An impact that returns more energy than it absorbed is reported in the log,"
        f" once. For a fall of 10 mm:</p>{_table(head, rows)}\n<p>With <code>couplingMass</code>"
        " the element evaluates the law where the body will be four steps ahead, and a step may"
        " have any length: with 0.25 to 1.2 of their mass, bodies dropped from 5 to 10 mm gain no"
        " energy and come to rest, at 1 and 5 ms, at once and late, also with a stiffness that"
        " would throw them out (the set colantonio2022_cube at a thousand times its largest step)."
        " The contact is then as soft and as damped as the step requires: no stiffer than m/(4"
        " h)², so that a body at rest lies deeper by 16 g h² (0.16 mm at 1 ms, 3.9 mm at 5 ms),"
        " more with a smaller couplingMass, and hardly bounces. A body that moves along a"
        " prescribed path meets less force than the law's: leave it at 0 there.</p>\n"
    )


def _fixed_step(description: Description) -> str:
    """Explains up to which step a host that holds the force is stable, and what helps beyond it."""
    coupling = description.coupling
    if coupling is None:
        return ""
    mass, force = coupling.mass.name, coupling.force.name
    turns = coupling.mass.unit.name == "kg.m2"
    body, effort, squared = ("J", "torque", ", both times r²") if turns else ("m", "force", "")
    case, least = (
        ("", "μ<sub>s</sub> N r² h/J")
        if turns
        else (", and a body pressed by its weight,", "μ<sub>s</sub> g h")
    )
    return (
        f"<p>A host that holds {escape(force)} over its step h is stable only if the slope of this"
        f" {effort} at rest is at most 2 {body}/h, or {body}/h if the output acts one step late, as"
        " in masters that step all parts in parallel. For a bristle the slope is its damping plus"
        f" h times its stiffness{squared}. With a speed v<sub>r</sub> over which friction"
        f" rises{case} this means v<sub>r</sub> ≥ (s/2) {least}, twice as much if the output acts"
        " late; s is 2 for a parabola, 15/8 for a quintic, π/2 for a sine, 1.5 for a cubic and 1"
        " for a line. Otherwise the body chatters, which the element detects and reports in its"
        f" log.</p>\n<p><code>{escape(mass)}</code> removes this bound in co-simulation. The"
        " element then observes the load from the velocity and its own forces, solves law and body"
        f" together over the step, returns the mean {effort}, and leads the host's body back to the"
        f" solution. Give {'the moment of inertia' if turns else 'the mass'} that the contact"
        " moves, or less; several contacts on one body share it. The output keeps its value until"
        " the next step, even if inputs are set in between. Without it (0), and in model exchange,"
        " the equations above apply unchanged.</p>"
    )


def _interface(description: Description) -> str:
    rows = [
        (_name(e), symbol_html(e), _unit(e), _starts(e), _prose(e.text)) for e in description.inputs
    ]
    inputs = _table(("Input", "Symbol", "Unit", "Start", "Meaning"), rows, ("Start",))
    rows_out = [
        (_name(e), symbol_html(e), _unit(e), _prose(e.text)) for e in description.all_outputs
    ]
    rows_out += [
        (_name(mode), escape(mode.symbol), "–", _prose(mode.text))
        for mode in description.mode_outputs
    ]
    return inputs + "\n" + _table(("Output", "Symbol", "Unit", "Meaning"), rows_out)


def _parameters(description: Description) -> str:
    rows = [
        (_name(e), symbol_html(e), _unit(e), _starts(e), escape(range_text(e)), _prose(e.text))
        for e in description.parameters
    ]
    rows += [
        (
            _name(e),
            "–",
            "1",
            default_cell(e.name, numbers_text([e.start])),
            f"at least 1, at most {e.largest}",
            _prose(e.text),
        )
        for e in description.options
        if not e.items
    ]
    heads = ("Parameter", "Symbol", "Unit", "Default", "Range", "Meaning")
    options = "\n".join(
        _choice(option) + _default_item(option) for option in description.options if option.items
    )
    note = (
        "<p>Initial values and options take effect at the start; all other parameters may also"
        " change during a run.</p>\n"
    )
    return note + _table(heads, rows, ("Default",)) + options


def _states(description: Description) -> str:
    rows = [
        (
            _name(state),
            symbol_html(state),
            _unit(state),
            _number(state.nominal or 1),
            f"<code>{start.name}</code>",
            f"<code>{rate.name}</code>",
            _prose(state.text),
        )
        for state in description.states
        if (start := state.start_parameter) and (rate := state.derivative)
    ]
    heads = ("State", "Symbol", "Unit", "Nominal", "Initial value", "Derivative", "Meaning")
    note = (
        "<p>In model exchange the nominal values are updated at events: under a light load they are"
        " reduced to the resolution of the law. If the normal force falls by decades between two"
        " events, lower the absolute tolerance.</p>\n"
    )
    return _table(heads, rows, ("Nominal",)) + (note if rows else "")


def _choice(choice: Choice) -> str:
    rows = [
        (str(i), f"<code>{name}</code>", _prose(text))
        for i, (name, text) in enumerate(choice.items, 1)
    ]
    return f"<h3>{_name(choice)}</h3><p>{_prose(choice.text)}</p>" + _table(
        ("Value", "Item", "Meaning"), rows
    )


def _parameter_sets(description: Description, sets: Sequence[ParameterSet]) -> str:
    if not sets:
        return ""
    cases = [
        (f"<code>{escape(one.name)}.ssv</code>", _prose(one.title), _prose(one.source))
        for one in sets
    ]
    used = dict.fromkeys(name for one in sets for name in one.values)
    units = {
        name: _unit(entry)
        for entry in description.parameters
        for name in (entry.name, *entry.scalar_names)
    }
    rows = [
        (f"<code>{escape(name)}</code>", units.get(name, ""), *(_value(one, name) for one in sets))
        for name in used
    ]
    heads = ("Parameter", "Unit", *(one.name for one in sets))
    return _table(("File in resources/", "Case", "Source"), cases) + "\n" + _table(heads, rows)


def _value(one: ParameterSet, name: str) -> str:
    return f"{one.values[name]:.9g}" if name in one.values else "default"


def _references(references: Iterable[Reference]) -> str:
    return "<ul>\n" + "\n".join(_reference(reference) for reference in references) + "\n</ul>"


def _reference(reference: Reference) -> str:
    link = (
        f' <a href="https://doi.org/{reference.doi}">doi:{reference.doi}</a>'
        if reference.doi
        else ""
    )
    return f'<li id="{reference.key}">{escape(reference.entry)}{link}</li>'
