"""The command line: help with examples for every command, errors in one line with exit code 2,
files complete or not written at all."""

import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import webbrowser
import zipfile
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import numpy as np
import pytest

from commands import completed
from fmus import FMUS, TWINS, REPOSITORY, need_all_fmus

import bristle
import bristle_site.commands
import generator.commands
from bristle import cli, native
from bristle.cli.files import writing
from generator import table

need_all_fmus()

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(REPOSITORY / "python"),
    "PYTHONDONTWRITEBYTECODE": "1",
    "COLUMNS": "140",
}


PROGRAMS = {
    "bristle": cli.commands,
    "generator": generator.commands,
    "bristle_site": bristle_site.commands,
}


def call(*words, **options):
    return completed(sys.executable, "-m", "bristle", *words, env=ENVIRONMENT, **options)


@pytest.fixture
def refused(capsys):
    """Runs a command that has to refuse; returns its one line."""
    before = signal.getsignal(signal.SIGTERM)

    def call_here(*words, program="bristle"):
        try:
            code = cli.main([str(word) for word in words], PROGRAMS[program], program)
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        assert (code, said.out) == (2, "")
        assert re.fullmatch(rf"{program}: .+\.\n", said.err), said.err
        return said.err.removeprefix(f"{program}: ").rstrip("\n")

    yield call_here
    signal.signal(signal.SIGTERM, before)


def test_help_names_all_commands_and_only_those_of_users():
    done = call("--help")
    assert done.returncode == 0
    assert (
        re.findall(r"^    (\w+)", done.stdout, re.M)
        == cli.names()
        == "benchmark doc get identify list playground run show stamp suggest sweep".split()
    )


@pytest.mark.parametrize(
    "program, name",
    [(program, name) for program, package in PROGRAMS.items() for name in cli.names(package)],
)
def test_every_command_has_help_and_every_one_of_users_examples(program, name, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main([name, "--help"], PROGRAMS[program], program)
    said = capsys.readouterr()
    assert (end.value.code, said.err) == (0, "")
    examples = said.out.partition("examples:\n")[2].splitlines()
    if program == "bristle":
        assert examples and all(
            re.match(rf"  (bristle {name}\b|    )", line) for line in examples if line
        )
    else:
        assert all(
            re.match(rf"  python (-m |site/){program} {name}\b", line) for line in examples if line
        )


@pytest.mark.parametrize("place", ["generator", "site/bristle_site"])
def test_the_commands_of_developers_work_from_any_folder(place, tmp_path):
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "PYTHONPATH"}
    done = completed(sys.executable, REPOSITORY / place, "--help", env=environment, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "") and re.findall(
        r"^    (\w+)", done.stdout, re.M
    ) == cli.names(PROGRAMS[Path(place).name])


def test_a_package_that_is_missing_is_named(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "generator.generate", None)
    said = refused("generate", "x.toml", "--out", "x", "--fmi-include", "x", program="generator")
    assert (
        said == "generator generate needs the Python package generator.generate: pip install -r"
        " requirements.txt."
    )


@pytest.mark.parametrize(
    "words, sentence",
    [
        ([], "the following arguments are required: command; see bristle --help."),
        (["nonsense"], 'there is no command "nonsense"; see bristle --help.'),
        (["lst"], 'there is no command "lst" (did you mean list?); see bristle --help.'),
        (
            ["show", "lugre"],
            "there is no model lugre (did you mean LuGre?); bristle list shows all.",
        ),
        (["get"], "give names of models, or --all; bristle list shows them."),
        (["get", "LuGre", "-o", __file__], f"{__file__}: is not a folder."),
        (
            ["list", "--kind", "bristly"],
            "there is no kind bristly (did you mean bristle?); there are regularized, ideal stick,"
            " bristle, hysteresis, spatial, load.",
        ),
        (
            ["identify", REPOSITORY / "examples/tribometer/tribometer.tsv", "--model", "LuGre"]
            + ["--fix", "dynamicFriction=-1"],
            "LuGre: dynamicFriction = -1 must be at least 1e-06, at most staticFriction.",
        ),
        (
            ["identify", "some.csv", "--model", "LuGre", "--delay", "abc"],
            "--delay abc has to be a number of seconds, or auto.",
        ),
        (
            ["identify", "some.csv", "--model", "all", "--delay", "0.004"],
            "--delay is for one model: the ranking fits no lag.",
        ),
        (["playground", "PinLoad"], "the playground has no PinLoad."),
        (
            ["run", "LuGre", "--stop", "soon"],
            "argument --stop: invalid float value: 'soon'; see bristle run --help.",
        ),
        (["run", "LuGre"], "a record is needed, or --stop and --interval."),
        (
            ["run", "LuGre", "--stop", "1", "--interval", "0"],
            "--interval 0 and --stop 1 have to be finite, with 0 < interval <= stop.",
        ),
        (
            ["run", "LuGre", "--set", "x", "--stop", "1", "--interval", "1"],
            '"x" is not NAME=VALUE.',
        ),
        (["list", "/nowhere"], "/nowhere: there is no FMU."),
    ],
)
def test_a_mistake_is_reported_in_one_line(refused, words, sentence):
    assert refused(*words) == sentence


def test_a_file_of_this_folder_is_named_with_its_ending(refused, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Own.fmu").touch()
    known = "there is no model Own (did you mean Own.fmu?); bristle list shows all."
    assert refused("show", "Own") == known


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["table", "/nowhere/README.md"], "/nowhere/README.md: No such file or directory."),
        (
            ["universal", "--out", "x.dylib", __file__],
            f"{__file__}: not a library of macOS for one processor.",
        ),
    ],
)
def test_a_mistake_of_a_developer_is_reported_in_one_line(refused, words, sentence):
    assert refused(*words, program="generator") == sentence


@pytest.fixture
def said(capsys, monkeypatch):
    """Runs a command; returns its output."""
    monkeypatch.setenv("COLUMNS", "100")
    before = signal.getsignal(signal.SIGTERM)

    def call_here(*words):
        assert cli.main([str(word) for word in words]) == 0
        return capsys.readouterr().out

    yield call_here
    signal.signal(signal.SIGTERM, before)


def names_in(listing):
    return re.findall(r"^  (\w+) ", listing, re.M)


def test_commands_that_only_read_load_no_library(said, monkeypatch, tmp_path):
    """As promised in SECURITY.md."""
    monkeypatch.setattr(webbrowser, "open", lambda page: True)
    monkeypatch.setattr(native, "_loaded", lambda file, what: pytest.fail(f"{file} is loaded"))
    name = FMUS[0].name
    for words in (["list"], ["show", name], ["doc", name], ["get", name, "-o", tmp_path]):
        assert said(*words)


def test_list_has_every_model_with_its_title_and_what_it_needs(said):
    listing = said("list")
    assert sorted(names_in(listing)) == sorted(fmu.name for fmu in FMUS)
    about = bristle.describe("Coulomb")
    assert f"{about.title}; needs externalForce, state events\n" in listing
    twins = names_in(said("list", "--rotational")) if TWINS else []
    assert sorted(twins) == sorted(twin.name for twin, _ in TWINS)


def test_list_can_be_narrowed(said):
    """By kind, by needs and by both; "nothing" means no events and no further input."""
    kinds = [set(names_in(said("list", "--kind", kind))) for kind in ("ideal-stick", "bristle")]
    assert kinds[0] >= {"Benson", "Coulomb", "Karnopp", "QuasiStaticLuGre"}
    assert kinds[0] == set(names_in(said("list", "--needs", "externalForce")))
    free = set(names_in(said("list", "--needs", "nothing")))
    assert free == {
        fmu.name
        for fmu in FMUS
        if not fmu.description.modes
        and {v.name for v in fmu.description.inputs} == {"normalForce", "relativeVelocity"}
    }
    both = set(names_in(said("list", "--needs", "nothing", "--kind", "bristle")))
    assert both == free & kinds[1] and "LuGre" in both and "ImplicitBristle" not in both


def test_list_for_programs_has_both_forms(said):
    entries = {one["name"]: one for one in json.loads(said("list", "--json"))}
    assert set(entries) == {fmu.name for fmu in FMUS} | {twin.name for twin, _ in TWINS}
    assert entries["LuGre"]["kind"] == "bristle" and Path(entries["LuGre"]["file"]).is_file()


def test_show_shows_all_that_the_fmu_has(fmu, said):
    """Every variable with its unit, every set and every text; in lines that fit a terminal."""
    about = bristle.describe(fmu.path)
    text = said("show", fmu.path)
    words = " ".join(text.split())
    for one in (*about.inputs, *about.outputs, *about.parameters):
        assert re.search(rf"^  {one.base}(\[1…\d\])? ", text, re.M), one.name
        assert not one.unit or one.unit == "1" or f" {one.unit} " in words
    for part in (about.title, about.facts.summary, about.facts.passivity(), about.facts.energy):
        assert " ".join(part.split()) in words
    for part in (*about.facts.choose, *about.facts.not_modelled):
        assert " ".join(part.split()) in words
    with zipfile.ZipFile(fmu.path) as archive:
        sets = [Path(name).stem for name in archive.namelist() if name.endswith(".ssv")]
    assert all(f"  {name} " in text for name in sets)
    assert all(" ".join(one["text"].split()) in words for one in about.facts.equations)
    assert text.strip() == str(about)
    equations = re.findall(r"^      (.*)$", text.partition("\nEquations\n")[2], re.M)
    assert not re.search(r"[\\{}&]", "".join(equations).replace("{ ", "").replace(" }", ""))
    assert all(len(line) <= 100 or " " not in line.strip() for line in text.splitlines())


def test_show_has_unit_range_and_default_of_a_parameter(said):
    text = said("show", "LuGre")
    assert re.search(r"^  bristleStiffness +39000 N/m +at least 0.001$", text, re.M)
    assert re.search(
        r"^  dynamicFriction +0.3 +at least 1e-06, at most staticFriction$", text, re.M
    )
    assert re.search(r"^  law +Printed +Printed or Bounded$", text, re.M)
    assert "      ż = v - σ_0 |v|/(g(|v|)) z\n" in text


def test_get_copies_the_file_and_its_sets(said, refused, tmp_path):
    folder = tmp_path / "new"
    said("get", "LuGre", "--sets", "-o", folder)
    assert (folder / "LuGre.fmu").read_bytes() == bristle.fmu("LuGre").read_bytes()
    values = said(
        *["run", "LuGre", "--ssv", folder / "LuGre_rill2023_model1.ssv"],
        *["--stop", "1", "--interval", "1"],
    )
    assert values.startswith("time,")
    said("get", "LuGre", "-o", folder)  # the same again does no harm
    (folder / "LuGre.fmu").write_bytes(b"mine")
    refusal = refused("get", "LuGre", "-o", folder)
    assert (
        refusal == f"{folder / 'LuGre.fmu'}: already exists with other content; give --overwrite."
    )
    said("get", "LuGre", "-o", folder, "--overwrite")
    assert (folder / "LuGre.fmu").read_bytes() == bristle.fmu("LuGre").read_bytes()


def test_doc_opens_the_page_of_the_fmu(said, monkeypatch, tmp_path):
    pages = []
    monkeypatch.setattr(webbrowser, "open", lambda page: pages.append(page) or True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert said("doc", "LuGre").split() == pages
    page = Path(url2pathname(urlparse(pages[0]).path))
    said("doc", "LuGre", "-o", tmp_path / "page.html")
    with zipfile.ZipFile(bristle.fmu("LuGre")) as archive:
        wanted = archive.read("documentation/index.html").decode()
    assert page.read_text(encoding="utf-8") == wanted and page.name == "LuGre.html"
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == wanted


def test_playground_opens_with_a_model_where_there_is_one(said, monkeypatch, tmp_path, capsys):
    """A twin opens as its model; without a browser the address is printed."""
    (tmp_path / "playground").mkdir()
    (tmp_path / "playground" / "index.html").write_text("<p>")
    for name in ("LuGre", *(["LuGreRotational"] if TWINS else [])):
        (tmp_path / f"{name}.fmu").symlink_to(bristle.fmu(FMUS[0].path.parent / f"{name}.fmu"))
    monkeypatch.setattr(webbrowser, "open", lambda page: False)
    monkeypatch.setenv("BRISTLE_FMUS", str(tmp_path))
    page = (tmp_path / "playground" / "index.html").as_uri()
    assert said("playground") == f"{page}\n"
    for file in tmp_path.glob("*.fmu"):
        assert said("playground", file.stem) == f"{page}#1=LuGre\n"


RECORDS = {
    "": "is empty.",
    "time,relativeVelocity\n": "there are no numbers below the names.",
    "time;relativeVelocity\n0;0,1\n1;x\n": (
        ', line 3, column relativeVelocity: "x" is not a number.'
    ),
    "time,relativeVelocity\n0,0.1\n\n1,nan\n": (
        ", line 4, column relativeVelocity: nan is not finite."
    ),
    "time,relativeVelocity\n0,0.1,3\n": ", line 2: there are 3 entries for 2 columns.",
    "time,time\n0,0.1\n": ", line 1: two columns are named time.",
    "relativeVelocity\n0\n": "no column time; there are relativeVelocity.",
    "time,speed\n0,0.1\n": (
        ", column speed: LuGre has no such input; there are normalForce, relativeVelocity."
    ),
}


@pytest.mark.parametrize("text", RECORDS)
def test_a_bad_record_is_reported_with_line_and_column(refused, tmp_path, text):
    record = tmp_path / "record.csv"
    record.write_text(text, encoding="utf-8")
    sentence = RECORDS[text]
    wanted = f"{record}{sentence}" if sentence.startswith(",") else f"{record}: {sentence}"
    assert refused("run", "LuGre", record, "-o", tmp_path / "out.csv") == wanted
    assert os.listdir(tmp_path) == ["record.csv"]


def test_time_that_goes_back_is_refused(refused, tmp_path):
    record = tmp_path / "record.csv"
    record.write_text("time,relativeVelocity\n0,0\n2,0\n1,0\n", encoding="utf-8")
    assert refused("run", "LuGre", record) == "time goes back from 2 s to 1 s at sample 2."


def test_run_writes_the_outputs_at_the_times_of_the_record(tmp_path):
    record, out = tmp_path / "record.csv", tmp_path / "new" / "out.csv"
    record.write_text("# a ramp\ntime;relativeVelocity\n0;0\n0,5;0,01\n1;0,02\n", encoding="utf-8")
    done = call(
        "run", "LuGre", record, "--set", "normalForce=20", "--set", "staticFriction=0.6", "-o", out
    )
    message = f"bristle: made the folder {out.parent}.\n"
    assert (done.returncode, done.stderr) == (0, message)
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    wanted = bristle.run(
        FMUS[0].path.parent / "LuGre.fmu",
        [0, 0.5, 1],
        {"relativeVelocity": [0, 0.01, 0.02], "normalForce": 20},
        {"staticFriction": 0.6},
    )
    assert list(rows[0]) == ["time", *wanted]
    for name, values in wanted.items():
        assert [float(row[name]) for row in rows] == list(values), "all digits are written"
    assert os.listdir(out.parent) == ["out.csv"]


def test_a_parameter_set_is_read_and_its_names_and_units_are_checked(refused, tmp_path):
    text = """<ssv:ParameterSet
        xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0"
        name="a">
<ssv:Parameters><ssv:Parameter name="{name}"><ssv:Real value="{value}"
    {more}/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>"""
    file = tmp_path / "a.ssv"
    words = ["run", "LuGre", "--ssv", file, "--stop", "1", "--interval", "1"]
    file.write_text(text.format(name="staticFriction", value=0.01, more=""), encoding="utf-8")
    assert refused(*words) == "LuGre: dynamicFriction = 0.3 must be at most staticFriction = 0.01."
    file.write_text(text.format(name="slipperiness", value=1, more=""), encoding="utf-8")
    assert refused(*words) == f"{file}: LuGre has no parameter slipperiness."
    file.write_text(
        text.format(name="stribeckVelocity", value=1, more='unit="mm/s"'), encoding="utf-8"
    )
    assert refused(*words) == f"{file}: stribeckVelocity is given in mm/s, but has the unit m/s."
    file.write_text("no", encoding="utf-8")
    assert refused(*words).startswith(f"{file}: not XML: ")


def test_a_full_disk_is_reported_and_leaves_nothing(tmp_path):
    """/dev/full stands for the disk."""
    with pytest.raises(bristle.BristleError, match="No space left on device.$"):
        with writing(tmp_path / "out.csv") as handle:
            with open("/dev/full", "w", encoding="utf-8") as full:
                full.write("x")
            handle.write("never")
    assert os.listdir(tmp_path) == []


def test_an_exception_while_writing_leaves_the_old_file(tmp_path):
    file = tmp_path / "out.csv"
    file.write_text("old", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        with writing(file) as handle:
            handle.write("new")
            raise KeyboardInterrupt
    assert file.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("what, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_it_leaves_no_half_written_file(tmp_path, what, code):
    """The signal comes after the temporary file is written and before it is renamed; the command is
    made to wait there."""
    out = tmp_path / "out.csv"
    waits = (
        "import os, sys, time; from bristle.cli import main; os.replace = lambda *_:"
        " time.sleep(30); sys.exit(main())"
    )
    words = [
        sys.executable,
        "-c",
        waits,
        *"run LuGre --stop 1 --interval 0.001 -o".split(),
        str(out),
    ]
    # a shell in the background ignores SIGINT, and lets its children do so
    with subprocess.Popen(
        words,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as running:
        while not os.listdir(tmp_path) and running.poll() is None:
            time.sleep(0.002)
        running.send_signal(what)
        said = running.communicate()[1]
    assert running.returncode == code
    assert said == ("bristle: interrupted.\n" if code == 130 else "")
    assert os.listdir(tmp_path) == []


def test_a_closed_pipe_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m bristle run LuGre --stop 100 --interval 0.001 | head -n 1",
        shell=True,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("time,frictionForce") and done.stderr == ""


def test_the_models_say_what_they_are():
    assert bristle.models() == sorted([fmu.name for fmu in FMUS] + [twin.name for twin, _ in TWINS])
    for fmu in FMUS:
        about = bristle.describe(fmu.name)
        assert bristle.fmu(fmu.name) == fmu.path
        assert [v.name for v in about.parameters] == [v.name for v in fmu.description.parameters]
        assert [(v.name, v.start, v.unit) for v in about.inputs] == [
            (v.name, v.start, v.unit) for v in fmu.description.inputs
        ]
        assert [v.name for v in about.states] == [v.name for v in fmu.description.states]
        assert all(v.text for v in about.variables)
    assert np.isfinite(bristle.run(fmu.path, [0, 1], {})[about.outputs[0].name]).all()


# ---- hostile files ----


def damaged_fmus(count):
    """Yields an FMU truncated, with bytes changed anywhere, or in its directory."""
    whole, draw = FMUS[0].path.read_bytes(), random.Random(1)
    for number in range(count):
        content = bytearray(whole)
        if number % 3 == 0:
            content = content[: draw.randrange(len(content))]
        else:
            first = 0 if number % 3 == 1 else len(content) - 3000
            for _ in range(draw.choice([1, 20, 400])):
                content[draw.randrange(first, len(content))] = draw.randrange(256)
        yield bytes(content)


def test_a_damaged_fmu_is_listed_or_refused_in_a_line(tmp_path, capsys):
    file = tmp_path / "Damaged.fmu"
    for content in damaged_fmus(60):
        file.write_bytes(content)
        code = cli.main(["list", str(tmp_path)])
        printed = capsys.readouterr()
        assert (code, printed.err) == (0, "") or (
            code == 2 and printed.err.count("\n") == 1 and "Damaged.fmu" in printed.err
        )


@pytest.mark.parametrize(
    "old, new",
    [
        (b'valueReference="', b'valueReference="x'),
        (b"<Real ", b"<!-- "),
        (b'start="', b'start="x'),
        (b'start="', b'start="nan" x="'),
        (b'min="', b'min="1e999" y="'),
    ],
)
def test_an_fmu_with_a_damaged_description_is_run_or_refused_in_a_line(old, new, tmp_path, capsys):
    file = tmp_path / "Damaged.fmu"
    with zipfile.ZipFile(FMUS[0].path) as whole, zipfile.ZipFile(file, "w") as target:
        for name in whole.namelist():
            target.writestr(
                name,
                (
                    whole.read(name).replace(old, new)
                    if name == "modelDescription.xml"
                    else whole.read(name)
                ),
            )
    code = cli.main(["run", str(file), "--stop", "0.01", "--interval", "0.01"])
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, "") or (
        code == 2 and printed.err.count("\n") == 1 and "Damaged.fmu" in printed.err
    )


def test_a_table_without_its_marks_is_refused_and_nothing_is_lost(tmp_path, capsys):
    readme = tmp_path / "README.md"
    (tmp_path / "modelDescription").symlink_to(REPOSITORY / "modelDescription")
    whole = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    begins = list(table.BEGINS)
    for mark, said in ((begins[0], " or ".join(begins)), (table.END, table.END)):
        text = whole.replace(mark, "")
        readme.write_text(text, encoding="utf-8")
        assert cli.main(["table", str(readme)], generator.commands) == 2
        assert f"the line {said} is missing" in capsys.readouterr().err
        assert readme.read_text(encoding="utf-8") == text
    readme.write_bytes(b"\xff\xfe")
    assert cli.main(["table", str(readme)], generator.commands) == 2
    assert "README.md: is not UTF-8 text." in capsys.readouterr().err


@pytest.mark.parametrize(
    "content, sentence",
    [
        (None, "Mine.toml: there is no such file"),
        (b"\xff\xfe", "Mine.toml: not UTF-8 text"),
        (b'include = ["loop"]', 'shared/loop.toml: include: "loop" includes this file itself'),
        (b"include = 3", "Mine.toml: include: has to be a list of names"),
        (b"a = " + b"[" * 100000, "Mine.toml: "),
        (b"title = 1", "Mine.toml: title: has to be a text"),
        (b"[parameters]\nx = 1", "Mine.toml: parameters.x: has to be a table"),
    ],
)
def test_a_description_that_cannot_be_used_is_reported_in_a_line(
    content, sentence, tmp_path, capsys
):
    folder = tmp_path / "modelDescription"
    (folder / "shared").mkdir(parents=True)
    for name in ("units.toml", "references.toml", "co_simulation.toml"):
        (folder / "shared" / name).write_bytes(
            (REPOSITORY / "modelDescription" / "shared" / name).read_bytes()
        )
    (folder / "shared" / "loop.toml").write_text('include = ["loop"]')
    if content is not None:
        (folder / "Mine.toml").write_bytes(content)
    assert (
        cli.main(
            [
                "generate",
                str(folder / "Mine.toml"),
                "--out",
                str(tmp_path / "out"),
                "--fmi-include",
                str(tmp_path),
            ],
            generator.commands,
        )
        == 2
    )
    printed = capsys.readouterr().err
    assert sentence in printed and printed.count("\n") == 1 and len(printed) < 400
    assert not (tmp_path / "out").exists()


def test_a_report_that_cannot_be_written_is_reported_before_anything_runs(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert (
        cli.main(
            ["report", "--rig", "/nowhere/rig", "--out", str(tmp_path / "file" / "report.html")],
            bristle_site.commands,
        )
        == 2
    )
    printed = capsys.readouterr().err
    assert "report.html: " in printed and printed.count("\n") == 1 and "rig" not in printed
