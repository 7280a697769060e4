"""The pages of the Python package: listings run, and the reference is that of the docstrings."""

import doctest
import importlib
import re

import numpy
import pytest
from fmus import REPOSITORY

import bristle
from bristle import _MODULES
from generator.reference import GROUPS, reference_text

DOCS = REPOSITORY / "docs"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_friction_in_ten_minutes_prints_the_numbers_of_its_comments(capsys):
    text = (DOCS / "friction-in-ten-minutes.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) >= 7
    names = {}
    for code in blocks:
        exec(code, names)
        promised = re.findall(r"print\(.*\)  # (.+)$|^# (.+)$", code, re.M)
        assert capsys.readouterr().out.splitlines() == [one or two for one, two in promised]
    assert sum("print(" in code for code in blocks) == len(blocks)


def test_the_reference_is_that_of_the_docstrings():
    assert (DOCS / "api.md").read_text(encoding="utf-8") == reference_text(), (
        "run: .venv/bin/python -m generator reference docs/api.md"
    )
    offered = set(bristle.__all__) - {"VERSION", "BristleError"}
    assert {name for names in GROUPS.values() for name in names} == offered == set(_MODULES)


@pytest.mark.parametrize("module", sorted(set(_MODULES.values())))
def test_examples_of_docstrings_run(module):
    """Every public function has one."""
    known = {"bristle": bristle, "numpy": numpy}
    found = importlib.import_module(f"bristle.{module}")
    failed, tried = doctest.testmod(found, extraglobs=known)
    assert failed == 0
    own = [name for name, place in _MODULES.items() if place == module]
    assert tried and all(">>> " in getattr(bristle, name).__doc__ for name in own)


@pytest.mark.parametrize(
    "call, error, sentence",
    [
        (
            lambda: bristle.suggest("LuGre", mas=3),
            TypeError,
            "mas is not a known quantity; there are normal_force, mass, ",
        ),
        (lambda: bristle.suggest("LuGre", mass="3"), TypeError, "mass must be a number, not '3'."),
        (
            lambda: bristle.suggest("LuGre", mass=True),
            TypeError,
            "mass must be a number, not True.",
        ),
        (
            lambda: bristle.fit("LuGre", "x.csv", nonsense=3),
            bristle.BristleError,
            "unrecognized arguments: --nonsense 3; see bristle --help.",
        ),
        (lambda: bristle.fit("LuGre", 3), TypeError, "record must be a file, a list of files or a"),
        (
            lambda: bristle.fit("LuGre", "missing.csv"),
            bristle.BristleError,
            "missing.csv: No such file or directory.",
        ),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(call, error, sentence):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(sentence)
