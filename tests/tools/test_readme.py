"""The README describes what is there now."""

import re
import subprocess
import shlex
import sys

from fmus import FMUS, FOLDER, REPOSITORY, TWINS, Fmu, need_all_fmus

from bristle import VERSION
from bristle.cli import main
from generator.reading import read_description
from generator.table import model_files, renewed

need_all_fmus()

README = REPOSITORY / "README.md"
PRESENT = {fmu.name for fmu in FMUS}


def test_the_table_of_models_is_that_of_the_descriptions():
    text = README.read_text(encoding="utf-8")
    assert text == renewed(README, REPOSITORY / "modelDescription"), (
        "run: .venv/bin/python -m generator table README.md"
    )
    assert all(f"`{fmu.name}`" in text for fmu in FMUS)


def test_the_numbers_of_models_are_those_of_the_descriptions():
    text = README.read_text(encoding="utf-8")
    kinds = [read_description(file).kind for file in model_files(REPOSITORY / "modelDescription")]
    loads = kinds.count("load")
    assert re.findall(r"(\d+) friction and contact models", text) == [str(len(kinds) - loads)]
    assert re.findall(r"(\d+) load elements", text) == [str(loads)]


def test_the_table_has_both_forms_of_a_model_in_one_line():
    """Every element of the translational interface has its twin beside it, under the name of its
    file, and no other has one."""
    rows = [
        line.split("|")
        for line in README.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    shown = {row[1].strip(" `"): row[2].strip(" `") for row in rows}
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
    rows = [
        line.split("|")
        for line in README.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    needing = {row[1].strip(" `") for row in rows if "`externalForce`" in row[5]}
    assert needing == {fmu.name for fmu in FMUS if fmu.description.takes("externalForce")}


def test_the_steps_to_an_element_of_ones_own_are_as_written(tmp_path, monkeypatch):
    """The commands one after the other, each with what the one before has left, then the lines of
    Python."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BRISTLE_FMUS", str(FMUS[0].path.parent))
    section = (
        README.read_text(encoding="utf-8")
        .partition("## An element of your own")[2]
        .partition("\n## ")[0]
    )
    commands = [
        line
        for block in re.findall(r"```sh\n(.*?)```", section, re.S)
        for line in block.splitlines()
    ]
    assert len(commands) >= 3
    for line in commands:
        program, *words = shlex.split(line)
        assert program == "bristle" and main(words) == 0, line
    assert Fmu(tmp_path / "MyGuideway.fmu").description["staticFriction"].start == 0.15
    names = {}
    exec(re.search(r"```python\n(.*?)```", section, re.S)[1], names)
    assert names["force"].shape == (10001,)


def test_the_first_minute_is_as_written(monkeypatch, capsys):
    """The commands after the installation: what the FMU gives, and in which folder all of them
    are."""
    monkeypatch.setenv("BRISTLE_FMUS", str(FMUS[0].path.parent))
    section = (
        README.read_text(encoding="utf-8").partition("## In one minute")[2].partition("\n## ")[0]
    )
    install, *commands = re.search(r"```sh\n(.*?)```", section, re.S)[1].splitlines()
    assert install == f"pip install bristle-{VERSION}-py3-none-any.whl" and len(commands) == 2
    for line in commands:
        program, *words = shlex.split(line)
        assert program == "bristle" and main(words) == 0, line
    said = capsys.readouterr()
    assert said.out.startswith("time,frictionForce,") and "LuGre.fmu" in said.out
    assert said.err == f"They are in {FMUS[0].path.parent}.\n"


def places(page):
    """The anchors of a page's headings, as GitHub and the site make them."""
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


def test_python_snippets_run_as_they_stand(tmp_path):
    """Those for FMPy, in the README and beside it; the first says in its comment what it prints."""
    texts = [
        page.read_text(encoding="utf-8")
        for page in (README, REPOSITORY / "docs" / "tools.md", REPOSITORY / "docs" / "loads.md")
    ]
    blocks = [
        code
        for text in texts
        for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        if "fmpy" in code
    ]
    assert len(blocks) >= 2
    for code in blocks:
        code = code.replace('"dist/', f'"{FOLDER.as_posix()}/')
        result = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
        )
        assert result.returncode == 0, result.stderr
        if said := re.search(r"print\(.*#\s*(-?[\d.]+)", code):
            assert abs(float(result.stdout.split()[0]) - float(said[1])) < 1e-4


def test_commands_are_those_of_every_shell():
    """PowerShell 5.1 has no &&."""
    assert not re.search(r"```sh\n[^`]*cmake[^`]*&&", README.read_text(encoding="utf-8"))
