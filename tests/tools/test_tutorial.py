"""The tutorial: its commands run in order, its pictures exist, and its Python gives the stated
results."""

import re
import shlex

import pytest

from fmus import REPOSITORY, Fmu, need_all_fmus

from bristle import cli

need_all_fmus()

FILE = REPOSITORY / "docs" / "from-a-measurement-to-an-element.md"
TEXT = FILE.read_text(encoding="utf-8")
RECORD = "examples/tribometer/tribometer.tsv"


def quick(words):
    """Runs the command on twenty seconds of the record, with a coarser grid; tests of the ranking
    compare all models."""
    words = [word.replace(":13", ":3") for word in words]
    for option in ("--samples", "--to", "--pictures"):
        if option in words:
            place = words.index(option)
            del words[place : place + 2]
    more = ["--samples", "400", "--to", "30"] if RECORD in words else []
    return [str(REPOSITORY / RECORD) if word == RECORD else word for word in words] + more


def test_the_commands_of_the_tutorial(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    commands = [
        shlex.split(line)
        for block in re.findall(r"```sh\n(.*?)```", TEXT, re.S)
        for line in block.splitlines()
    ]
    assert [words[1] for words in commands] == [
        "identify",
        "identify",
        "identify",
        "stamp",
        "sweep",
    ]
    for words in commands:
        assert words[0] == "bristle"
        if "all" not in words:
            assert cli.main(quick(words[1:])) == 0, words
    script = re.search(r"```python\n(.*?)```", TEXT, re.S)[1]
    capsys.readouterr()
    exec(compile(script, str(FILE), "exec"), {})
    assert float(capsys.readouterr().out) == pytest.approx(
        0.47 * 5, rel=0.1
    )  # of thirty seconds of the record
    assert Fmu(tmp_path / "MyContact.fmu").description["law"].start == 2
    for name in ("contact.html", "contact.ssv", "MyContact.fmu", "fit.csv", "fit.html"):
        assert (tmp_path / name).stat().st_size > 0


def test_the_pictures_of_the_tutorial_are_there():
    names = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)
    assert len(names) == 4 and all(
        (FILE.parent / name).read_text(encoding="utf-8").startswith("<svg") for name in names
    )
