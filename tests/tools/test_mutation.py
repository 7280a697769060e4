"""The mutation run: its lists fit the sources of today, and a mutant dies in it. All of them die in
`python -m mutation --list`, which takes too long for here."""

import dataclasses
import os
import re
import sys
import time

import pytest

from commands import printed
from fmus import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools"))

from mutation import edits, operators, plan, workshop
from mutation.__main__ import summary

TESTS = REPOSITORY / "tests"


@pytest.fixture(scope="module")
def listed():
    return edits.read_edits()


def test_every_edit_is_of_one_place_in_the_sources_of_today(listed):
    """Reading the list looks for each; and each names FMUs and tests that there are."""
    assert len(listed) >= 56
    for edit in listed:
        assert (edit.models or edit.is_python) and edit.tests, edit.name
        for model in edit.models:
            assert (REPOSITORY / "modelDescription" / f"{model}.toml").exists(), edit.name
        for test in edit.tests:
            file, _, name = test.partition("::")
            assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8"), edit.name


def test_what_the_rules_draw_for_the_same_tests_is_not_in_the_list(listed):
    drawn = {}
    for edit in listed:
        source = edits.text_of(edit.file)
        if edit.file not in drawn:
            mutants = operators.mutants_of(edit.file)
            drawn[edit.file] = {bare(mutant.apply(source)) for mutant in mutants}
        asked = plan.planned(dataclasses.replace(edit, models=(), tests=()))
        files = {test.partition("::")[0] for test in asked.tests}
        if edit.tests[0].partition("::")[0] in files and set(edit.models) <= set(asked.models):
            assert bare(edit.apply(source)) not in drawn[edit.file], edit.name


def bare(source):
    """Removes blanks and empty statements."""
    return re.sub(r"(?<=[;{}]);", "", re.sub(r"\s", "", source))


def test_every_change_that_is_called_equivalent_can_be_drawn():
    for (file, change), reason in edits.read_equivalent().items():
        assert change in {edits.change_of(mutant)[1] for mutant in operators.mutants_of(file)}, (
            file,
            change,
        )
        assert reason


def test_every_source_has_tests_that_are_asked_about_it():
    for file in [*operators.files(), *operators.files("python")]:
        mutant = plan.planned(edits.Mutant("any", file, 0, 0, " "))
        for test in [*mutant.tests, *plan.left_out()]:
            name, _, function = test.partition("::")
            assert (TESTS / name).exists() and f"def {function}" in (TESTS / name).read_text(
                encoding="utf-8"
            ), test


def test_the_rules_change_what_they_say_and_leave_texts_comments_and_types_alone(
    tmp_path, monkeypatch
):
    source = """\
/* a < b */
#define N 3
typedef struct { double *x; } Thing;
static int f(const Thing *t, double a) {
    const double b = *t->x * a - 1;
    if (a < b && b != 0) tell("a + b", 2);
    return a >= b;
}
"""
    (tmp_path / "f.c").write_text(source)
    monkeypatch.setattr(operators, "SOURCE", tmp_path)
    found = {
        (mutant.name, source[mutant.begin : mutant.end], mutant.text)
        for mutant in operators.mutants_of("f.c")
    }
    assert found == {
        ("arithmetic", "*", "/"),
        ("arithmetic", "-", "+"),
        ("constant", "1", "2"),
        ("constant", "0", "1"),
        ("constant", "2", "3"),
        ("relation", "<", ">"),
        ("relation", "!=", "=="),
        ("relation", ">=", "<="),
        ("logic", "&&", "||"),
        ("negation", "a < b && b != 0", "!(a < b && b != 0)"),
        ("statement", 'tell("a + b", 2);', ";"),
    }


def test_the_rules_of_python_change_what_they_say_and_leave_texts_messages_and_types_alone(
    tmp_path, monkeypatch
):
    source = """\
LIMIT: float = 3  # a < b
@cache(maxsize=9)
def f(a: Literal[5], b=2):
    \"\"\"a + b\"\"\"
    ä, self.x = f"{a + 1}", 0
    if a < b and b is not None:
        tell("µ", a - b)
        raise Error(a * 7)
    self.y = a
    return [c for c in a if c not in b]
"""
    (tmp_path / "f.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(edits, "PACKAGE", tmp_path)
    edits.text_of.cache_clear()
    found = {
        (mutant.name, source[mutant.begin : mutant.end], mutant.text)
        for mutant in operators.mutants_of("f.py")
    }
    edits.text_of.cache_clear()
    assert found == {
        ("constant", "3", "4"),
        ("constant", "2", "3"),
        ("constant", "0", "1"),
        ("relation", "<", ">"),
        ("logic", "and", "or"),
        ("relation", "is not", "is"),
        ("negation", "a < b and b is not None", "(not (a < b and b is not None))"),
        ("statement", 'tell("µ", a - b)', "pass"),
        ("arithmetic", "-", "+"),
        ("statement", "self.y = a", "pass"),
        ("relation", "not in", "in"),
        ("negation", "c not in b", "(not (c not in b))"),
    }


def test_every_kind_of_change_of_python_can_be_compiled_in_every_file():
    """The first and the last place of each kind: all of them would take minutes."""
    for file in operators.files("python"):
        source, first, last = edits.text_of(file), {}, {}
        for mutant in operators.mutants_of(file):
            first.setdefault(mutant.name, mutant)
            last[mutant.name] = mutant
        for mutant in {*first.values(), *last.values()}:
            compile(mutant.apply(source), file, "exec")


def test_a_mutant_of_python_dies_by_the_package_of_its_copy(tmp_path):
    shop = workshop.Workshop(tmp_path / "shop", workshop.Originals(tmp_path / "originals"))
    mutant = edits.located(
        "identify/record/units.py",
        '"mph": (VELOCITY, 0.44704)',
        '"mph": (VELOCITY, 1.44704)',
        "a mile is longer",
    )
    tests = tmp_path / "shop" / "tests" / "tools" / "test_mile.py"
    tests.write_text(
        "from bristle.identify.record.units import unit_of\n\ndef test_mile():\n    assert"
        " unit_of('mph').factor == 0.44704\n"
    )
    for one, fate in ((mutant, workshop.KILLED), (None, workshop.ALIVE)):
        trial = workshop.Trial(shop, one, (), [("tools/test_mile.py",)])
        while not (outcome := trial.outcome()):
            time.sleep(0.1)
        assert outcome.fate == fate


def test_a_draw_begins_as_a_shorter_one_of_its_seed():
    assert operators.drawn(20, 7)[:5] == operators.drawn(5, 7) != operators.drawn(5, 8)


@pytest.mark.parametrize("fate", [workshop.ALIVE, workshop.UNFINISHED, workshop.BROKEN])
def test_a_mutant_that_no_test_has_killed_is_a_failure(listed, capsys, fate):
    dead, alive = workshop.Outcome(workshop.KILLED, "test"), workshop.Outcome(fate)
    assert summary([(listed[0], dead)], [], 1.0) == 0
    assert summary([(listed[0], dead), (listed[1], alive)], [], 1.0) == 1
    assert "50.0 %" in capsys.readouterr().out


def test_tests_that_cannot_be_read_have_killed_nothing(listed, tmp_path):
    shop = workshop.Workshop(tmp_path / "shop", workshop.Originals(tmp_path / "originals"))
    (shop.folder / "tests" / "every_fmu" / "test_unreadable.py").write_text("raise KeyError\n")
    edit = next(edit for edit in listed if edit.models == ("LuGre",))
    trial = workshop.Trial(
        shop, edit, edit.models, [("every_fmu/test_unreadable.py", "every_fmu/test_memory.py")]
    )
    while not (outcome := trial.outcome()):
        time.sleep(0.1)
    assert outcome.fate == workshop.BROKEN


@pytest.mark.parametrize("name", ["a known that is named twice counts once"])
def test_a_mutant_of_the_list_dies(name, tmp_path):
    """With the run of the test that killed it on the unchanged sources; and a second run has
    nothing to do but that."""
    command = [sys.executable, "-m", "mutation", "--list", "-k", name, "--jobs", "1"]
    command += ["--kept", tmp_path / "kept.jsonl"]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY / "tools")}
    for sentence in ("1/1 killed", "1 outcomes are kept from before"):
        said = printed(*command, env=environment, cwd=REPOSITORY)
        assert sentence in said and "0 failed" in said and "100.0 %" in said
