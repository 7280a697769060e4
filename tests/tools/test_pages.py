"""The first section of a model's page: text for newcomers, and listings that run."""

import html
import re
from dataclasses import replace
from functools import cache

import pymoca.parser
import pytest
from fmus import FMUS, FOLDER, REPOSITORY, TWINS
from test_examples import imported

from generator.page import page_text
from generator.parameter_sets import parameter_sets
from generator.project import Project
from generator.reading import read_description
from bristle import describe, stamping

PROJECT = Project(REPOSITORY)
SHIPPED = {one.name: one for one in (*FMUS, *(twin for twin, _ in TWINS))}


@cache
def page_of(name):
    model = name.removesuffix("Rotational")
    twin = "Rotational" if name != model else None
    description = read_description(REPOSITORY / "modelDescription" / f"{model}.toml", twin)
    sets = parameter_sets(description, REPOSITORY / "resources")
    return description, page_text(description, sets, PROJECT.pictures(model))


def listings(page):
    return [
        html.unescape(re.sub("<[^>]+>", "", code))
        for code in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.S)
    ]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_first_section_runs_in_fmpy_and_names_every_input_in_modelica(name):
    _, page = page_of(name)
    python, modelica = listings(page)
    result = {}
    exec(python.replace(f'"{name}.fmu"', repr(str(FOLDER / f"{name}.fmu"))), result)
    output = re.search(r'result\["(.+?)"\]', python)[1]
    assert abs(result["result"][output][-1]) > 0
    described = SHIPPED[name].description
    model = modelica[modelica.index("model Test") :]
    parsed = pymoca.parser.parse(imported(described) + model)
    assert str(parsed.classes["Test"].symbols["element"].type) == f"{name}_me_FMU"
    given = re.findall(r"element\.(\w+) =", model)
    assert sorted(given) == sorted(re.sub(r"[\[\]]", "_", v.name) for v in described.inputs)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_first_section_names_the_needs_and_further_sections(name):
    description, page = page_of(name)
    start = page[page.index('id="at-a-glance"') : page.index('id="pictures"')]
    assert html.escape(description.choose[0]) in start
    for entry in description.inputs:
        assert f"<code>{entry.name}" in start
    assert ("state events" in start) == bool(description.modes)
    assert ("Printed or bounded" in start) == any(one.name == "law" for one in description.options)
    twin = f"{name}Rotational"
    assert (f"<code>{twin}.fmu</code>" in start) == (twin in SHIPPED) or not TWINS
    places = set(re.findall(r'id="([\w-]+)"', page))
    assert set(re.findall(r'href="#([\w-]+)"', start)) <= places


@pytest.mark.parametrize("name", SHIPPED)
def test_a_symbol_in_a_sentence_has_its_index_below(name):
    _, page = page_of(name)
    text = re.sub(r"<(math|svg|code|pre|style)\b.*?</\1>|<[^>]+>", " ", page, flags=re.S)
    assert not re.findall(r"\b[^\W\d_]_\w+", text)


def test_notes_of_parameter_sets_name_only_parameters_that_the_model_has():
    """In every set of every model; notes on other parameters are for other models."""
    everything = {entry.name for name in SHIPPED for entry in page_of(name)[0].parameters}
    noted = 0
    for name in SHIPPED:
        description, _ = page_of(name)
        own = {entry.name for entry in description.parameters}
        for one in parameter_sets(description, REPOSITORY / "resources"):
            words = set(re.findall(r"\w+", f"{one.title} {one.source}"))
            assert not (words & everything) - own, (name, one.name)
            noted += bool(words & own)
    assert noted > 20


def test_a_stamped_element_has_its_own_name_in_the_listings():
    old = describe(FOLDER / "LuGre.fmu")
    page = stamping._page(page_of("LuGre")[1], old, replace(old, name="Mine"))
    for code in listings(page):
        assert "Mine.fmu" in code and "LuGre" not in code
