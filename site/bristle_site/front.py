"""Writes the front page of the site: what this is, a file in one click, which model, what next."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

from bristle.format.facts import MODEL_KINDS
from generator.description import Description
from generator.project import twins_of
from .frame import HERE

FIRST = ("ImplicitBristle", "SecondOrderBristle", "StaticRegularized", "LuGre")
PICTURE = "docs/stick-slip.svg"
Links = Mapping[str, str]  # addresses of the documents and parts on the site; without missing ones
TUTORIAL, TOOLS = "docs/from-a-measurement-to-an-element.md", "docs/tools.md"


def body(
    descriptions: Sequence[Description], files: Collection[str], downloads: str, links: Links
) -> str:
    """Writes the page; `files`: names of the existing FMUs; `downloads`: the wheel and the
    archive."""
    models = [one for one in descriptions if one.kind != "load"]
    loads = len(descriptions) - len(models)
    first = "".join(
        f'<li><a class="button primary" href="fmus/{name}.fmu">{name}.fmu</a></li>'
        for name in FIRST
        if name in files
    )
    picture = (
        f'<img src="{PICTURE}" width="760" alt="Position and friction force of a mass on a belt'
        ' over time: it sticks, breaks away, slips and sticks again">'
        if links.get(PICTURE)
        else ""
    )
    return f"""<h1>Bristle</h1>
<p class="lead">Friction for multibody simulation: {len(models)} friction and contact models from
the literature and from Adams, RecurDyn and Simpack, and {loads} load elements, each as one FMI 2.0
file. Normal force and relative velocity go in, the friction force comes out.</p>
{picture}
<h2 id="take">Take a file</h2>
<p>Import it into any tool that supports FMI 2.0; model exchange, co-simulation and the C sources
are in it.</p>
<ul class="files">{first}</ul>
<p><a href="files.html">All {len(files)} files, one by one with their checksums</a>{downloads}.</p>
<h2 id="which-model">Which model?</h2>
{_questions()}
<h2 id="on">Where to go on</h2>
<ul class="links">{_links(links)}</ul>
<form class="search" role="search" action="search.html"><label for="q">Search</label>
<input id="q" name="q" type="search"><button type="submit" class="primary">Search</button></form>
<h2 id="models">All models</h2>
{_models(descriptions, files)}"""


def _decision() -> dict[str, Any]:
    return tomllib.loads((HERE / "front.toml").read_text(encoding="utf-8"))


def _questions() -> str:
    """Writes the form, with the first answer of each question chosen; without JavaScript, the
    rules."""
    known = _decision()
    fields = "".join(
        f"<fieldset><legend>{escape(one['text'])}</legend>"
        + "".join(
            f'<label><input type="radio" name="{one["name"]}" value="{value}"'
            f"{' checked' if i == 0 else ''}><span>{escape(text)}</span></label>"
            for i, (value, text) in enumerate(one["answers"])
        )
        + "</fieldset>"
        for one in known["question"]
    )
    rules = "".join(f"<li>{escape(one['why'])}</li>" for one in known["rule"])
    return f"""<form id="which">{fields}</form>
<div id="answer" aria-live="polite"></div>
<noscript><ul>{rules}</ul></noscript>"""


def script(links: Links, files: Collection[str]) -> str:
    known = _decision()
    rules = [one for one in known["rule"] if set(one["take"]) <= set(files)]
    notes = [one | {"link": links.get(one["link"], "")} for one in known["note"]]
    data = {"rules": rules, "notes": notes, "live": bool(links.get("playground"))}
    code = (HERE / "front.js").read_text(encoding="utf-8")
    return f"const DECISION = {json.dumps(data, ensure_ascii=False)};\n{code}"


def _links(links: Links) -> str:
    """Returns the existing ones of three, otherwise the page that has everything."""
    wanted = [
        (
            "playground",
            "Try it live",
            "All models in your browser: drag the body, change any parameter, compare three.",
        ),
        (
            TOOLS,
            "Use it in your tool",
            "FMPy, OpenModelica, Simulink, Dymola, CasADi, C: the first step in each.",
        ),
        (
            TUTORIAL,
            "From a measurement to an element",
            "Fit a model to your record, see what it cannot determine, and make an FMU of it.",
        ),
    ]
    return "".join(
        f'<li><a href="{links[key]}"><b>{title}</b></a><p>{text}</p></li>'
        for key, title, text in wanted
        if key in links
    )


def _models(descriptions: Sequence[Description], files: Collection[str]) -> str:
    """Writes a list for each kind, as in the README; files without a description come last."""
    named: set[str] = set()
    lists = []
    for kind, caption in MODEL_KINDS.items():
        of_kind = [one for one in descriptions if one.kind == kind and one.name in files]
        rows = []
        for one in of_kind:
            twins = [name for name in twins_of(one.file) if name in files]
            named.update((one.name, *twins))
            joint = "".join(f' (for a joint: <a href="models/{t}.html">{t}</a>)' for t in twins)
            rows.append(
                f'<li><a href="models/{one.name}.html">{one.name}</a>:'
                f" {escape(one.title.partition(': ')[2] or one.title)}{joint}</li>"
            )
        if rows:
            lists.append(f'<h3>{escape(caption)}</h3><ul class="models">{"".join(rows)}</ul>')
    others = "".join(
        f'<li><a href="models/{name}.html">{name}</a></li>' for name in sorted(set(files) - named)
    )
    return "\n".join(lists) + (f'<h3>Others</h3><ul class="models">{others}</ul>' if others else "")
