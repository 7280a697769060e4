"""Reference results in the files: each FMU has its own, and FMPy reproduces them."""

import importlib.util

import pytest
from lxml import etree

import bristle
from bristle.format.archive import write_zip
from bristle.format.references import FOLDER, NOTE, with_references
from fmus import FOLDER as FMUS, files_of
from fmus import REPOSITORY

pytestmark = pytest.mark.shipped
SCRIPT = REPOSITORY / "examples" / "reference_results.py"
MANIFEST = f"{FOLDER}/fmi-ls-manifest.xml"
KINDS = [
    {"stick", "break_away", "reversal"},
    {"stick", "turn", "reversal"},
    {"stick", "turn", "impact"},
    {"press", "impact"},
    {"sweep", "together"},
]


def is_taken_by_fmpy(file):
    """Checks whether FMPy reads the tables: none that has both scalars and vectors of FMI 3.0."""
    inputs = bristle.describe(file).inputs
    return len({one.name == one.base for one in inputs}) == 1


FILES = sorted(FMUS.glob("*.fmu")) + sorted(filter(is_taken_by_fmpy, FMUS.glob("fmi3/*.fmu")))


@pytest.fixture(scope="module")
def compare():
    spec = importlib.util.spec_from_file_location("reference_results", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.compare


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_fmpy_repeats_the_experiments_of_every_file(compare, file, capsys):
    found = list(compare(file))
    assert {name.removeprefix("experiment:") for name, _, _ in found} in KINDS
    assert [(name, far) for name, far, allowed in found if not far <= allowed] == []
    assert capsys.readouterr().out == "", "FMPy has nothing to say"


def test_the_script_is_short_and_needs_only_fmpy():
    text = SCRIPT.read_text(encoding="utf-8")
    assert text.count("\n") <= 60 and "bristle" not in text.replace("Bristle", "").lower()


def test_the_manifest_follows_the_draft_and_lists_existing_files(fmu):
    content = files_of(fmu.path)
    root = etree.fromstring(content[MANIFEST])
    prefix = "{http://fmi-standard.org/fmi-ls-manifest}fmi-ls-"
    assert root.tag == "fmiReferences"
    assert root.get(f"{prefix}name") == FOLDER.removeprefix("extra/")
    assert root.get(f"{prefix}version") and root.get(f"{prefix}description")
    sources = [one.get("source").replace("../../", "") for one in root]
    places = [one if one in content else f"{FOLDER}/{one}" for one in sources]
    assert {one.get("role") for one in root} <= {"parameter", "experiment/smoke-test", "result"}
    sets = {name for name in content if name.endswith(".ssv")}
    results = {n for n in content if n.startswith(FOLDER) and n != MANIFEST}
    assert sorted(places) == sorted(sets | results) and NOTE in content


def test_they_take_little_room(fmu, tmp_path):
    content = files_of(fmu.path)
    less = {name: data for name, data in content.items() if FOLDER not in name and name != NOTE}
    write_zip(tmp_path / "less.fmu", less)
    assert fmu.path.stat().st_size - (tmp_path / "less.fmu").stat().st_size <= 40_000


def test_a_slightly_wrong_result_is_found(fmu, compare, tmp_path):
    """By ten times the tolerance."""
    content = files_of(fmu.path)
    name = sorted(n for n in content if n.endswith("_out.csv"))[0]
    rows = [line.split(",") for line in content[name].decode().splitlines()]
    column = max(range(1, len(rows[0])), key=lambda i: max(abs(float(r[i])) for r in rows[1:]))
    worst = max(rows[1:], key=lambda row: abs(float(row[column])))
    worst[column] = repr(float(worst[column]) * (1 + 1e-5))
    content[name] = ("\n".join(",".join(row) for row in rows) + "\n").encode()
    write_zip(tmp_path / "off.fmu", content)
    assert any(not far <= allowed for _, far, allowed in compare(tmp_path / "off.fmu"))


@pytest.mark.fmus(lambda d: "staticFriction" in d)
def test_a_stamped_fmu_carries_its_own(fmu, compare, tmp_path):
    start = next(v.start for v in fmu.description.parameters if v.name == "staticFriction")
    own = bristle.stamp(fmu.path, {"staticFriction": start * 1.5}, "Own", tmp_path / "Own.fmu")
    assert all(far <= allowed for _, far, allowed in compare(own))
    before, after = files_of(fmu.path), files_of(own)
    results = [name for name in before if name.endswith(("break_away_out.csv", "turn_out.csv"))]
    assert results and all(before[name] != after[name] for name in results)
    assert b"../../resources/Own.ssv" in after[MANIFEST]


def test_without_a_library_for_this_machine_there_are_none(fmu):
    content = files_of(fmu.path)
    less = {name: data for name, data in content.items() if not name.startswith("binaries/")}
    assert set(with_references(less)) == {n for n in less if FOLDER not in n and n != NOTE}
