"""The README describes the present state."""

import re
import shlex
import sys
import webbrowser

import numpy as np
import pytest

from fixed_step import EITHER, NORMAL, held, is_scalar, timing_of
from commands import printed
from fmus import FMUS, FOLDER, REPOSITORY, TWINS, Fmu, need_all_fmus

from bristle import VERSION
from bristle.cli import main
from generator.reading import read_description
from generator.project import Project
from generator.table import renewed

need_all_fmus()

README = REPOSITORY / "README.md"
MODELS = REPOSITORY / "docs" / "models.md"
PRESENT = {fmu.name for fmu in FMUS}


def rows_of(page):
    return [
        line.split("|")
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]


@pytest.mark.parametrize("page", [README, MODELS], ids=lambda page: page.stem)
def test_tables_of_models_are_those_of_the_descriptions(page):
    text = page.read_text(encoding="utf-8")
    assert text == renewed(page, REPOSITORY / "modelDescription"), (
        "run: .venv/bin/python -m generator table README.md docs/models.md"
    )
    assert all(f"`{fmu.name}`" in text for fmu in FMUS)


def test_the_readme_is_short_and_names_both_scripts():
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120 and "./build.sh" in text and "./check.sh" in text


def test_the_numbers_of_models_are_those_of_the_descriptions():
    text = README.read_text(encoding="utf-8")
    kinds = [read_description(file).kind for file in Project(REPOSITORY).descriptions]
    loads = kinds.count("load")
    assert re.findall(r"(\d+) friction and contact models", text) == [str(len(kinds) - loads)]
    assert re.findall(r"(\d+) load elements", text) == [str(loads)]


def chattering(mass, late, timing=EITHER):
    """Returns the scalar models whose force on a body of 1 kg still oscillates by more than its
    load, half a second after this has jumped to 0.3 of the limit, with steps of 1 ms."""
    found = set()
    for fmu in FMUS:
        if is_scalar(fmu.description):
            rows, load = held(fmu, [mass], [NORMAL], [1e-3] * 600, late, timing)
            found |= {fmu.name} if np.ptp(rows[500:, 3]) > load else set()
    return found


def test_as_many_models_chatter_without_a_coupling_mass_as_the_readme_says():
    """No amplitude is near the border: models that chatter have 1.2 times the load and more, the
    others 0.3 of it and less."""
    need_all_fmus()
    scalar = sum(is_scalar(fmu.description) for fmu in FMUS)
    text = " ".join(README.read_text(encoding="utf-8").split())
    at_once, late = chattering(0.0, False), chattering(0.0, True)
    assert f"with {len(at_once)} of the {scalar} scalar models, and with {len(late)} if" in text
    assert "with it, none does" in text
    assert not chattering(1.0, False, timing_of(False)) | chattering(1.0, True, timing_of(True))
    assert not chattering(1.0, False) | chattering(1.0, True)


def test_the_table_has_both_forms_of_a_model_in_one_line():
    """Every element of the translational interface has its twin beside it, under the name of its
    file, and no other has one."""
    shown = {row[1].strip(" `"): row[2].strip(" `") for row in rows_of(MODELS)}
    scalar = {
        fmu.name
        for fmu in FMUS
        if {"relativeVelocity", "normalForce"} <= {v.name for v in fmu.description.inputs}
    }
    assert {name: twin for name, twin in shown.items() if name in PRESENT} == {
        fmu.name: f"{fmu.name}Rotational" if fmu.name in scalar else "–" for fmu in FMUS
    }
    assert not TWINS or {twin.name for twin, _ in TWINS} <= set(shown.values())


def test_the_table_says_which_models_need_the_load():
    needing = {row[1].strip(" `") for row in rows_of(MODELS) if "`externalForce`" in row[5]}
    assert needing == {fmu.name for fmu in FMUS if fmu.description.takes("externalForce")}


def shell_lines(text):
    """Returns the commands of a text, without their comments."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    return [line.partition(" #")[0].strip() for block in blocks for line in block.splitlines()]


@pytest.fixture
def opened(monkeypatch):
    """Records what a browser is asked to open."""
    pages = []
    monkeypatch.setattr(webbrowser, "open", lambda page: pages.append(page) or True)
    return pages


def test_the_commands_of_the_readme_run_as_they_stand(tmp_path, monkeypatch, capsys, opened):
    """One after the other, each with the files of those before."""
    monkeypatch.chdir(tmp_path)
    lines = [
        line
        for line in shell_lines(README.read_text(encoding="utf-8"))
        if not line.startswith("./")
    ]
    assert lines[0] == f"pip install bristle-{VERSION}-py3-none-any.whl" and len(lines) == 8
    for line in lines[1:]:
        program, *words = shlex.split(line)
        if words == ["playground"] and not (FOLDER / "playground").is_dir():
            continue
        assert program == "bristle" and main(words) == 0, line
        said = capsys.readouterr()
        assert said.out and "Traceback" not in said.err
    assert not opened or opened[0].endswith("playground/index.html")
    assert (tmp_path / "LuGre.fmu").read_bytes() == (FOLDER / "LuGre.fmu").read_bytes()
    assert Fmu(tmp_path / "MyGuideway.fmu").description["staticFriction"].start == 0.15


def places(page):
    """Returns the anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S), re.M
    )
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_link_leads_somewhere():
    """In every Markdown file, also to the heading that it names."""
    pages = [
        page
        for folder in (".", "docs", "examples", "examples/*", "bench", "playground", "rig")
        for page in REPOSITORY.glob(f"{folder}/*.md")
    ]
    assert len(pages) >= 15
    dead = []
    for page in pages:
        for target, place in re.findall(
            r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", page.read_text(encoding="utf-8")
        ):
            file = page.parent / target if target else page
            if "://" not in target and (not file.exists() or (place and place not in places(file))):
                dead.append(f"{page.relative_to(REPOSITORY)}: {target}#{place}")
    assert not dead


def test_python_snippets_run_as_they_stand(tmp_path, monkeypatch):
    """In the README and other pages; the output is in a comment."""
    monkeypatch.setenv("BRISTLE_FMUS", str(FOLDER))
    texts = [
        page.read_text(encoding="utf-8")
        for page in (README, REPOSITORY / "docs" / "tools.md", REPOSITORY / "docs" / "loads.md")
    ]
    blocks = [
        code for text in texts for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    ]
    assert len(blocks) == 3
    for code in blocks:
        code = re.sub(r'"(?:dist/)?(\w+\.fmu)"', rf'"{FOLDER.as_posix()}/\1"', code)
        text = printed(sys.executable, "-c", code, cwd=tmp_path)
        if said := re.search(r"print\(.*#\s*(-?[\d.]+)", code):
            assert abs(float(text.split()[0]) - float(said[1])) < 1e-4


def test_commands_are_those_of_every_shell():
    """PowerShell 5.1 has no &&."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    lines = shell_lines(text.partition("## Build and check")[2].partition("\n## ")[0])
    assert "cmake --preset default" in lines and not any("&&" in line for line in lines)
