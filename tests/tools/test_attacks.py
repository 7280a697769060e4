"""Commands under attack: damaged files, absurd numbers, full disks. One clear line, exit code 2,
nothing lost, and no endless work."""

import os
import re
import signal
import stat
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from fmus import FMUS, REPOSITORY, need_all_fmus

import bristle
from bristle import cli, expressions
from bristle.cli.files import writing
from bristle.format import archive
from bristle.format.parameter_set import NAMESPACE

need_all_fmus()

FOLDER = FMUS[0].path.parent
LUGRE = FOLDER / "LuGre.fmu"
RUN = ["--stop", "1", "--interval", "0.5"]
OVER = ["--over", "staticFriction=.5:.6:2"]


@pytest.fixture
def refused(capsys, monkeypatch, tmp_path):
    """Runs a command that has to refuse without output or change of its folder; returns its one
    line."""
    monkeypatch.chdir(tmp_path)
    before = signal.getsignal(signal.SIGTERM)

    def call(*words):
        kept = snapshot(tmp_path)
        try:
            code = cli.main([str(word) for word in words])
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        assert (code, said.out) == (2, "")
        assert re.fullmatch(r"bristle: .+[.?]\n", said.err), said.err
        assert cli.DEFECT not in said.err
        assert snapshot(tmp_path) == kept
        return said.err.removeprefix("bristle: ").rstrip("\n")

    yield call
    signal.signal(signal.SIGTERM, before)


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def unpacked(fmu):
    """Returns the size of an unpacked FMU in bytes."""
    return sum(one.file_size for one in zipfile.ZipFile(fmu).infolist())


def copied(file, change=lambda name, data: data, more=(), fmu=LUGRE):
    """Makes an FMU with changed and added members."""
    with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
        for entry, data in more:
            new.writestr(entry, data)
    return file


def link(name, target):
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return entry, target


# ---- numbers and names ----

WORDS = {
    "more samples than memory": (
        ["run", "LuGre", "--stop", "1", "--interval", "1e-300"],
        "--interval 1e-300 and --stop 1 make 1e+300 samples, more than 1e+07.",
    ),
    "more points than time": (
        ["sweep", "pulse", "LuGre", "--over", "staticFriction=.5:.6:1000000000"],
        "the grid has 1e+09 points, more than 1e+07; take a --sample of it.",
    ),
    "a sample of as many": (
        ["sweep", "pulse", "LuGre", *OVER, "--sample", "sobol", "--count", "100000000000"],
        "--count 100000000000 is more than 1e+07.",
    ),
    "a power without end": (
        ["sweep", "pulse", "LuGre", *OVER, "--quantity", "a=9**9**9**9"],
        "9**9**9**9: Numerical result out of range.",
    ),
    "a root of less than nothing": (
        ["sweep", "pulse", "LuGre", *OVER, "--quantity", "a=(0-1)**.5"],
        "(0-1)**.5: the value is not real.",
    ),
    "a quantity twice": (
        ["sweep", "pulse", "LuGre", *OVER, "--quantity", "a=1", "--quantity", "a=2"],
        "--quantity names a twice.",
    ),
    "a division by nothing": (
        ["sweep", "pulse", "LuGre", *OVER, "--quantity", "a=1/0"],
        "1/0: float division by zero.",
    ),
    "a negative seed": (
        ["sweep", "pulse", "LuGre", *OVER, "--seed", "-1"],
        "--seed -1 has to be 0 or more.",
    ),
    "a stop that is none": (
        ["sweep", "pulse", "LuGre", *OVER, "--stop", "nan"],
        "--stop nan has to be above 0 and finite.",
    ),
    "a stop that no run comes to": (
        ["sweep", "pulse", "LuGre", *OVER, "--stop", "1e12"],
        "--stop 1e+12 is more than 10000 times the 0.4 s of pulse.",
    ),
    "samples of a system without end": (
        ["sweep", "pulse", "LuGre", *OVER, "--interval", "1e-12"],
        "--interval 1e-12 and --stop 0.4 make 4e+11 samples, more than 1e+07.",
    ),
    "a stop before the start": (
        ["sweep", "pulse", "LuGre", *OVER, "--stop", "0"],
        "--stop 0 has to be above 0 and finite.",
    ),
    "an interval that is none": (
        ["sweep", "pulse", "LuGre", *OVER, "--interval", "inf"],
        "--interval inf has to be 0 or more and finite.",
    ),
    "a value beyond any unit": (
        ["stamp", "LuGre", "--name", "Own", "--set", "staticFriction=5e9"],
        "staticFriction = 5e+09 is 8e+09 times what is usual in LuGre, 0.6; is it in SI units?",
    ),
    "a name without end": (
        ["stamp", "LuGre", "--name", "x" * 5000],
        "the name xxxxxxxxxxxxxxxxxxxx… has more than 127 letters.",
    ),
    "a description that XML cannot have": (
        ["stamp", "LuGre", "--name", "Own", "--description", "a\x01b"],
        "the description 'a\\x01b' has signs that cannot be shown, or is more than a line.",
    ),
    "no name of a file": (["run", "LuGre", *RUN, "-o", ""], '--out "." is not the name of a file.'),
    "a folder": (["run", "LuGre", *RUN, "-o", "/tmp"], "/tmp: Is a directory."),
    "results in place of an FMU": (
        ["run", "LuGre", *RUN, "-o", "a.fmu"],
        "a.fmu: results are not an FMU; give them another name.",
    ),
    "a parameter set in place of an FMU": (
        ["suggest", "LuGre", "--mass", "1", "--deflection", "1e-5", "-o", "a.fmu"],
        "a.fmu: the name of a parameter set ends in .ssv.",
    ),
    "a record without end": (["run", "LuGre", "/dev/zero"], "/dev/zero: is a device."),
    "a measurement without end": (
        ["identify", "/dev/zero", "--model", "LuGre"],
        "/dev/zero: is a device.",
    ),
    "a full disk": (
        ["run", "LuGre", *RUN, "-o", "/dev/full"],
        "/dev/full: No space left on device.",
    ),
}


@pytest.mark.parametrize("case", WORDS)
def test_absurd_input_is_refused(case, refused):
    words, sentence = WORDS[case]
    assert refused(*words) == sentence


# A number that is accepted, and the next one that is not; before them an error reported later.
UNKNOWN = ["sweep", "pulse", "LuGre", "--over", "nothing=.5:.6:2"]
LIMITS = [
    (["run", "LuGre", "--stop", "1", "--set", "nothing=1", "--interval"], 1.001e-7, 0.999e-7),
    ([*UNKNOWN, "--stop"], 3999, 4001),
    ([*UNKNOWN, "--interval"], 4.01e-8, 3.99e-8),
    ([*UNKNOWN, "--workers"], 1, 0),
    (["identify", "nothing.csv", "--model", "LuGre", "--samples"], 30, 29),
    (["identify", "nothing.csv", "--model", "LuGre", "--mass"], 1e-9, 0),
    (["identify", "nothing.csv", "--model", "LuGre", "--normal"], 1e-9, 0),
    (["suggest", "nothing", "--mass"], 1e-12, 0.9e-12),
    (["suggest", "nothing", "--mass"], 1e12, 1.1e12),
]


@pytest.mark.parametrize("words, taken, not_taken", LIMITS)
def test_a_limit_is_where_it_is_said_to_be(words, taken, not_taken, refused):
    assert "nothing" in refused(*words, taken)
    assert "nothing" not in refused(*words, not_taken)


def test_a_device_stays_one(refused):
    refused("run", "LuGre", *RUN, "-o", "/dev/full")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("words", [["run", "LuGre", *RUN], ["list", FOLDER]], ids=["run", "list"])
def test_an_output_that_cannot_be_written_is_reported_once(words):
    with open("/dev/full", "w") as full:
        environment = {
            **os.environ,
            "PYTHONPATH": str(REPOSITORY / "python"),
        }
        done = subprocess.run(
            [sys.executable, "-m", "bristle", *map(str, words)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
    assert (done.returncode, done.stderr) == (2, "bristle: No space left on device.\n")


def test_an_unexpected_error_is_a_line_with_its_place(monkeypatch, capsys):
    def fail(*_):
        raise LookupError("no such thing")

    monkeypatch.setattr(cli.command("list"), "run", fail)
    assert cli.main(["list"]) == 2
    said = capsys.readouterr().err
    assert (
        said.startswith(f"bristle: {cli.DEFECT}: LookupError in test_attacks.py, line ")
        and said.count("\n") == 1
    )
    monkeypatch.setenv("BRISTLE_TRACEBACK", "1")
    with pytest.raises(LookupError):
        cli.main(["list"])


# ---- tables ----

TABLES = {
    "a cell without end": (
        "time,relativeVelocity\n0,0\n1," + "0" * 140_000 + "\n",
        ", line 3: field larger than field limit (131072).",
    ),
    "a quote without end": (
        'time,relativeVelocity\n0,0\n1,"0\n2,1\n',
        ", line 3: a quote is not closed.",
    ),
    "a million columns": (
        ",".join(["time", *map(str, range(1_000_000))]) + "\n" + ",".join(["0"] * 1_000_001) + "\n",
        ", column 0: LuGre has no such input; there are normalForce, relativeVelocity.",
    ),
    "UTF-16": ("time,relativeVelocity\n0,0\n".encode("utf-16"), ": is not UTF-8 text."),
    "zeros": (
        b"time,relativeVelocity\n0,\0\n",
        ', line 2, column relativeVelocity: "\0" is not a number.',
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_a_damaged_table_of_inputs_is_refused(case, refused, tmp_path):
    text, sentence = TABLES[case]
    (tmp_path / "in.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert refused("run", "LuGre", "in.csv") == f"in.csv{sentence}"


@pytest.mark.filterwarnings("error")  # which would break the line
def test_times_whose_difference_overflows_are_refused(refused, tmp_path):
    (tmp_path / "in.csv").write_text("time,relativeVelocity\n-1e308,0\n1e308,1\n")
    assert refused("run", "LuGre", "in.csv") == (
        "LuGre: A step from -1e+308 s of length inf s cannot be made, at 1e+308 s."
    )


RECORD = [
    f"{0.01 * i:.2f},{np.sin(i / 10):.4f},{np.tanh(20 * np.cos(i / 10)):.4f}" for i in range(400)
]
RECORDS = {
    "a million columns": (
        ["a," * 1_000_000 + "a", "0," * 1_000_000 + "0"],
        "there are 1000001 columns, more than 1000; rows and columns seem to be exchanged.",
    ),
    "a quoted cell without end": (
        [*RECORD[:99], '1.00,"' + "1" * 140_000 + '",3', *RECORD[100:]],
        "field larger than field limit (131072).",
    ),
    "a position that stays": (
        [f"{0.01 * i:.2f},1.0,2.0" for i in range(400)],
        "nothing moves, so nothing can be learned about sliding.",
    ),
    "a quote without end": (
        [*RECORD[:99], '1.00,"1,3', *RECORD[100:]],
        "line 101 has 2 cells, but the header has 3.",
    ),
}


@pytest.mark.parametrize("case", RECORDS)
def test_a_damaged_measurement_is_refused(case, refused, tmp_path):
    lines, sentence = RECORDS[case]
    (tmp_path / "in.csv").write_text("\n".join(["time [s],position [mm],force [N]", *lines]) + "\n")
    assert (
        refused("identify", "in.csv", "--model", "LuGre", "--normal", "10") == f"in.csv: {sentence}"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["run", "LuGre", "in.csv", "-o", "in.csv"],
        ["sweep", "in.csv", "LuGre", *OVER, "-o", "./in.csv"],
    ],
    ids=["run", "sweep"],
)
def test_input_files_are_not_overwritten(words, refused, tmp_path):
    (tmp_path / "in.csv").write_text("time,relativeVelocity\n0,0\n1,1\n")
    assert refused(*words) == "in.csv: this command reads the file; write to another one."


@pytest.mark.parametrize(
    "content", [b'"x"\n', b"[1\n", b"\xff\xfe\n", b"", b'"x"\n3\n', b"[" * 100_000 + b"\n"]
)
def test_an_invalid_journal_is_refused_and_kept(content, refused, tmp_path):
    (tmp_path / "out.csv.part").write_bytes(content)
    wanted = (
        "out.csv.part belongs to another sweep that was stopped, or is damaged: remove it, or"
        " choose another -o."
    )
    assert refused("sweep", "pulse", "LuGre", *OVER, "-o", "out.csv") == wanted


# ---- FMUs ----


def flipped(name):
    def make(file):
        data = bytearray(LUGRE.read_bytes())
        with zipfile.ZipFile(LUGRE) as whole:
            data[whole.getinfo(name).header_offset + 500] ^= 0xFF
        file.write_bytes(data)

    return make


def exchanged(name, data):
    """Swaps two value references."""
    if name != "modelDescription.xml":
        return data
    for old, new in ((2, "x"), (3, 2), ("x", 3)):
        data = data.replace(f'valueReference="{old}"'.encode(), f'valueReference="{new}"'.encode())
    return data


ARCHIVES = {
    "bits of the page are flipped": (
        flipped("documentation/index.html"),
        "not an FMU, the zip file cannot be read.",
    ),
    "a name above it": (
        lambda file: copied(file, more=[("../up.txt", "x")]),
        "not an FMU, '../up.txt' lies outside of it.",
    ),
    "a name of its own": (
        lambda file: copied(file, more=[("/tmp/own.txt", "x")]),
        "not an FMU, '/tmp/own.txt' lies outside of it.",
    ),
    "a name of Windows": (
        lambda file: copied(file, more=[("C:x", "x")]),
        "not an FMU, 'C:x' lies outside of it.",
    ),
    "a name with a backslash": (
        lambda file: copied(file, more=[("..\\x", "x")]),
        "not an FMU, '..\\\\x' lies outside of it.",
    ),
    "a link": (
        lambda file: copied(file, more=[link("resources/passwd", "/etc/passwd")]),
        "not an FMU, resources/passwd is a link.",
    ),
    "a member twice": (
        lambda file: copied(file, more=[("./LICENSE", "a"), ("LICENSE", "b")]),
        "not an FMU, it has LICENSE twice.",
    ),
    "a bomb": (
        lambda file: copied(file, more=[("resources/bomb", bytes(archive.LARGEST))]),
        f"unpacked it would have {(archive.LARGEST + unpacked(LUGRE)) >> 20} MiB, more than 256.",
    ),
    "value references that were changed": (
        lambda file: copied(file, exchanged),
        "stribeckVelocity has the value reference 3 instead of 2; its modelDescription.xml was"
        " changed, or it was built by another tool.",
    ),
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_a_damaged_fmu_is_not_stamped(case, refused, tmp_path):
    make, sentence = ARCHIVES[case]
    make(tmp_path / "in.fmu")
    assert refused("stamp", "in.fmu", "--name", "Own") == f"{tmp_path / 'in.fmu'}: {sentence}"


@pytest.mark.parametrize("reference", ["-1", "4294967296", "1e1", ""])
def test_an_invalid_value_reference_is_refused(reference, refused, tmp_path):
    """ctypes would use its lower 32 bits."""
    new = f'valueReference="{reference}"'.encode()
    copied(tmp_path / "in.fmu", lambda _, data: data.replace(b'valueReference="0"', new))
    assert refused("run", "in.fmu", *RUN) == (
        f"{tmp_path / 'in.fmu'}: its modelDescription.xml has a variable of a type that no element"
        " has, or with numbers that are none."
    )


def test_an_invalid_library_is_refused(refused, tmp_path):
    copied(tmp_path / "in.fmu", lambda name, data: b"text" if name.endswith(".so") else data)
    assert refused("run", "in.fmu", *RUN) == (
        f"{tmp_path / 'in.fmu'}: its library for linux64 is damaged."
    )


@pytest.mark.parametrize(
    "words",
    [["run", "in.fmu", *RUN], ["identify", "in.csv", "--model", "in.fmu", "--normal", "1"]],
    ids=["run", "identify"],
)
def test_a_library_with_flipped_bits_is_refused(words, refused, tmp_path):
    flipped("binaries/linux64/LuGre.so")(tmp_path / "in.fmu")
    (tmp_path / "in.csv").write_text(
        "\n".join(["time [s],position [mm],force [N]", *RECORD]) + "\n"
    )
    assert refused(*words) == f"{tmp_path / 'in.fmu'}: not an FMU, the zip file cannot be read."


def test_an_fmu_is_overwritten_only_on_request(refused, tmp_path, capsys):
    own = bristle.stamp(LUGRE, {"staticFriction": 0.7}, "Own", tmp_path / "Own.fmu")
    words = ["stamp", "LuGre", "--name", "Own", "--set", "staticFriction=0.8"]
    assert refused(*words) == (
        "Own.fmu: already exists; give another name, or overwrite it (--overwrite)."
    )
    assert cli.main([*words, "--overwrite"]) == 0
    assert bristle.describe(own)["staticFriction"].start == 0.8


def test_a_page_does_not_replace_a_record_of_its_folder(refused, tmp_path):
    (tmp_path / "in.csv").write_text("\n".join(["time [s],position [mm],force [N]", *RECORD]))
    (tmp_path / "in.toml").write_text('normal = 1\nmodels = ["SmoothCoulomb"]')
    for name in ("in.csv", "in.toml"):
        assert refused("benchmark", ".", "-o", name) == f"{name}: the name of a page ends in .html."


JUNK = [b"", b"\xff", b'<?xml version="1.0" encoding="foo"?><a/>', b"<a>" * 9]


@pytest.mark.parametrize("junk", JUNK, ids=range(len(JUNK)))
@pytest.mark.parametrize(
    "source, member",
    [
        ("LuGre.fmu", "modelDescription.xml"),
        ("LuGre.fmu", "documentation/index.html"),
        ("LuGre.fmu", "resources/canudas1995_standard.ssv"),
        ("fmi3/LuGre.fmu", "sources/buildDescription.xml"),
    ],
)
def test_a_member_that_is_not_what_it_should_be_is_refused(source, member, junk, refused, tmp_path):
    copied(
        tmp_path / "in.fmu", lambda name, old: junk if name == member else old, fmu=FOLDER / source
    )
    stamp = ["stamp", "in.fmu", "--name", "Own"]
    assert member.rpartition("/")[2] in refused(*stamp)
    if member.endswith(".ssv"):
        assert member in refused("show", "in.fmu")


def test_a_parameter_set_that_cannot_be_read_is_refused(refused, tmp_path):
    file, value = (
        tmp_path / "in.ssv",
        '<Parameter name="staticFriction"><Real value="1"/></Parameter>',
    )
    for text, reason in [
        (JUNK[2].decode(), "not XML: unknown encoding: foo."),
        (
            f'<ParameterSet xmlns="{NAMESPACE}">{value * 2}</ParameterSet>',
            "staticFriction is given twice.",
        ),
    ]:
        file.write_text(text)
        assert refused("run", "LuGre", "--ssv", file, *RUN) == f"{file}: {reason}"


# ---- files ----


def test_a_link_keeps_its_target(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    with writing(tmp_path / "link.csv") as handle:
        handle.write("new")
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "real.csv").read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["link.csv", "real.csv"]


def test_a_pipe_stays_one(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with writing(tmp_path / "pipe") as handle:
        handle.write("all")
    assert os.read(reader, 10) == b"all" and stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)
    os.close(reader)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path):
    with writing(tmp_path / f"{'x' * 251}.csv") as handle:
        handle.write("all")
    assert len(os.listdir(tmp_path)) == 1


def test_one_file_in_the_place_of_a_folder_is_reported(refused, tmp_path):
    (tmp_path / "file").write_text("x")
    assert refused("run", "LuGre", *RUN, "-o", "file/out.csv").startswith("file/out.csv: ")


# ---- expressions ----

COLUMNS = {"time": np.linspace(0, 1, 5), "position": np.arange(5.0)}


@pytest.mark.parametrize(
    "text",
    [
        '__import__("os")',
        "position.dtype",
        "position[0]",
        "[1]",
        "lambda: 1",
        "(1, 2)",
        "'x' * 9",
        "1j",
        "1 << 9",
        "7 % 2",
        "True if 1 else 2",
        "(" * 300 + "1" + ")" * 300,
        "1" + " + 1" * 300,
        "a\0b",
        "9" * 900,
    ],
)
def test_an_expression_that_is_more_than_arithmetic_is_refused_before_any_run(text):
    with pytest.raises(bristle.BristleError):
        expressions.check_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "abs(position, time)",
        "largest(position, out=time)",
        "sqrt(position, dtype=1)",
        "where(position)",
        "9**9**9**9",
        "at + 1",
    ],
)
def test_an_expression_has_no_side_effects(text):
    before = {name: values.copy() for name, values in COLUMNS.items()}
    with pytest.raises(expressions.WrongExpression):
        expressions.quantity(text, COLUMNS)
    assert all(np.array_equal(before[name], COLUMNS[name]) for name in before)


def test_a_number_of_an_expression_is_a_float():
    """Shifts and huge powers are then errors at once; 2**64 + 1 is rounded."""
    assert expressions.quantity("2**64 + 1 - 2**64", COLUMNS) == 0


def test_an_expression_calculates():
    assert (
        expressions.quantity(
            "-2**2 + crossing(position, 1.5, after=0.1) + (final(position) > 3)", COLUMNS
        )
        == -4 + 0.375 + 1
    )
    assert expressions.quantity("final(position)/start(position)", COLUMNS) == np.inf
