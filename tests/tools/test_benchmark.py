"""bristle benchmark: the records of a folder with their side files; and what pages show."""

import subprocess
import sys

import numpy as np
import pytest

from interval_coverage import Case, record_of
from test_cli import refused  # noqa: F401

from bristle import cli
from bristle.identify.benchmark import tasks
from bristle.pages.svg import Line, _drawn_rows


@pytest.fixture
def folder(tmp_path):
    record_of(Case("Dahl", "sines", 0.01, 0.0, 50, 1), tmp_path / "one.csv", 400)
    record_of(Case("Dahl", "strokes", 0.01, 0.0, 70, 2), tmp_path / "two.csv", 400)
    (tmp_path / "one.toml").write_text(
        'normal = 1\nvalidate = "two.csv"\ntext = "Made by an equation."\n'
        '[[published]]\nlaw = "theirs"\nfitted = 2.5\nheld_out = 4.5\nsource = "a paper"\n'
    )
    return tmp_path


def test_laws_are_compared_on_records_beside_published_numbers(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    words = ["benchmark", ".", "--model", "Dahl", "--model", "SmoothCoulomb"]
    assert cli.main(words) == 0
    said, page = capsys.readouterr().out, (folder / "benchmark.html").read_text()
    rows = {line.split()[0]: line.split() for line in said.splitlines() if line.startswith("  ")}
    fitted, held = (float(cell.rstrip("%")) for cell in rows["Dahl"][1:3])
    assert fitted < 1.5 and held < 1.5  # noise of 1 % of the largest force
    assert rows["theirs"][1:3] == ["2.5%", "4.5%"]
    assert "Best on the held-out data: Dahl" in said and "two.csv, which was not used" in said
    assert "Made by an equation." in page and "published: a paper" in page
    assert [task.file.name for task in tasks(folder)] == ["one.csv"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("normal = ", "is not TOML"),
        ("norml = 1", "there is no key norml"),
        ('normal = "much"', "normal: invalid float value: 'much'"),
        ('validate = "none.csv"', "there is no such file"),
        ("[[published]]\nfitted = 1", "a published result has the keys"),
        ('sign = "plus"', "sign: invalid choice: 'plus'"),
        ("normal = -3", "one.toml: --normal -3 has to be above 0."),
        ('offset = "some"', "offset: invalid choice: 'some'"),
        ('load = "weight"', "load: invalid choice: 'weight'"),
        ("columns = 3", "--column 3: this is not ROLE=TITLE."),
        ('[columns]\nforce = "F"', "--column force=F: there is no such role; there are time,"),
        ("fix = 3", '"3" is not NAME=VALUE.'),
        ('[fix]\nlaw = "Bound"', "law = Bound must be Printed or Bounded."),
        ('[fix]\ndynamicFriction = "low"', "fix dynamicFriction=low: this is not a number."),
    ],
)
def test_an_invalid_side_file_is_refused(folder, text, sentence, refused):  # noqa: F811
    (folder / "one.toml").write_text(text)
    assert sentence in refused("benchmark", folder)


def test_a_folder_without_records_is_refused(tmp_path, refused):  # noqa: F811
    assert "there is no record in it" in refused("benchmark", tmp_path)
    assert "there is no such folder" in refused("benchmark", tmp_path / "no")


def test_a_picture_keeps_every_peak_of_a_long_record():
    time = np.arange(100_000) * 1e-3
    force = np.random.default_rng(1).standard_normal(len(time))
    force[54_321] = 9.0
    rows = _drawn_rows(Line(time, force), 500)
    assert 54_321 in rows and len(rows) <= 4 * 500
    for part in np.array_split(np.arange(len(time)), 50):
        kept = rows[(rows >= part[0]) & (rows <= part[-1])]
        assert np.ptp(force[kept]) == np.ptp(force[part])


def test_identify_needs_numpy_alone():
    """Imports had been a third of a short fit."""
    code = "import bristle.identify.command, sys; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
