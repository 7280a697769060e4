"""Reading of measurements: the same record from any header, separator, unit and sign; errors are
reported in one line."""

import re
from datetime import datetime, timedelta

import numpy as np
import pytest

from test_cli import refused  # noqa: F401

from bristle import BristleError
from bristle.identify.options import ROLES
from bristle.identify.command import _read
from bristle.identify.record.cells import clock_seconds
from bristle.identify.record.filtering import (
    WIDTHS,
    coarser,
    noise_of,
    quantization,
    rate_of,
    smoothed,
)
from bristle.identify.record.reading import Options, _doubts, read_record
from bristle.identify.record.roles import BY_NAME, misfits
from bristle.identify.record.tables import _is_data, _large_table, _name_and_unit, _text, read_table
from bristle.identify.record.units import unit_of
from measurements import written

pytestmark = pytest.mark.collection

TIME = np.arange(400) * 0.005
WAY = 1e-3 * np.sin(2 * np.pi * TIME)
VELOCITY = 2e-3 * np.pi * np.cos(2 * np.pi * TIME)
FORCE = 2.0 * np.tanh(VELOCITY / 5e-4)
NORMAL = np.full(400, 5.0)


@pytest.mark.parametrize(
    ("text", "kind", "factor"),
    [
        ("s", "time", 1),
        ("ms", "time", 1e-3),
        ("min", "time", 60),
        ("mm", "length", 1e-3),
        ("µm", "length", 1e-6),
        ("um", "length", 1e-6),
        ("in", "length", 0.0254),
        ("deg", "angle", np.pi / 180),
        ("mm/s", "velocity", 1e-3),
        ("m/min", "velocity", 1 / 60),
        ("mm s^-1", "velocity", 1e-3),
        ("m.s-1", "velocity", 1),
        ("rpm", "angular velocity", np.pi / 30),
        ("°/s", "angular velocity", np.pi / 180),
        ("m/s²", "acceleration", 1),
        ("mm/s^2", "acceleration", 1e-3),
        ("uN", "force", 1e-6),
        ("mN", "force", 1e-3),
        ("kN", "force", 1e3),
        ("kgf", "force", 9.80665),
        ("N.m", "torque", 1),
        ("Nmm", "torque", 1e-3),
        ("kN m", "torque", 1e3),
        ("mA", "current", 1e-3),
        ("%", "number", 0.01),
        ("min^-1", "angular velocity", np.pi / 30),
        ("min⁻¹", "angular velocity", np.pi / 30),
        ("RPM", "angular velocity", np.pi / 30),
        ("r/min", "angular velocity", np.pi / 30),
        ("rad·s⁻¹", "angular velocity", 1),
        ("m s⁻²", "acceleration", 1),
        ("mm·min⁻¹", "velocity", 1e-3 / 60),
        ("°", "angle", np.pi / 180),
        ("Degrees", "angle", np.pi / 180),
        ("mrad", "angle", 1e-3),
        ("arcsec", "angle", np.pi / 648000),
        ("N-m", "torque", 1),
        ("in-lb", "torque", 0.0254 * 4.4482216152605),
        ("oz-in", "torque", 0.0254 * 4.4482216152605 / 16),
        ("Ncm", "torque", 0.01),
        ("daN", "force", 10),
        ("Newtons", "force", 1),
        ("KN", "force", 1e3),
        ("msec", "time", 1e-3),
        ("milliseconds", "time", 1e-3),
        ("sec.", "time", 1),
        ("millimetres", "length", 1e-3),
        ("Mikrometer", "length", 1e-6),
        ("MM", "length", 1e-3),
        ("thou", "length", 2.54e-5),
        ("MN", "force", 1e6),
        ("mV", "voltage", 1e-3),
        ("Volt", "voltage", 1),
    ],
)
def test_units(text, kind, factor):
    unit = unit_of(text)
    assert unit.kind == kind and unit.factor == pytest.approx(factor, rel=1e-12)


def test_every_prefix_that_is_written_out():
    sizes = {
        "nano": 1e-9,
        "micro": 1e-6,
        "mikro": 1e-6,
        "milli": 1e-3,
        "centi": 1e-2,
        "zenti": 1e-2,
        "deci": 1e-1,
        "kilo": 1e3,
    }
    assert {prefix: unit_of(f"{prefix}newtons").factor for prefix in sizes} == pytest.approx(
        sizes, rel=1e-12
    )


def test_unknown_units():
    """A hertz may be of an oscillation or of a turn, and a Grad a degree or a gon: both are refused
    with a question."""
    for text in ("furlong", "m/furlong", "1/s", "Hz", "Grad", "n", "°C", "counts", "m/s³"):
        assert unit_of(text) is None, text


HEADERS = {
    "words": (
        ["Time [s]", "Position [m]", "Friction force [N]", "Normal force [N]"],
        ",",
        ".",
        1,
        1,
    ),
    "german": (
        ["Zeit (ms)", "Weg (mm)", "Reibkraft (mN)", "Normalkraft (N)"],
        ";",
        ",",
        1e-3,
        1e-3,
    ),
    "letters": (["t", "x", "F", "N"], "\t", ".", 1, 1),
    "slashes": (["Time / s", "Displacement / um", "Tangential / N", "Load / N"], ";", ".", 1e-6, 1),
    "by unit": (["Channel 1 [s]", "Channel 2 [mm]", "Channel 3 [N]", "FN [N]"], "\t", ",", 1e-3, 1),
}


@pytest.mark.parametrize(
    ("title", "name", "unit"),
    [
        ("Position [mm]", "Position", "mm"),
        ("v (mm/s)", "v", "mm/s"),
        ("F/N", "F", "N"),
        ("N/N", "N", "N"),
        ("v/mm/s", "v", "mm/s"),
        ("v/(mm/s)", "v", "mm/s"),
        ("vel_mm_s", "vel", "mm/s"),
        ("speed_mm_per_min", "speed", "mm/min"),
        ("acc_m_s2", "acc", "m/s2"),
        ("torque_N_m", "torque", "N·m"),
        ("pos_mm", "pos", "mm"),
        ("Speed mm/s", "Speed", "mm/s"),
        ("Kraft in N", "Kraft", "N"),
        ("Position, mm", "Position", "mm"),
        ("Force (N) filtered", "Force filtered", "N"),
        ("Velocity_[mm/s]", "Velocity", "mm/s"),
        ("F (Reibung) [N]", "F (Reibung)", "N"),
        ("x<mm>", "x", "mm"),
        ("vel_mm/s", "vel", "mm/s"),
        # a remark beside the unit, or alone
        ("Friction (filtered) [N]", "Friction (filtered)", "N"),
        ("Friction [N] (filtered)", "Friction (filtered)", "N"),
        ("Force (N, filtered)", "Force filtered", "N"),
        ("Force (raw) / N", "Force (raw)", "N"),
        ("Velocity (calc.) mm/s", "Velocity (calc.)", "mm/s"),
        ("Force (filtered)", "Force (filtered)", None),
        ("Position (second run)", "Position (second run)", None),
        ("F(t)", "F(t)", None),
        ("x[0]", "x[0]", None),
        ("Position (1)", "Position (1)", None),
        # text in brackets that may be an unknown unit
        ("Force [V]", "Force", "V"),
        ("Position (ticks)", "Position", "ticks"),
        ("x (x1000 N)", "x", "x1000 N"),
        ("F (kN/m)", "F", "kN/m"),
        ("mu [-]", "mu", "-"),
        ("Time [hh:mm:ss.fff]", "Time [hh:mm:ss.fff]", None),
        # text that looks like a unit and is none
        ("F_N", "F_N", None),
        ("x_m", "x_m", None),
        ("tau_1", "tau_1", None),
        ("normal_force", "normal_force", None),
        ("Motor A", "Motor A", None),
        ("q_dot", "q_dot", None),
    ],
)
def test_the_unit_in_a_title(title, name, unit):
    assert _name_and_unit(title) == (name, unit)


@pytest.mark.parametrize("case", HEADERS)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_same_record_from_any_header(tmp_path, case, encoding):
    names, separator, decimal, length, force = HEADERS[case]
    clock = 1e-3 if "ms" in names[0] else 1
    columns = dict(zip(names, (TIME / clock, WAY / length, FORCE / force, NORMAL), strict=True))
    record = read_record(
        written(tmp_path / "a.csv", columns, separator, decimal, encoding), Options()
    )
    np.testing.assert_allclose(record.time, TIME, atol=1e-9)
    np.testing.assert_allclose(record.force, FORCE, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(record.normal, NORMAL)
    # the rate of a sine through a window of 5 samples loses (w T)^2 of it at most
    np.testing.assert_allclose(record.velocity[5:-5], VELOCITY[5:-5], atol=0.01 * VELOCITY.max())


def test_remarks_in_brackets_do_not_change_names_and_commands(tmp_path):
    columns = {
        "Time (UTC) [s]": TIME,
        "x (setpoint) [m]": 0 * WAY,
        "x (actual) [m]": WAY,
        "F (filtered)": FORCE,
        "Load (cell 2) [N]": NORMAL,
    }
    record = read_record(written(tmp_path / "a.csv", columns), Options())
    np.testing.assert_allclose(record.force, FORCE, rtol=1e-6, atol=1e-8)
    assert (
        np.ptp(record.displacement) > 1e-3
        and 'friction from "F (filtered)" (no unit given: SI)' in record.notes[0]
    )


def test_units_in_a_line_of_their_own_and_other_columns_may_hold_texts(tmp_path):
    lines = ["Machine 7", "time;status;speed;force", "ms;;mm/s;N"]
    lines += [
        f"{5 * i};{'ok' if i % 3 else ''};{1e3 * VELOCITY[i]:.6g};{FORCE[i]:.6g}"
        for i in range(400)
    ]
    file = tmp_path / "a.txt"
    file.write_text("\n".join(lines), encoding="utf-8")
    record = read_record(file, Options(normal=5.0))
    np.testing.assert_allclose(record.velocity, VELOCITY, rtol=1e-4, atol=1e-8)
    assert record.interval == pytest.approx(0.005)


def test_the_sign_of_force_on_the_body_and_of_compression_is_changed(tmp_path):
    file = written(tmp_path / "a.csv", {"t": TIME, "v": VELOCITY, "F": 0.3 - FORCE, "N": -NORMAL})
    record = read_record(file, Options())
    np.testing.assert_allclose(record.force, FORCE - 0.3, rtol=1e-6, atol=1e-8)
    assert (record.normal == 5).all() and record.has_offset
    assert sum("sign was changed" in note for note in record.notes) == 2
    assert (read_record(file, Options(sign="+")).force[:5] < 0).all()


def test_an_oscillation_in_noise_keeps_its_size(tmp_path):
    """A filter wide enough for the noise flattens a sine; the integral of the velocity meets the
    displacement nevertheless, to the noise of the mean."""
    way = WAY + 0.03 * 1e-3 * np.random.default_rng(2).standard_normal(400)
    record = read_record(
        written(tmp_path / "a.csv", {"t": TIME, "x": way, "F": FORCE, "N": NORMAL}), Options()
    )
    assert any("multiplied by 1.0" in note for note in record.notes)
    integral = np.cumsum(record.velocity) * 0.005
    assert np.polyfit(integral, WAY, 1)[0] == pytest.approx(1, abs=0.005)


def test_gaps_are_bridged_and_long_ones_do_not_count(tmp_path):
    rows = np.r_[0:100, 101:200, 260:400]
    file = written(
        tmp_path / "a.csv",
        {"t": TIME[rows], "v": VELOCITY[rows], "F": FORCE[rows], "N": NORMAL[rows]},
    )
    record = read_record(file, Options())
    assert len(record.time) == 400 and record.weight[100] == 1
    assert (record.weight[201:259] == 0).all() and record.weight.sum() == pytest.approx(340, abs=2)
    assert any("Gaps in time: 2, with 61 samples" in note for note in record.notes)


@pytest.mark.parametrize("lost, counted", [(5, 400), (6, 393)])
def test_a_gap_of_five_samples_counts_and_one_of_six_does_not(lost, counted, tmp_path):
    """The sample at its end, up to which the line leads, is left out, too."""
    rows = np.r_[0:150, 150 + lost : 400]
    file = written(
        tmp_path / "a.csv",
        {"t": TIME[rows], "v": VELOCITY[rows], "F": FORCE[rows], "N": NORMAL[rows]},
    )
    record = read_record(file, Options())
    assert len(record.time) == 400 and record.weight.sum() == counted
    assert any("those above 5 samples do not count" in note for note in record.notes) == (
        counted < 400
    )


@pytest.mark.parametrize("count, left_out", [(7, 7), (8, 0), (20, 0)])
def test_two_percent_of_the_samples_are_no_outliers(count, left_out, tmp_path):
    spoiled = 2.0 + 0.01 * np.sin(50 * TIME)
    spoiled[np.linspace(10, 390, count).astype(int)] += 40
    record = read_record(
        written(tmp_path / "a.csv", {"t": TIME, "v": VELOCITY, "F": spoiled, "N": NORMAL}),
        Options(offset="none"),
    )
    assert (record.weight == 0).sum() == left_out
    assert (np.abs(record.force) > 30).sum() == count - left_out


def test_an_outlier_does_not_count_and_a_stick_slip_jump_does(tmp_path):
    force = FORCE + np.where(TIME > 1, 3.0, 0.0) + 0.01 * np.sin(50 * TIME)
    spoiled = force.copy()
    spoiled[170] += 40  # where the force is flat
    record = read_record(
        written(tmp_path / "a.csv", {"t": TIME, "v": VELOCITY, "F": spoiled, "N": NORMAL}),
        Options(),
    )
    assert list(np.flatnonzero(record.weight == 0)) == [170]
    assert abs(record.force[170] - force[170]) < 0.05
    assert any(note == "1 outlier was left out of the friction force." for note in record.notes)


def test_a_displacement_that_leaps_away_and_back_is_bridged(tmp_path):
    """A line that a meter repeats, or a loose plug: a motion cannot do that."""
    way = WAY.copy()
    way[200:204] += 5e-3
    file = written(tmp_path / "a.csv", {"t": TIME, "x [m]": way, "F": FORCE})
    record = read_record(file, Options(normal=5.0))
    assert np.flatnonzero(record.weight == 0).tolist() == [200, 201, 202, 203]
    assert np.abs(record.velocity - VELOCITY).max() < 0.05 * VELOCITY.max()


def test_rounded_times_do_not_make_a_motion_faster(tmp_path):
    """Milliseconds of 16 Hz are 62 and 63."""
    interval = 0.0625
    time = interval * np.arange(400)
    way, velocity = np.sin(time / 10 / interval), np.cos(time / 10 / interval) / 10 / interval
    times = np.round(time + 0.0004, 3)
    file = written(tmp_path / "a.csv", {"t [s]": times, "x [m]": way, "F": np.tanh(10 * velocity)})
    record = read_record(file, Options(normal=1.0))
    gain = float(record.velocity @ velocity / (velocity @ velocity))
    assert abs(gain - 1) < 0.003  # the filter takes a 600th


def test_a_coarse_motion_is_not_taken_for_noise(tmp_path):
    """16 samples to a period, and no noise: nothing is smoothed."""
    velocity = np.sin(2 * np.pi / 16 * np.arange(400)) * (1 + 0.3 * np.sin(0.031 * np.arange(400)))
    table = {"t [s]": TIME, "v [m/s]": velocity, "F": np.tanh(2 * velocity)}
    record = read_record(written(tmp_path / "a.csv", table), Options(normal=1.0))
    assert np.abs(record.velocity - velocity).max() < 1e-6
    noise = 0.01 * np.random.default_rng(1).standard_normal(400)
    assert 0.008 < noise_of(velocity + noise) < 0.012


def test_a_sensor_at_its_limit_does_not_count(tmp_path):
    noise = 0.01 * np.random.default_rng(1).standard_normal(400)
    limited = np.minimum(FORCE + noise, 1.9)
    record = read_record(
        written(tmp_path / "a.csv", {"t": TIME, "v": VELOCITY, "F": limited, "N": NORMAL}),
        Options(),
    )
    at_limit = limited == 1.9
    assert (
        at_limit.sum() > 100 and (record.weight[at_limit] == 0).mean() > 0.95
    )  # one or two in a row may be chance
    assert (record.weight[~at_limit] == 1).all()
    assert any("the sensor is at the ends of its range" in note for note in record.notes)
    flat = read_record(
        written(
            tmp_path / "b.csv", {"t": TIME, "v": VELOCITY, "F": np.minimum(FORCE, 1.9), "N": NORMAL}
        ),
        Options(),
    )
    assert (flat.weight == 1).all(), "without noise a force may well be constant"


def test_a_level_that_rounding_makes_even_counts(tmp_path):
    """In sliding the force was the same to four digits, which looked like a sensor at the end of
    its range."""
    columns = {"t": TIME, "v": VELOCITY, "F": np.round(FORCE, 4), "N": NORMAL}
    assert read_record(written(tmp_path / "a.csv", columns), Options()).weight.all()


def test_a_frozen_displacement_is_bridged_and_does_not_count_but_a_rest_does(tmp_path):
    frozen = WAY.copy()
    frozen[90:130] = frozen[90]
    file = written(tmp_path / "a.csv", {"t": TIME, "x": frozen, "F": FORCE, "N": NORMAL})
    record = read_record(file, Options())
    assert (record.weight[90:130] == 0).all() and record.weight.sum() == 360
    assert np.abs(record.velocity).max() < 1.3 * VELOCITY.max(), "no jump is left in it"
    assert any("stands still for 40 samples and then jumps" in note for note in record.notes)
    resting = np.concatenate((WAY[:100], np.full(50, WAY[99]), WAY[100:350]))
    record = read_record(
        written(tmp_path / "b.csv", {"t": TIME, "x": resting, "F": FORCE, "N": NORMAL}), Options()
    )
    assert (record.weight == 1).all()


@pytest.mark.parametrize(
    "clock", ["2024-05-02T12:00:%09.6f", "2024/05/02 12:00:%09.6f", "12:00:%09.6f"]
)
def test_times_may_be_those_of_a_clock(tmp_path, clock):
    file = tmp_path / "a.csv"
    rows = [f"{clock % t};{v:.9g};{f:.9g}" for t, v, f in zip(TIME, VELOCITY, FORCE, strict=True)]
    file.write_text("\n".join(["Zeit;v [m/s];F [N]", *rows]), encoding="utf-8")
    record = read_record(file, Options(normal=5.0))
    np.testing.assert_allclose(record.time, TIME, atol=1e-6)
    np.testing.assert_allclose(record.force, FORCE, rtol=1e-6, atol=1e-8)


def _lines(rows, separator=",", end="\n"):
    return end.join(separator.join(row) for row in rows) + end


def _comma(value, form=".6f"):
    return format(value, form).replace(".", ",")


def _thousands(value, form=",.3f", sign=",", decimal="."):
    return format(value, form).replace(",", "\0").replace(".", decimal).replace("\0", sign)


_MM = [(t, 1e3 * x, f, n) for t, x, f, n in zip(TIME, WAY, FORCE, NORMAL, strict=True)]
_HERE = [[f"{value:.9g}" for value in row] for row in _MM]
_FIXED = "".join("".join(f"{v:17.8e}" for v in row) + "\n" for row in _MM)
_MICRO = [
    (t, 1e6 * x, 1e3 * f, 1e3 * n) for t, x, f, n in zip(TIME, WAY, FORCE, NORMAL, strict=True)
]
_TITLES = [["Time [s]", "Position [mm]", "Friction [N]", "Normal [N]"]]
_BARE = [["Time", "Position", "Friction force", "Normal force"]]
_MIXED = [["t [s]", "x [um]", "F [mN]", "N [mN]"]]
FOREIGN = {  # files as people have them: the text, its encoding, and options
    "excel in german": (
        _lines(
            [
                ["Zeit [s]", "Weg [mm]", "Reibkraft [N]", "Normalkraft [N]"],
                *[[_comma(v) for v in row] for row in _MM],
            ],
            ";",
            "\r\n",
        ),
        "utf-8-sig",
    ),
    "excel's line of the separator": (
        "sep=;\r\n" + _lines([*_TITLES, *[[_comma(v) for v in row] for row in _MM]], ";", "\r\n"),
        "utf-8-sig",
    ),
    "units in the second line, one of them unknown": (
        _lines([[*_BARE[0], "T"], ["s", "mm", "N", "N", "°C"], *[[*row, "21"] for row in _HERE]]),
        "utf-8",
    ),
    "units in the second line, channels in the third": (
        _lines([*_BARE, ["[s]", "[mm]", "[N]", "[N]"], ["CH1", "CH2", "CH3", "CH4"], *_HERE]),
        "utf-8",
    ),
    "titles of two lines": (
        _lines(
            [
                ["Time", "Way", "Friction", "Normal"],
                ["", "", "force", "force"],
                ["s", "mm", "N", "N"],
                *_HERE,
            ],
            ";",
        ),
        "utf-8",
    ),
    "a line break in a title": (
        '"Time\n[s]","Position\n[mm]","Friction\n[N]","Normal\n[N]"\n' + _lines(_HERE),
        "utf-8",
    ),
    "a comma in each title": (
        "Time, s,Position, mm,Friction, N,Normal, N\n" + _lines(_HERE),
        "utf-8",
    ),
    "comments above and below the header": (
        "# run 12, 5 N\n# by hand\n" + _lines(_TITLES) + "# warm\n" + _lines(_HERE),
        "utf-8",
    ),
    "the header in a comment": ("% run 12\n% " + _lines([*_TITLES, *_HERE]), "utf-8"),
    "a head with numbers": ("Gains,1,2,3,4,5\nRate,200\n" + _lines([*_TITLES, *_HERE]), "utf-8"),
    "fixed width and titles of two words": (
        "  Elapsed Time (s)  Position (mm)  Friction Force (N)  Normal Force (N)\n" + _FIXED,
        "utf-8",
    ),
    "fixed width and a line of units": (
        "  Elapsed Time  Position  Friction Force  Normal Force\n  s  mm  N  N\n" + _FIXED,
        "utf-8",
    ),
    "titles in quotes, parted by blanks": (
        '"Elapsed Time (s)" "Position (mm)" "Friction (N)" "Normal Force (N)"\n' + _FIXED,
        "utf-8",
    ),
    "blanks and a decimal comma": (
        _lines(
            [["t_s", "pos_mm", "friction", "normal"], *[[_comma(v) for v in row] for row in _MM]],
            "  ",
        ),
        "utf-8",
    ),
    "no header": (
        _lines(_HERE),
        "utf-8",
        Options(
            columns={
                "time": "1",
                "friction": "3",
                "normal": "4",
                "displacement": "none",
                "velocity": "2",
            }
        ),
    ),
    "no time": (_lines(row[1:] for row in [*_TITLES, *_HERE]), "utf-8", Options(rate=200.0)),
    "columns without a title": (
        _lines([["", *row, "", ""] for row in [*_TITLES, *_HERE]], ";"),
        "utf-8",
    ),
    "a bar between": (_lines([*_TITLES, *_HERE], " | "), "utf-8"),
    "windows": (
        _lines(
            [
                ["t [s]", "Weg [µm]", "Reibkraft [mN]", "Normal [mN]", "Größe [°]"],
                *[[*(f"{v:.9g}" for v in r), "1"] for r in _MICRO],
            ],
            "\t",
        ),
        "cp1252",
    ),
    "utf-16 without a mark": (_lines([*_TITLES, *_HERE], "\t"), "utf-16-le"),
    "utf-32": (_lines([*_TITLES, *_HERE], "\t"), "utf-32"),
    "lines end as on an old mac": (_lines([*_TITLES, *_HERE], ",", "\r"), "utf-8"),
    "a file longer than its text": (_lines([*_TITLES, *_HERE]) + "\x1a" + 50 * "\0", "utf-8"),
    "quoted thousands": (
        _lines([*_MIXED, *[[f"{r[0]:g}", *(f'"{_thousands(v)}"' for v in r[1:])] for r in _MICRO]]),
        "utf-8",
    ),
    "german thousands": (
        _lines(
            [
                *_MIXED,
                *[
                    [_comma(r[0]), *(_thousands(v, sign=".", decimal=",") for v in r[1:])]
                    for r in _MICRO
                ],
            ],
            ";",
        ),
        "utf-8",
    ),
    "swiss thousands": (
        _lines(
            [*_MIXED, *[[f"{r[0]:g}", *(_thousands(v, sign="’") for v in r[1:])] for r in _MICRO]],
            ";",
        ),
        "utf-8",
    ),
    "narrow blanks for thousands": (
        _lines(
            [
                *_MIXED,
                *[
                    [_comma(r[0]), *(_thousands(v, ",.3f", "\u202f", ",") for v in r[1:])]
                    for r in _MICRO
                ],
            ],
            ";",
        ),
        "utf-8",
    ),
    "numbers of fortran": (
        _lines([*_TITLES, *[[f"{v:.8E}".replace("E", "D") for v in row] for row in _MM]]),
        "utf-8",
    ),
    "a minus as it is printed": (
        _lines([*_TITLES, *[[v.replace("-", "−") for v in row] for row in _HERE]], ";"),
        "utf-8",
    ),
    "a testing machine": (
        _lines([["Time (sec)", "LVDT (mm)", "Load Cell (N)"], *[row[:3] for row in _HERE]]),
        "utf-8",
        Options(normal=5.0),
    ),
    "its load, and a normal force": (
        _lines([["Time (sec)", "Extension (mm)", "Load (N)"], *[row[:3] for row in _HERE]]),
        "utf-8",
        Options(normal=5.0),
    ),
    "a load cell beside the load": (
        _lines([["Time (s)", "LVDT (mm)", "Load Cell (N)", "Normal Load (N)"], *_HERE]),
        "utf-8",
    ),
    "french": (
        _lines(
            [
                ["Temps (s)", "Déplacement (mm)", "Force de frottement (N)", "Force normale (N)"],
                *[[_comma(v) for v in row] for row in _MM],
            ],
            ";",
        ),
        "cp1252",
    ),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_usual_files_are_read(tmp_path, case):
    """To six digits after the point in the least exact of them."""
    text, coding, *options = FOREIGN[case]
    (tmp_path / "a.txt").write_bytes(text.encode(coding))
    record = read_record(tmp_path / "a.txt", *options or [Options()])
    np.testing.assert_allclose(record.time, TIME, atol=1e-6)
    np.testing.assert_allclose(record.force, FORCE, atol=1e-6)
    np.testing.assert_allclose(record.normal, NORMAL)
    way = (
        record.velocity
        if case == "no header"
        else 1e3 * (record.displacement - record.displacement[0])
    )
    np.testing.assert_allclose(way, 1e3 * WAY, atol=1e-6)


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("whole", ["1,316", "1.316", "1,316,000", "1.316.000"])
def test_a_group_of_thousands_is_one_where_the_file_shows_its_decimal_sign(
    tmp_path, whole, separator
):
    """1,316 is 1316 in a file with 0.005 and 1.316 in one with 0,005; and the other way round."""
    decimal, groups = ("." if "," in whole else ","), whole.count(",") + whole.count(".")
    for other in ".,":
        cells = [
            (f'"{0.005 * i:.4f}"', f'"{1e3 * v:.5f}"', f'"{"-" if v < 0 else ""}{whole}"')
            for i, v in enumerate(VELOCITY)
        ]
        rows = [
            ["t [s]", "v [mm/s]", "F [N]", "N [N]"],
            *[
                [t.replace(".", other), v.replace(".", other), force, "2000"]
                for t, v, force in cells
            ],
        ]
        (tmp_path / "a.csv").write_text(_lines(rows, separator), encoding="utf-8")
        record = read_record(tmp_path / "a.csv", Options(sign="+"))
        expected = 1.316 if groups == 1 and other != decimal else 1316.0 * 1e3 ** (groups - 1)
        np.testing.assert_allclose(
            record.force, np.where(VELOCITY < 0, -expected, expected), rtol=1e-12
        )
        np.testing.assert_allclose(record.velocity, VELOCITY, atol=1e-8)


@pytest.mark.parametrize(
    "mark", ["NaN", "", "-", "---", "n/a", "#DIV/0!", "inf", "1.#QNAN", "null"]
)
def test_lines_without_a_number_are_left_out_and_reported(tmp_path, mark):
    cells = [[f"{v:.9g}" for v in row] for row in zip(TIME, VELOCITY, FORCE, NORMAL, strict=True)]
    for i in (0, 40, 41, 200):
        cells[i][2] = mark
    (tmp_path / "a.csv").write_text(
        _lines(
            [
                ["t", "v", "F", "N", "note"],
                *[[*row, "" if i % 7 else "ok"] for i, row in enumerate(cells)],
            ]
        ),
        encoding="utf-8",
    )
    record = read_record(tmp_path / "a.csv", Options())
    np.testing.assert_allclose(record.time, TIME[:-1], atol=1e-12)
    np.testing.assert_allclose(
        record.force,
        np.interp(TIME[1:], np.delete(TIME, [0, 40, 41, 200]), np.delete(FORCE, [0, 40, 41, 200])),
        rtol=1e-6,
        atol=1e-8,
    )
    assert '"F" has no number in 4 lines (first in line 2), left out.' in record.notes and not any(
        '"note"' in note for note in record.notes
    )


@pytest.mark.parametrize(
    "clock",
    [
        "%d.%m.%Y %H:%M:%S.%f",
        "%d.%m.%Y %H:%M:%S,%f",
        "%m/%d/%Y %I:%M:%S.%f %p",
        "%d/%m/%Y %H:%M:%S.%f",
        "%d-%b-%Y %H:%M:%S.%f",
        "%Y-%m-%d %H:%M:%S.%f+02:00",
        "%Y-%m-%dT%H:%M:%S.%fZ",
        "%H:%M:%S:%f",
        "%I:%M:%S.%f %p",
    ],
)
def test_times_of_any_clock_pass_midnight(tmp_path, clock):
    """Days of May in which the month could be the day; every other column has decimal points."""
    begin = datetime(2024, 5, 2, 23, 59, 59)
    rows = [
        [(begin + timedelta(seconds=t)).strftime(clock), f"{v:.9g}", f"{f:.9g}"]
        for t, v, f in zip(TIME.tolist(), VELOCITY, FORCE, strict=True)
    ]
    (tmp_path / "a.csv").write_text(
        _lines([["Time [hh:mm:ss.fff]", "v [m/s]", "F [N]"], *rows], ";"), encoding="utf-8"
    )
    record = read_record(tmp_path / "a.csv", Options(normal=5.0))
    np.testing.assert_allclose(record.time, TIME, atol=1e-6)
    np.testing.assert_allclose(record.force, FORCE, rtol=1e-6, atol=1e-8)
    assert (
        len(read_record(tmp_path / "a.csv", Options(normal=5.0, start=0.5, stop=1.0)).time) == 101
    ), "seconds count from the first sample"


def test_times_of_several_zones_are_those_of_one():
    zoned = ["2024-05-02 12:00:00+02:00", "2024-05-02 05:30:01-04:30", "2024-05-02 10:00:02Z"]
    assert clock_seconds(zoned).tolist() == [0, 1, 2]


def test_samples_written_twice_are_left_out_and_a_rate_has_to_be_that_of_the_times(tmp_path):
    twice = np.sort(np.r_[0:400, 0:400:4])
    file = written(
        tmp_path / "a.csv",
        {"t": TIME[twice], "v": VELOCITY[twice], "F": FORCE[twice], "N": NORMAL[twice]},
    )
    record = read_record(file, Options())
    np.testing.assert_allclose(record.time, TIME, atol=1e-9)
    assert "100 samples with the time of the one before: left out." in record.notes
    file = written(tmp_path / "a.csv", {"t": TIME, "v": VELOCITY, "F": FORCE, "N": NORMAL})
    assert read_record(file, Options(rate=200.0)).interval == pytest.approx(0.005)
    with pytest.raises(
        BristleError, match='column "t" has a sample every 0.005 s, but --rate 50 one every 0.02 s'
    ):
        read_record(file, Options(rate=50.0))
    assert read_record(
        file, Options(rate=50.0, columns={"time": "none"})
    ).interval == pytest.approx(0.02)


def test_an_angle_within_a_turn_is_unwrapped_and_so_is_a_swing_across_zero(tmp_path):
    angle = 8 * np.sin(2 * np.pi * TIME)
    file = written(
        tmp_path / "a.csv",
        {"t [s]": TIME, "angle [deg]": np.rad2deg(angle) % 360, "T [Nm]": FORCE, "N [N]": NORMAL},
    )
    record = read_record(file, Options(radius=0.1))
    np.testing.assert_allclose(record.displacement - record.displacement[0], 0.1 * angle, atol=1e-6)
    assert any("the turns were counted" in note for note in record.notes)


def test_a_measured_torque_goes_before_a_current_and_a_constant_chooses_the_current(tmp_path):
    columns = {
        "Time [ms]": 1e3 * TIME,
        "Actual velocity [rpm]": VELOCITY / 0.1 * 30 / np.pi,
        "Actual torque [Nm]": FORCE * 0.1,
        "Actual current [A]": FORCE / 7,
    }
    file = written(tmp_path / "a.csv", columns, ";", ",")
    np.testing.assert_allclose(
        read_record(file, Options(normal=5.0, radius=0.1)).force, FORCE, rtol=1e-6, atol=1e-8
    )
    by_current = read_record(file, Options(normal=5.0, radius=0.1, constant=0.7))
    np.testing.assert_allclose(by_current.external, FORCE, rtol=1e-6, atol=1e-8)


def test_a_control_voltage_gives_the_force_where_there_is_no_current(tmp_path):
    columns = {"t [s]": TIME, "q [m]": WAY, "vir [V]": FORCE / 35}
    one = written(tmp_path / "a.csv", columns)
    np.testing.assert_allclose(
        read_record(one, Options(normal=5.0, constant=35.0)).force, FORCE, atol=1e-6
    )
    both = written(tmp_path / "b.csv", columns | {"amplifier [A]": FORCE / 8})
    np.testing.assert_allclose(
        read_record(both, Options(normal=5.0, constant=8.0)).force, FORCE, atol=1e-6
    )
    with pytest.raises(BristleError, match='the force of "vir .V." needs a constant in N/V'):
        read_record(one, Options(normal=5.0))


def test_the_help_names_all_roles():
    assert ROLES == ", ".join(BY_NAME)


def test_columns_of_the_same_title_are_chosen_by_their_number(tmp_path):
    rows = [
        ["t", "x", "F", "F", "N"],
        *[
            [f"{t:.9g}", f"{x:.9g}", "7", f"{f:.9g}", "5"]
            for t, x, f in zip(TIME, WAY, FORCE, strict=True)
        ],
    ]
    (tmp_path / "a.csv").write_text(_lines(rows), encoding="utf-8")
    with pytest.raises(BristleError, match="there are several of this title; give the number"):
        read_record(tmp_path / "a.csv", Options(columns={"friction": "F"}))
    np.testing.assert_allclose(
        read_record(tmp_path / "a.csv", Options(columns={"friction": "4"})).force,
        FORCE,
        rtol=1e-6,
        atol=1e-8,
    )


def test_a_time_without_a_unit_that_may_be_milliseconds_is_doubted(tmp_path):
    file = written(tmp_path / "a.csv", {"Time": 1e3 * TIME, "v": VELOCITY, "F": FORCE, "N": NORMAL})
    assert any(
        'There is a sample every 5 s, as "Time" has no unit' in note
        for note in read_record(file, Options()).notes
    )


def test_workbooks_and_matlab_files_are_named_as_such(tmp_path, refused):  # noqa: F811
    for start, word in (
        (b"PK\x03\x04", "a workbook or an archive; save the table as CSV"),
        (b"MATLAB 5.0 MAT-file", "one of MATLAB or HDF5"),
    ):
        (tmp_path / "a.xlsx").write_bytes(start + bytes(range(256)) * 4)
        assert word in refused("identify", tmp_path / "a.xlsx", "--model", "LuGre")


def test_a_file_of_labview_is_read(tmp_path):
    """A special header, tabs at the ends of lines, and a column of comments that the lines lack."""
    head = (
        "LabVIEW Measurement\t\nWriter_Version\t2\nDate\t2024/05/02\nTime\t12:00:00.5\n"
        "***End_of_Header***\t\nX_Value\tForce\tPosition\tComment\n"
    )
    file = tmp_path / "a.lvm"
    file.write_text(
        head
        + "\n".join(f"{t:.6g}\t{f:.9g}\t{x:.9g}" for t, f, x in zip(TIME, FORCE, WAY, strict=True)),
        encoding="utf-8",
    )
    record = read_record(file, Options(normal=5.0))
    np.testing.assert_allclose(record.force, FORCE, rtol=1e-6, atol=1e-8)
    broken = file.read_text(encoding="utf-8").rpartition("\t")[0]
    file.write_text(broken, encoding="utf-8")
    with pytest.raises(BristleError, match="line 406 has 2 cells, but the header has 4"):
        read_record(file, Options(normal=5.0))


def test_a_constant_velocity_is_detected_in_noise(tmp_path):
    noise = np.random.default_rng(1).standard_normal((2, 400))
    file = written(
        tmp_path / "a.csv",
        {"t": TIME, "v": 0.1 * (1 + 0.05 * noise[0]), "F": 2 + 0.1 * noise[1], "N": NORMAL},
    )
    with pytest.raises(BristleError, match="the velocity is constant"):
        read_record(file, Options())


@pytest.mark.parametrize(
    ("interval", "uneven", "said"), [(0.005, 0.01, ""), (0.005, 0.1, "Uneven"), (0.5, 0, "")]
)
def test_times_that_are_rounded_are_even(tmp_path, interval, uneven, said):
    shift = uneven * np.where(np.arange(len(TIME)) % 3 == 1, 1, 0)
    columns = {"t": interval * (np.arange(len(TIME)) + shift), "v": np.sin(7 * TIME)}
    file = written(tmp_path / "a.csv", columns | {"F": np.sign(columns["v"]), "N": NORMAL})
    told = " ".join(read_record(file, Options()).notes)
    assert ("Uneven times" in told) == bool(said) and "if it is in ms" not in told


def test_a_few_samples_with_the_time_of_another_are_left_out(tmp_path):
    time = TIME.copy()
    time[50::50] = time[49:-1:50]
    columns = {"t": time, "v": np.sin(7 * TIME), "F": np.sign(np.sin(7 * TIME)), "N": NORMAL}
    told = " ".join(read_record(written(tmp_path / "a.csv", columns), Options()).notes)
    assert "7 samples with the time of the one before: left out" in told


@pytest.mark.parametrize(("pause", "too_long"), [(3000, False), (12000, True)])
def test_a_pause_may_be_several_times_as_long_as_the_measurement(tmp_path, pause, too_long):
    time = TIME + np.where(np.arange(len(TIME)) < 200, 0.0, pause * 0.005)
    columns = {"t": time, "v": np.sin(7 * TIME), "F": np.sign(np.sin(7 * TIME)), "N": NORMAL}
    file = written(tmp_path / "a.csv", columns)
    if too_long:
        with pytest.raises(BristleError, match="too uneven"):
            read_record(file, Options())
    else:
        assert read_record(file, Options()).weight.sum() >= 399  # one lies at the end of the pause


def test_a_velocity_that_changes_by_a_tenth_is_not_constant(tmp_path):
    speed = 0.1 * (1 + 0.1 * np.sin(7 * TIME))
    columns = {"t": TIME, "v": speed, "F": 2 + speed, "N": NORMAL}
    record = read_record(written(tmp_path / "a.csv", columns), Options())
    assert record.velocity == pytest.approx(speed)


@pytest.mark.parametrize(("noise", "smoothed"), [(0.0, False), (5e-4, True)])
def test_rounding_to_four_digits_is_no_noise(tmp_path, noise, smoothed):
    speed = 0.5 * np.sin(TIME) + noise * np.random.default_rng(1).standard_normal(len(TIME))
    columns = {"t": TIME, "v": np.round(speed, 4), "F": np.sign(speed), "N": NORMAL}
    record = read_record(written(tmp_path / "a.csv", columns), Options())
    assert bool(record.smoothing) == smoothed


def test_velocity_of_a_quantized_encoder_is_as_noisy_as_reported():
    step = 2e-6
    fine = np.arange(4000) * 5e-4
    way, velocity = 1e-3 * np.sin(2 * np.pi * fine), 2e-3 * np.pi * np.cos(2 * np.pi * fine)
    read = np.round(way / step) * step
    assert quantization(read) == pytest.approx(step)
    rate = rate_of(read, 5e-4, step)
    error = np.sqrt(np.mean((rate.values - velocity)[50:-50] ** 2))
    told = rate.noise_left
    assert error < 4 * told  # quantization is not white, and the window costs some of the signal
    assert np.sqrt(np.mean((np.gradient(read, 5e-4) - velocity) ** 2)) > 10 * error


def test_the_mean_that_a_filter_takes_is_known():
    """A force through the same filter stays that of the acceleration: m K a = K F, also where the
    acceleration has corners."""
    time = np.arange(4000) * 1e-3
    acceleration = np.interp(
        time % 0.8,
        [0, 0.1, 0.12, 0.3, 0.32, 0.5, 0.52, 0.7, 0.72, 0.8],
        [1, 1, 0, 0, -2, -2, 0, 0, 1, 1],
    )
    velocity = np.cumsum(acceleration) * 1e-3
    way = np.cumsum(velocity) * 1e-3
    noisy = way + np.random.default_rng(2).normal(0, 2e-7, 4000)
    first = rate_of(noisy, 1e-3)
    second = rate_of(first.values, 1e-3, before=first)
    assert first.kernel.sum() == pytest.approx(1) and second.kernel.sum() == pytest.approx(1)
    inner = slice(60, -60)
    for rate, true, late in (
        (first, velocity, 0.5e-3),
        (second, acceleration, 1e-3),
    ):  # sums are integrals up to half a sample later
        true = np.interp(time + late, time, true)
        error = np.std((rate.values - smoothed(true, rate.kernel))[inner])
        assert error == pytest.approx(rate.noise_left, rel=0.25)  # nothing but the reported noise
    assert np.std((rate.values - true)[inner]) > 2 * error
    coarse = coarser(second.kernel, 3.0)
    assert coarse.sum() == pytest.approx(1) and len(coarse) < len(second.kernel)
    np.testing.assert_allclose(
        smoothed(acceleration, second.kernel)[60:-60:3],
        smoothed(acceleration[::3], coarse)[20:-20],
        atol=0.03,
    )


def test_a_repeated_motion_is_not_taken_for_an_encoder():
    way = np.tile(np.sin(2 * np.pi * np.arange(500) / 500), 4)
    assert quantization(way) == 0


def test_the_filter_adds_no_reversal():
    """Trapezoids of the displacement, as of a stage that moves and rests: an overshoot of the
    filter would be a reversal."""
    way = np.interp(np.arange(2000) % 400, [0, 100, 200, 300, 400], [0, 0, 1, 1, 0])
    rate = rate_of(np.round(way / 1e-3) * 1e-3, 1.0, 1e-3)
    rising = (np.arange(2000) % 400 > 60) & (np.arange(2000) % 400 < 240)
    assert rate.values[rising].min() > -1e-9


def test_every_window_of_a_filter_has_a_middle():
    assert all(width % 2 for width in WIDTHS) and list(WIDTHS) == sorted(WIDTHS)


@pytest.mark.parametrize(
    "normal, force, doubted",
    [(5.0, 2.0, False), (5.0, 100.0, True), (5.0, 1e-4, True), (1.0, 100.0, False)],
)
def test_a_force_far_from_the_normal_force_is_doubted_unless_that_is_one(
    normal, force, doubted, tmp_path
):
    """With a normal force of 1 N coefficients are forces."""
    columns = {"t": TIME, "v": VELOCITY, "F": force * np.sign(VELOCITY), "N": np.full(400, normal)}
    record = read_record(written(tmp_path / "a.csv", columns), Options())
    assert any("is the unit of one of them wrong?" in doubt for doubt in _doubts(record)) == doubted


def test_a_column_is_named_where_its_unit_is_of_something_else_only(tmp_path):
    table = read_table(
        written(tmp_path / "a.csv", {"t [s]": TIME, "x [mm]": WAY, "Force [N]": FORCE})
    )
    assert misfits(table, ("time", "friction")) == ""
    table = read_table(written(tmp_path / "b.csv", {"time [mm]": TIME, "x [mm]": WAY}))
    assert misfits(table, ("time",)) == ' ("time [mm]" is not taken: mm is a unit of length)'


def test_one_number_in_a_line_is_data_and_two_may_be_parted_by_blanks(tmp_path):
    assert _is_data(["1.5"]) and not _is_data([""]) and not _is_data(["1.5", "a", "b"])
    (tmp_path / "a.txt").write_text(
        "".join(f"{t:.3f} {force:.4f}\n" for t, force in zip(TIME, FORCE)).replace(".", ",")
    )
    assert [len(column.cells) for column in read_table(tmp_path / "a.txt").columns] == [400, 400]


def test_drive_data_lose_the_inertia_of_a_known_mass(tmp_path):
    acceleration = -((2 * np.pi) ** 2) * WAY
    file = written(
        tmp_path / "a.csv",
        {"t [s]": TIME, "v [m/s]": VELOCITY, "Motor current [A]": (FORCE + 3 * acceleration) / 8},
    )
    record = read_record(file, Options(normal=5.0, mass=3.0, constant=8.0))
    assert any("goes through the same filter as the acceleration" in note for note in record.notes)
    assert any(note.startswith("Acceleration from the velocity") for note in record.notes), (
        record.notes
    )
    np.testing.assert_allclose(record.force[5:-5], smoothed(FORCE, record.kernel)[5:-5], atol=2e-3)
    assert record.external is not None and record.mass == 3.0
    open_mass = read_record(file, Options(normal=5.0, mass="identify", constant=8.0))
    np.testing.assert_allclose(open_mass.acceleration[5:-5], acceleration[5:-5], atol=0.01)


def test_angles_and_torques_act_at_a_radius(tmp_path):
    file = written(
        tmp_path / "a.csv",
        {
            "Time [s]": TIME,
            "Speed [rpm]": VELOCITY / 0.1 * 30 / np.pi,
            "Torque [Nmm]": FORCE * 0.1 * 1e3,
        },
    )
    record = read_record(file, Options(normal=5.0, radius=0.1))
    np.testing.assert_allclose(record.velocity, VELOCITY, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(record.force, FORCE, rtol=1e-6, atol=1e-8)


def test_many_samples_are_averaged(tmp_path):
    record = read_record(
        written(tmp_path / "a.csv", {"t": TIME, "v": VELOCITY, "F": FORCE, "N": NORMAL}),
        Options(samples=100),
    )
    assert len(record.time) == 100 and record.interval == pytest.approx(0.02)
    np.testing.assert_allclose(
        record.velocity, VELOCITY.reshape(-1, 4).mean(axis=1), rtol=1e-6, atol=1e-9
    )


ROWS = "\n".join(f"{i / 100},{np.sin(i / 9):.5f},{np.sign(np.cos(i / 9)):.5f},5" for i in range(60))
BAD = {
    "empty": ("", "the file is empty"),
    "only a header": ("t,x,F,N\n", "there is no line of numbers in it"),
    "text in numbers": (
        f"t,x,F,N\n{ROWS}\n0.61,1,abc,5\n",
        'line 62, column "F": "abc" is not a number',
    ),
    "a column of gaps": (
        "t,x,F,N\n"
        + "\n".join(
            f"{row},{'' if i % 3 else 5}"
            for i, row in enumerate(ROWS.replace(",5\n", "\n").splitlines())
        ),
        'column "N" has',
    ),
    "thousands or a decimal comma": (
        "t;x;F;N\n" + "\n".join(f"{i};{i % 7};{i % 5 - 2};5,000" for i in range(60)),
        '"5,000" may be 5000 or 5.000',
    ),
    "thousands or a decimal point": (
        "t;x;F;N\n" + "\n".join(f"{i};{_thousands(900 + 7 * i, ',d', '.')};1;5" for i in range(60)),
        '"1.005" may be 1005 or 1.005',
    ),
    "comma twice": (
        "t,x,F\n" + "\n".join(f"0,{i:02d},1,{i:02d},2,0" for i in range(60)),
        "the comma seems to be both decimal sign and separator",
    ),
    "coarse times": (
        "t,x,F,N\n" + "\n".join(f"{i // 2},{i % 7},1,5" for i in range(80)),
        "40 of 80 samples have the same time as the one before them",
    ),
    "titles of two words": (
        "Elapsed Time Position Friction force Normal\n" + ROWS.replace(",", " "),
        "line 2 has 4 cells, but the header has 6",
    ),
    "units in the cells": (
        "t;x;F\n" + "\n".join(f"{i} s;{i} mm;2 N" for i in range(60)),
        '"0 s" has its unit in the cell',
    ),
    "a force in kilograms": (
        ROWS.join(["t,x,Friction [kg],N\n", "\n"]),
        "kg is a unit of mass; a weight in kilograms is kgf",
    ),
    "no contact": (
        ROWS.replace(",5\n", ",0\n").removesuffix(",5").join(["t,x,F,N\n", ",0\n"]),
        "the normal force is never above zero",
    ),
    "other decimal signs in a column": (
        "t;x;F;N\n"
        + "\n".join(f"{i};{i % 7};{'0.5' if i % 2 else '0,5'};1,000" for i in range(60)),
        '"1,000" may be',
    ),
    "not a time": (
        "t;x;F;N\n" + "\n".join(f"12:00:{i:02d};{i % 7};1;5" for i in range(59)) + "\nnoon;1;1;5",
        '"noon" is not a time',
    ),
    "a line cut off": (f"t,x,F,N\n{ROWS}\n0.61,1\n", "line 62 has 2 cells, but the header has 4"),
    "no time": (ROWS.join(["a,x,F,N\n", "\n"]), "there is no column of time"),
    "no motion": (ROWS.join(["t,a,F,N\n", "\n"]), "there is neither a velocity nor a displacement"),
    "no force": (ROWS.join(["t,x,a,N\n", "\n"]), "there is no friction force"),
    "no normal force": (ROWS.join(["t,x,F,a\n", "\n"]), "there is no normal force"),
    "unknown unit": (ROWS.join(["t,x [furlong],F,N\n", "\n"]), "the unit furlong is not known"),
    "time goes back": (
        f"t,x,F,N\n{ROWS}\n0.3,1,1,5\n",
        'line 62, column "t": the time goes back from 0.59 s to 0.3 s',
    ),
    "too short": ("t,x,F,N\n" + "\n".join(ROWS.splitlines()[:9]), "9 samples are too few"),
    "two that fit": (
        ROWS.join(["t,x,Friction left [N],Friction right [N]\n", "\n"]),
        "could both be the friction force",
    ),
    "constant velocity": (
        "t,v,F,N\n" + "\n".join(f"{i / 100},0.1,2,5" for i in range(60)),
        "the velocity is constant (0.1 m/s)",
    ),
    "at rest": ("t,v,F,N\n" + "\n".join(f"{i / 100},0,2,5" for i in range(60)), "nothing moves"),
    "no friction": (
        "t,x,F,N\n" + "\n".join(f"{i / 100},{np.sin(i / 9):.5f},0,5" for i in range(60)),
        "the friction force is 0 N throughout",
    ),
    "times as far apart as no numbers go": (
        "t,x,F,N\n"
        + "\n".join(
            f"{(-1e308, *range(1, 59), 1e308)[i]},{np.sin(i / 9):.5f},{np.cos(i / 9):.5f},5"
            for i in range(60)
        ),
        "the time reaches inf in SI units",
    ),
    "absurd": (
        "t,x,F,N\n"
        + "\n".join(f"{i / 100},{np.sin(i / 9):.5f},{np.cos(i / 9):.5f}e300,5" for i in range(60)),
        "the friction force reaches 1e+300",
    ),
    "torque without a radius": (ROWS.join(["t,x,Torque [Nm],N\n", "\n"]), "needs a radius"),
    "current without a constant": (ROWS.join(["t,x,Current [A],N\n", "\n"]), "needs a constant"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_records_are_refused_in_one_line_and_leave_nothing(
    case,
    tmp_path,
    refused,  # noqa: F811
    monkeypatch,
):
    text, sentence = BAD[case]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text(text, encoding="utf-8")
    said = refused("identify", "bad.csv", "--model", "LuGre")
    assert said.startswith("bad.csv: ") and sentence in said
    assert [file.name for file in tmp_path.iterdir()] == ["bad.csv"]


def test_binary_files_are_refused(tmp_path, refused):  # noqa: F811
    (tmp_path / "a.csv").write_bytes(b"PK\x03\x04\0\0\0" * 30)
    assert "not a text file" in refused("identify", tmp_path / "a.csv", "--model", "LuGre")


def test_displacement_and_velocity_that_contradict_each_other(tmp_path):
    file = written(
        tmp_path / "a.csv", {"t": TIME, "x": 1e3 * WAY, "v": VELOCITY, "F": FORCE, "N": NORMAL}
    )
    with pytest.raises(BristleError, match="times the integral of the velocity"):
        read_record(file, Options())
    assert len(read_record(file, Options(columns={"displacement": "none"})).time) == 400


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--column", "friction=Fx"), "there is no such column; there are"),
        (("--column", "power=F"), "there is no such role"),
        (("--column", "friction"), "this is not ROLE=TITLE"),
        (("--normal", "-3"), "has to be above 0"),
        (("--mass", "heavy"), "has to be a number above 0, or identify"),
        (("--samples", "3"), "too few"),
        (("--fix", "stiffness=1"), "LuGre has no parameter stiffness to fit"),
        (("--fix", "bristleStiffness=much"), "this is not a number"),
        (("--fit", "bristleStiffnes"), "(did you mean bristleStiffness?)"),
        (("--from", "9"), "no sample between"),
        (("--validate", "nowhere.csv"), "nowhere.csv: No such file"),
        (
            ("--constant", "3"),
            '--constant is for a column of current or voltage, but the force is taken from "F"',
        ),
        (("-o", "a.csv/fit"), "a.csv/fit.html: "),
        (("--pictures", "a.csv"), "a.csv/picture.svg: "),
    ],
)
def test_bad_options_are_refused(words, sentence, tmp_path, refused, monkeypatch):  # noqa: F811
    """Before any fit, which may take minutes."""
    monkeypatch.setattr("bristle.identify.command.fit", None)
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "a.csv", {"t": TIME, "x": WAY, "F": FORCE, "N": NORMAL})
    assert sentence in refused("identify", "a.csv", "--model", "LuGre", *words)
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize(
    ("model", "sentence"),
    [("HuntCrossley", "is not a scalar friction element"), ("LuGree", "(did you mean LuGre?)")],
)
def test_models_that_cannot_be_fitted_are_refused(model, sentence, tmp_path, refused):  # noqa: F811
    file = written(tmp_path / "a.csv", {"t": TIME, "x": WAY, "F": FORCE, "N": NORMAL})
    assert sentence in refused("identify", file, "--model", model)


def test_a_joint_has_angles_and_torques_where_no_unit_is_given(tmp_path):
    """For an element that turns, at the radius that is its default unless another one is given; its
    mass is an inertia."""
    titles = ("time", "relativeAngularVelocity", "frictionTorque")
    file = written(
        tmp_path / "a.csv", dict(zip(titles, (TIME, VELOCITY / 0.1, FORCE * 0.1), strict=True))
    )
    for options in (
        Options(normal=5.0, turns=True, assumed_radius=0.1),
        Options(normal=5.0, turns=True, assumed_radius=9.0, radius=0.1),
    ):
        record = read_record(file, options)
        np.testing.assert_allclose(record.velocity, VELOCITY, rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(record.force, FORCE, rtol=1e-6, atol=1e-8)
        assert record.radius == 0.1 and (
            "the default of the element" in " ".join(record.notes)
        ) == (options.radius is None)
    drive = written(
        tmp_path / "b.csv",
        {"t [s]": TIME, "v [rad/s]": VELOCITY / 0.1, "Motor torque [N.m]": FORCE * 0.1},
    )
    told = read_record(drive, Options(normal=5.0, turns=True, assumed_radius=0.1, mass=0.03))
    assert told.mass == pytest.approx(3) and "The inertia of 0.03 kg.m2 was subtracted" in " ".join(
        told.notes
    )


@pytest.mark.parametrize(
    "speed, torque",
    [
        ("speed [deg/s]", "torque [Nm]"),
        ("omega [rad/s]", "Reibmoment [N.m]"),
        ("rpm [rpm]", "Drehmoment [Nmm]"),
    ],
)
def test_a_joint_is_read_in_its_usual_units(speed, torque, tmp_path):
    """The ranking, without an element yet, finds from the units that it turns; a record of
    displacements and forces is unchanged."""
    of_speed = {"deg/s": 180 / np.pi, "rad/s": 1, "rpm": 30 / np.pi}[
        speed.split("[")[1].rstrip("]")
    ]
    file = written(
        tmp_path / "a.csv",
        {
            "t [s]": TIME,
            speed: VELOCITY / 0.1 * of_speed,
            torque: FORCE * 0.1 * (1e3 if "mm" in torque else 1),
        },
    )
    record = read_record(file, Options(normal=5.0, assumed_radius=0.1))
    np.testing.assert_allclose(record.velocity, VELOCITY, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(record.force, FORCE, rtol=1e-6, atol=1e-8)
    slides = read_record(
        written(tmp_path / "b.csv", {"t": TIME, "v": VELOCITY, "F": FORCE}),
        Options(normal=5.0, assumed_radius=0.1),
    )
    assert record.radius == 0.1 and slides.radius is None
    np.testing.assert_allclose(slides.force, FORCE, rtol=1e-6, atol=1e-8)


# ---- long files ----

CLEAN = {
    "commas": ("Time [s],Position [mm],Friction [N]\n", ",", "."),
    "a blank behind a comma": ("Time [s], Position [mm], Friction [N]\n", ", ", "."),
    "semicolons and decimal commas": ("Zeit [ms];Weg [mm];Reibung [N]\n", ";", ","),
    "tabs and a line of units": ("# a remark\nTime\tPosition\tFriction\ns\tmm\tN\n", "\t", "."),
    "blanks": ("t x F\n", " ", "."),
    "no titles": ("", ",", "."),
}


def lines_of(separator, decimal, count=60, end="\n"):
    rows = [[0.01 * i, 3.7 * np.sin(i / 9), -1.5e-3 * i] for i in range(count)]
    return (
        end.join(
            separator.join(f"{value:.6g}".replace(".", decimal) for value in row) for row in rows
        )
        + end
    )


SPOILT = {
    "text": lambda text: text.replace("\n0.3,", "\nabc,"),
    "a gap": lambda text: text.replace("\n0.3,", "\n,"),
    "not a number": lambda text: text.replace("\n0.3,", "\nNaN,"),
    "an empty line": lambda text: text.replace("\n0.3,", "\n\n0.3,"),
    "a comment": lambda text: text.replace("\n0.3,", "\n# here\n0.3,"),
    "a cell more": lambda text: text.replace("\n0.3,", "\n0.3,1,"),
    "a cell less in one line, one more in the next": lambda text: re.sub(
        r"\n0.3,[^,]*,(.*)\n", r"\n0.3,\1\n1,", text
    ),
    "two signs in a number": lambda text: text.replace("\n0.3,", "\n0.3-1,"),
    "a number and a letter": lambda text: text.replace("\n0.3,", "\n0.3e,"),
    "quotes": lambda text: text.replace("\n0.3,", '\n"0.3",'),
    "minus signs of another kind": lambda text: text.replace("-", "−"),
    "Windows' ends of lines": lambda text: text.replace("\n", "\r\n"),
    "ends of lines of an old Macintosh": lambda text: text.replace("\n", "\r"),
    "cut off in a number": lambda text: text[:-4],
    "integers only": lambda text: re.sub(r"\.\d+(e-\d+)?", "", text),
    "thousands or a decimal point": lambda text: re.sub(r"(\d)\.\d+(e-\d+)?", r"1\1.234", text),
}


def as_read(file):
    """Returns titles, units, numbers of lines and values, or the sentence of the refusal."""
    try:
        table = read_table(file)
        return [
            (one.title, one.name, one.unit_text, one.values.tolist()) for one in table.columns
        ], list(table.lines)
    except BristleError as error:
        return str(error)


def both_ways(file, text, monkeypatch):
    """Reads line by line, and at once if possible; returns both and whether it was possible."""
    file.write_bytes(text.encode())
    slow = as_read(file)
    monkeypatch.setattr("bristle.identify.record.tables.FIRST_LINES", 20)
    return slow, as_read(file), bool(text) and _large_table(_text(file), file) is not None


@pytest.mark.parametrize("case", CLEAN)
def test_a_long_file_is_read_all_at_once(case, tmp_path, monkeypatch):
    head, separator, decimal = CLEAN[case]
    slow, quick, at_once = both_ways(
        tmp_path / "a.csv", head + lines_of(separator, decimal), monkeypatch
    )
    assert at_once and len(slow[0][0][3]) == 60
    assert quick == slow  # bit for bit


@pytest.mark.parametrize("case", SPOILT)
def test_a_long_file_that_is_not_uniform_is_read_as_any_other(case, tmp_path, monkeypatch):
    text = "Time [s],Position [mm],Friction [N]\n" + lines_of(",", ".")
    spoilt = SPOILT[case](text)
    assert spoilt != text
    slow, quick, _ = both_ways(tmp_path / "a.csv", spoilt, monkeypatch)
    assert str(quick) == str(slow)  # as texts, in which NaN is NaN


@pytest.mark.parametrize("case", BAD)
def test_a_long_file_is_refused_for_the_same_reason(case, tmp_path, monkeypatch):
    slow, quick, _ = both_ways(tmp_path / "a.csv", BAD[case][0], monkeypatch)
    assert str(quick) == str(slow)


def test_progress_of_reading_is_shown_on_a_terminal(tmp_path, monkeypatch, capsys):
    file = written(tmp_path / "a.csv", {"t": TIME, "x": WAY, "F": FORCE, "N": NORMAL})
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    _read([file, file], Options())
    assert re.findall(r"\[\d/2\] a\.csv: \w+", capsys.readouterr().err) == [
        f"[{i}/2] a.csv: {text}" for i in (1, 2) for text in ("reading", "numbers", "velocity")
    ]


def test_an_offset_of_the_velocity_is_no_wrong_unit(tmp_path):
    """Over a long record it adds up to more than the motion. A gear between both is reported."""
    time = np.arange(6000) * 0.03
    way = 0.02 * np.sin(2 * time)
    speed = 0.04 * np.cos(2 * time)
    force = np.sign(speed) * 5
    file = tmp_path / "drift.csv"

    def read(factor):
        columns = {"t [s]": time, "x [m]": way, "v [m/s]": factor * (speed + 1e-3), "F [N]": force}
        written(file, columns)
        return read_record(file, Options(normal=1.0)).notes

    assert not any("integral" in note for note in read(1.0))
    assert any("0.63 times the integral of the velocity" in note for note in read(1.6))
