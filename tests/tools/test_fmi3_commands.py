"""The commands and the package with FMUs of FMI 3.0."""

import sys

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu

from commands import completed
import bristle
from bristle.format.archive import write_zip
from bristle.format.hosting import Instance3
from fmus import files_of, need_all_fmus

need_all_fmus()

TIME = np.linspace(0, 0.05, 51)


def command(*words):
    return completed(sys.executable, "-m", "bristle", *words)


def test_a_name_and_a_version_lead_to_an_fmu(tmp_path):
    file = bristle.fmu("LuGre", fmi=3)
    assert file.parent.name == "fmi3" and bristle.describe("LuGre", fmi=3).file == file
    result = command("get", "LuGre", "--fmi", 3, "-o", tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "LuGre.fmu").read_bytes() == file.read_bytes()


def test_list_and_show_give_the_same_for_both():
    old, new = command("list"), command("list", "--fmi", 3)
    assert new.stdout == old.stdout and "fmi3" in new.stderr
    old, new = (command("show", "ProjectedLuGre", "--fmi", n).stdout.splitlines() for n in (2, 3))
    differing = [line for line, other in zip(new, old, strict=True) if line != other]
    assert len(differing) == 1 and "x86_64-linux" in differing[0]


@pytest.mark.parametrize("interpolate", ["linear", "hold"])
@pytest.mark.parametrize("model", ["LuGre", "ProjectedLuGre", "GeneralizedMaxwellSlip"])
def test_a_run_is_that_of_2(model, interpolate):
    """Also modes and vectors, with a changed parameter and inputs that vary. Bit for bit with held
    inputs; rates of linear inputs are rounded in another order, which the law amplifies to
    2e-13."""
    about = bristle.describe(model)
    velocity = 0.02 * np.sin(200 * TIME)
    vector = len([one for one in about.inputs if one.base == "relativeVelocity"]) > 1
    inputs = {"relativeVelocity": np.outer(velocity, [1, 0, 0]) if vector else velocity}
    values = {"staticFriction": 0.5}
    old, new = (
        bristle.run(bristle.fmu(model, fmi=n), TIME, inputs, values, interpolate=interpolate)
        for n in (2, 3)
    )
    assert old.keys() == new.keys()
    for name, column in old.items():
        rounding = 1e-11 * np.abs(column).max() if interpolate == "linear" else 0
        np.testing.assert_allclose(new[name], column, rtol=0, atol=rounding, err_msg=name)


@pytest.mark.parametrize("what", [KeyboardInterrupt, SystemExit])
def test_an_interruption_in_a_callback_ends_the_run(what, monkeypatch):
    """ctypes prints exceptions raised there, and continues."""

    def interrupted(*_):
        raise what

    monkeypatch.setattr(Instance3, "_update", interrupted)
    before = sys.unraisablehook
    with pytest.raises(what):
        bristle.run(bristle.fmu("LuGre", fmi=3), TIME, {"relativeVelocity": TIME})
    assert sys.unraisablehook == before


def test_what_3_cannot_do_is_reported():
    file = bristle.fmu("LuGre", fmi=3)
    with pytest.raises(bristle.BristleError, match="needs an FMU of FMI 2.0"):
        bristle.run(file, TIME, {"relativeVelocity": 0.1}, slopes="staticFriction")
    with pytest.raises(bristle.BristleError, match="^LuGre: staticFriction = -1 must be at least"):
        bristle.run(file, TIME, {"relativeVelocity": 0.1}, {"staticFriction": -1.0})
    with pytest.raises(bristle.BristleError, match="at point|must be"):
        bristle.evaluate(file, {"dynamicFriction": [0.1, -1.0]})


def test_the_law_at_points_is_that_of_2():
    values = {"relativeVelocity": [0.001, 0.01], "normalForce": 10.0, "law": "Bounded"}
    old, new = (bristle.evaluate(bristle.fmu("LuGre", fmi=n), values) for n in (2, 3))
    assert {n: list(v) for n, v in old.items()} == {n: list(v) for n, v in new.items()}


def test_an_element_of_ones_own(tmp_path):
    """It has name, token and defaults of that of 2.0, runs in FMPy and has its own reference
    results."""
    values = {"staticFriction": 0.15, "dynamicFriction": 0.1, "frictionAxis[2]": 1.0}
    pair = []
    for version in (2, 3):
        out = tmp_path / f"Own{version}.fmu"
        pair.append(bristle.stamp(bristle.fmu("ProjectedLuGre", version), values, "Own", out))
    old, new = map(bristle.describe, pair)
    assert (new.guid, new.name, new.identifier) == (old.guid, old.name, old.identifier)
    assert [one.start for one in new.variables] == [one.start for one in old.variables]
    assert validate_fmu(str(pair[1])) == []
    content, before = (files_of(f) for f in (pair[1], bristle.fmu("ProjectedLuGre", fmi=3)))
    assert b'modelIdentifier="Own"' in content["sources/buildDescription.xml"]
    assert b"FMI3_FUNCTION_PREFIX Own_" in content["sources/fmu.c"]
    results = [name for name in content if name.endswith("_out.csv")]
    assert results and any(content[name] != before[name] for name in results)
    result = simulate_fmu(
        str(pair[1]), start_values={"relativeVelocity": [0.1, 0, 0]}, stop_time=0.1
    )
    assert result["frictionForce"][-1][0] == pytest.approx(0.1 * 9.81, rel=1e-3)


def test_an_invalid_description_is_refused(tmp_path):
    content = files_of(bristle.fmu("LuGre", fmi=3))
    for was, now, reason in (
        (b'start="0.6"', b'start="much"', "numbers that are none"),
        (b'fmiVersion="3.0"', b'fmiVersion="4"', "not an FMU"),
    ):
        text = content["modelDescription.xml"]
        assert was in text
        write_zip(tmp_path / "odd.fmu", content | {"modelDescription.xml": text.replace(was, now)})
        with pytest.raises(bristle.BristleError, match=reason):
            bristle.describe(tmp_path / "odd.fmu")
