"""The rig: every FMU in every system, the numbers of the papers, and mistakes of users."""

import os
import pty
import re
import signal
import subprocess
import time
import tomllib
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from commands import completed
from fmus import FOLDER, REPOSITORY, TWINS
from rig_runs import NEEDS_TWINS, PRESENT, RIG, call, read_csv, simulate

from bristle import VERSION, BristleError
from bristle.expressions import quantity
from bristle_site.report import papers
from bristle_site.report.rig import rig_of

CASES = [case for case in papers.cases() if all(model in PRESENT for model in case.models)]
SUNDIALS_7 = REPOSITORY / "build" / "rig7" / "rig"


@pytest.mark.skipif(
    not SUNDIALS_7.exists(), reason="the rig is not built with SUNDIALS 7: see rig/sundials7.sh"
)
@pytest.mark.parametrize("model", ["LuGre", "ImplicitBristle"])
def test_sundials_6_and_7_give_the_same_run(model, tmp_path):
    """Stick, break-away and slip with events; the integrators differ in details of their step
    control, so results by up to 1e-5 of the amplitude at a tolerance of 1e-8. Nothing but results
    is printed.
    """
    results = []
    for number, rig in enumerate((RIG, SUNDIALS_7)):
        file = tmp_path / f"{number}.csv"
        run = completed(rig, "belt", PRESENT[model].path, "-o", file, timeout=300)
        assert run.returncode == 0 and run.stdout == "" and run.stderr == "", (
            run.stdout + run.stderr
        )
        results.append(read_csv(file)[model]["position"])
    assert np.max(np.abs(results[0] - results[1])) < 1e-5 * np.max(np.abs(results[0]))


def names(description):
    return {variable.name for variable in description.variables}


def is_scalar(description):
    """Checks whether the element has the translational interface, as in all but the spatial
    systems."""
    return {"normalForce", "relativeVelocity", "frictionForce"} <= names(description)


NO_SOLUTION = "the loads of the contacts cannot be found at t = "  # docs/loads.md states where

SCALAR = pytest.mark.fmus(lambda description: is_scalar(description))


def systems():
    return rig_of(RIG).systems


def first_contact(system):
    return next(iter(system.contacts.values()))


# ---- the papers ----


@pytest.mark.xdist_group("report")  # which has already made the runs
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_papers_number_is_met(case):
    value = papers.evaluate(case, rig_of(RIG).results, FOLDER)
    assert case.is_met(value), (
        f"{case.what}: {value:.6g} {case.unit}, expected {case.expected:g} ± {case.tolerance:g}"
        f" ({case.reason})"
    )


def stated_of_bounded(model):
    """Reads the effects of the option of the law from the description; a twin has those of its
    model."""
    file = REPOSITORY / "modelDescription" / f"{model.removesuffix('Rotational')}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")).get("bounded", {})


def with_law():
    """Yields cases of models with the option, which is Printed in all of them, and the stated
    effect of Bounded."""
    for case in CASES:
        if any(variable.name == "law" for variable in PRESENT[case.fmu].description.variables):
            yield pytest.param(
                case, stated_of_bounded(case.fmu).get("numbers", {}).get(case.id), id=case.id
            )


@pytest.mark.xdist_group("report")  # which has already made the printed runs
@pytest.mark.parametrize("case, stated", with_law())
def test_the_page_states_which_numbers_of_the_papers_change_with_the_bounded_law(case, stated):
    """In systems whose force changes, other numbers keep the digits that the page shows; elsewhere
    no number changes by a bit, if the bristles have a damper. One without exceeds its limit by the
    error of the solver: a millionth."""
    assert "law" not in case.set, "the default is the law of the paper"
    printed, bounded = (
        papers.evaluate(replace(case, set=case.set | law), rig_of(RIG).results, FOLDER)
        for law in ({}, {"law": 2})
    )
    if stated:
        shown = [f"{value:#.3g}" for value in (printed, bounded)]
        assert shown == stated[1:] and printed != bounded
    elif case.system in stated_of_bounded(case.fmu)["systems"]:
        assert f"{bounded:#.3g}" == f"{printed:#.3g}"
    elif case.fmu in ("Dahl", "BlimanSorine"):
        assert bounded == pytest.approx(printed, rel=1e-6)
    else:
        assert bounded == printed


@pytest.mark.parametrize(
    "model", [name for name, fmu in PRESENT.items() if "law" in names(fmu.description)]
)
def test_the_page_states_which_systems_change_with_the_bounded_law_and_the_log_warns_only_there(
    model, tmp_path
):
    """By which part of its largest value the friction force changes, in all systems with a given
    normal force that the model fits into: those not named change by less than a thousandth. The log
    warns once for every contact, and only as printed."""
    stated = stated_of_bounded(model)["systems"]
    assert stated.keys() <= systems().keys()
    for system, one in systems().items():
        if one.reads_table or any(
            "normalForce" in contact.outputs for contact in one.contacts.values()
        ):
            continue
        runs, warned = [], []
        for law in (1, 2):
            file = tmp_path / f"{law}.csv"
            run = call(system, PRESENT[model].path, "--set", f"law={law}", "--warnings", "-o", file)
            if "does not fit" in run.stderr:
                break
            assert run.returncode == 0, run.stderr
            runs.append(read_csv(file)[model])
            warned.append(run.stderr.count("law = 2 (Bounded)"))
        if not runs:
            continue
        printed, bounded = runs
        forces = [
            name for name in printed if re.search(r"(^|\.)friction(Force|Torque)(\[|$)", name)
        ]
        _, here, there = np.intersect1d(
            printed["time"], bounded["time"], return_indices=True
        )  # without the rows of events
        largest = [
            (
                np.max(np.abs(printed[name])),
                np.max(np.abs(printed[name][here] - bounded[name][there])),
            )
            for name in forces
        ]
        change = max(difference / force for force, difference in largest if force > 0)
        assert (warned[0] > 0) == (system in stated) and warned[1] == 0, system
        assert (
            100 * change == pytest.approx(stated[system], rel=0.05)
            if system in stated
            else change < 1e-3
        ), system


def test_cases_are_distinct_and_explained():
    everything = papers.cases()
    assert len({case.id for case in everything}) == len(everything)
    for case in everything:
        assert case.system in systems(), case.id
        assert case.tolerance > 0 and case.reason.endswith("."), case.id
        if case.is_excused:
            assert abs(case.obtained - case.printed) > case.tolerance, (
                f"{case.id} is met and needs no excuse"
            )
            assert ("not known" in case.reason) == (case.status == "not known"), case.id
    assert {case.status for case in everything} == {"", *papers.STATUS}
    with pytest.raises(BristleError, match="needs a status"):
        replace(CASE, obtained=1)
    with pytest.raises(BristleError, match="needs a status"):
        replace(CASE, status="open")


CASE = papers.Case(
    "one",
    "rill2023",
    "",
    "",
    "pulse",
    "LuGre",
    "final(position)",
    "m",
    printed=2,
    tolerance=0.1,
    reason="",
)


@pytest.mark.parametrize(
    "relation, obtained, met, missed",
    [("<", 1.95, 1.99, 2.01), (">", 2.05, 2.01, 1.99), ("<", 1, 1.05, 1.5)],
)
def test_a_bound_is_met_on_its_side_of_the_printed_number_and_near_ours(
    relation, obtained, met, missed
):
    bound = replace(CASE, relation=relation, obtained=obtained)
    assert bound.is_met(met) and not bound.is_met(missed)
    assert not bound.is_excused and bound.printed_text == f"{relation} 2"


def test_a_quotient_changes_its_second_run_only_where_stated():
    case = replace(
        CASE,
        set={"a": 1, "b": 2},
        param={"load": 3},
        over={"fmu": "Dahl", "sets": "other", "set": {"b": 4}},
    )
    assert case.models == ["LuGre", "Dahl"]
    below = case.divisor
    assert (below.fmu, below.sets, below.set, below.param, below.over) == (
        "Dahl",
        "other",
        {"a": 1, "b": 4},
        {"load": 3},
        None,
    )
    words = below.arguments(Path("."))
    assert words[:2] == ["pulse", "Dahl.fmu"] and words[words.index("--sets") + 1] == "other"


@pytest.mark.parametrize(
    "change, words",
    [
        ({"relation": "~"}, "none of"),
        ({"relation": "<"}, "a bound needs"),
        ({"over": {"stop": 1}}, "unknown key stop in over"),
    ],
)
def test_an_invalid_case_is_refused(change, words):
    with pytest.raises(BristleError, match=words):
        replace(CASE, **change)


POWERS = {
    "clutches": (
        lambda c: (
            c["drivingTorque"] * c["speed1"]
            - sum(c[f"clutch{i}.frictionTorque"] * c[f"slip{i}"] for i in (1, 2, 3))
        )
    ),
    "joint": lambda c: (c["drivingTorque"] - c["frictionTorque"]) * c["motorSpeed"],
    "rabinowicz": lambda c: -c["frictionForce"] * c["velocity"],
    "presliding": lambda c: (c["load"] - c["frictionForce"]) * c["velocity"],
    "stack": (
        lambda c: (
            -c["top.frictionForce"] * (c["velocity1"] - c["velocity2"])
            - c["middle.frictionForce"] * (c["velocity2"] - c["velocity3"])
            - c["bottom.frictionForce"] * c["velocity3"]
        )
    ),
}


@pytest.mark.parametrize(
    "system, model, stop, options",
    [
        pytest.param(*case, id=case[0], marks=NEEDS_TWINS if "Rotational" in case[1] else ())
        for case in [
            ("rabinowicz", "LuGre", 26, []),
            ("presliding", "LuGre", 3, []),
            ("stack", "LuGre", 3, []),
            ("clutches", "LuGreRotational", 1.5, []),
            (
                "joint",
                "LuGreRotational",
                1.5,
                ["--param", "gearDamping=0", "--param", "bearingDamping=0"],
            ),
        ]
    ],
)
def test_energy_of_a_system_changes_by_what_friction_and_load_do(system, model, stop, options):
    """Pennestrì, Figs 13, 19 and 25, and the systems that turn, without the other dampers of the
    joint. The power is integrated by the trapezoidal rule over the steps of the solver, hence 0.2
    %."""
    columns = simulate(system, model, options=["--stop", stop, "--output-interval", 0, *options])[
        model
    ]
    energy, power = (
        columns["kineticEnergy"] + columns.get("potentialEnergy", 0),
        POWERS[system](columns),
    )
    work = np.concatenate(
        [[0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(columns["time"]))]
    )
    scale = np.ptp(columns["kineticEnergy"])
    assert scale > 0, "nothing moves"
    assert abs(energy - energy[0] - work).max() < 2e-3 * scale


# ---- every FMU in every system ----


@SCALAR
@pytest.mark.endurance
def test_runs_in_every_system_that_offers_its_inputs(fmu, tmp_path):
    inputs = {
        variable.name for variable in fmu.description.variables if variable.causality == "input"
    }
    for name, system in systems().items():
        contact = first_contact(system)
        if system.reads_table or "frictionForce" not in contact.outputs:
            continue
        file = tmp_path / f"{name}.csv"
        run = call(name, fmu.path, "-o", file, "--tolerance", 1e-6)
        if not inputs <= set(contact.inputs):
            assert run.returncode == 2 and "does not fit" in run.stderr
            continue
        if (fmu.name, name) == ("ImplicitBristle", "worm"):  # its slow slip ends within the loop
            assert run.returncode == 1 and NO_SOLUTION in run.stderr
            continue
        assert run.returncode == 0, f"{name}: {run.stderr}"
        columns = read_csv(file)[fmu.name]
        assert columns["time"][-1] == pytest.approx(system.stop, rel=1e-12)
        assert all(np.isfinite(values).all() for values in columns.values()), name


TURNING = ("joint", "clutches")


@NEEDS_TWINS
def test_twins_run_in_every_system_that_turns():
    """Their laws are those of the models and tested elsewhere; here each is coupled, with its
    events and its load."""
    twins = [twin.name for twin, _ in TWINS]
    assert {
        name
        for name, system in systems().items()
        if "relativeAngularVelocity" in first_contact(system).inputs
    } == set(TURNING)
    for name in TURNING:
        results = simulate(name, *twins, options=["--tolerance", 1e-6, "--output-interval", 0.1])
        assert set(results) == set(twins), name
        for columns in results.values():
            assert columns["time"][-1] == systems()[name].stop
            assert all(np.isfinite(values).all() for values in columns.values()), name


@SCALAR
def test_without_contact_only_the_load_acts_on_a_body(fmu):
    """While the normal force is not positive, friction is exactly zero and m dv/dt = F_E."""
    columns = simulate("liftoff", fmu.name, options=["--tolerance", 1e-7])[fmu.name]
    normal, force, t, v = (
        columns[name] for name in ("normalForce", "frictionForce", "time", "velocity")
    )
    apart = normal < 0
    assert apart.any() and not apart.all()
    assert (force[apart] == 0).all()
    flight = apart & (t < 0.5)
    slope = np.polyfit(t[flight], v[flight], 1)[0]
    assert slope == pytest.approx(2, rel=1e-6)


@pytest.mark.fmus(lambda d: is_scalar(d) and "externalForce" in names(d))
def test_ideal_stick_balances_the_external_force(fmu):
    columns = simulate("pulse", fmu.name)[fmu.name]
    assert columns["frictionForce"] == pytest.approx(columns["load"], abs=1e-9)
    assert abs(columns["position"]).max() < 1e-12


@pytest.mark.fmus(lambda d: is_scalar(d) and {"stictionDeflection", "mode"} <= names(d))
def test_reset_of_a_state_reaches_the_host(fmu):
    """A pulse above the static limit: when the body sticks again, the deflection of the element
    starts anew."""
    options = ["--param", "load=7", "--param", "duration=0.1", "--param", "pulses=1", "--stop", 1]
    columns = simulate("pulse3", fmu.name, options=options)[fmu.name]
    t, x, mode = columns["time"], columns["stictionDeflection"], columns["mode"]
    at_event = np.flatnonzero((np.diff(t) == 0) & (np.diff(mode) != 0))
    resets = [i for i in at_event if x[i + 1] == 0 and t[i] > 0.1]
    assert resets, "no event sets the deflection to zero"


@pytest.mark.parametrize(
    "space, line", [("ProjectedLuGre", "LuGreNormalized"), ("ProjectedGKF", "GKF")]
)
def test_on_a_line_an_element_in_space_is_its_scalar_twin(space, line):
    """Its first axis is the line, with the names of scalar elements; nothing happens across it."""
    results = simulate("belt", space, line, options=["--tolerance", 1e-10])
    ours, theirs = results[space], results[line]
    assert ours["position"][-1] == pytest.approx(theirs["position"][-1], rel=1e-6)
    assert abs(ours["frictionForce"]).max() == pytest.approx(
        abs(theirs["frictionForce"]).max(), rel=1e-6
    )
    for across in (
        "frictionForce[2]",
        "frictionForce[3]",
        "slidingVelocity[2]",
        "slidingVelocity[3]",
    ):
        assert (ours[across] == 0).all()


@pytest.mark.parametrize(
    "model, lacking", [("ContactPoint", "pointPosition[1]"), ("HuntCrossley", "penetration")]
)
def test_an_element_with_more_inputs_than_a_line_has_does_not_fit(model, lacking):
    run = call("belt", PRESENT[model].path)
    assert run.returncode == 2 and f"does not offer its input {lacking}" in run.stderr


# ---- several contacts, several models ----


def test_contacts_of_one_system_are_separate_instances():
    columns = simulate("stack", "LuGre")["LuGre"]
    forces = [columns[f"{contact}.frictionForce"] for contact in ("top", "middle", "bottom")]
    assert all(abs(a - b).max() > 1 for a, b in zip(forces, forces[1:]))
    assert columns["middle.normalForce"][0] == pytest.approx(4 * 9.81)


def test_each_contact_may_have_its_own_model(tmp_path):
    file = tmp_path / "results.csv"
    lugre, dahl = PRESENT["LuGre"].path, PRESENT["Dahl"].path
    run = call(
        "stack",
        f"{lugre},{dahl},{lugre}",
        "--set",
        "bottom.staticFriction=0.5",
        "-o",
        file,
        "--stop",
        1,
    )
    assert run.returncode == 0, run.stderr
    ((model, columns),) = read_csv(file).items()
    assert model == "LuGre+Dahl+LuGre"
    assert "middle.bristleDeflection" in columns


def test_parameter_at_one_contact_leaves_the_others():
    """With a bottom that holds everything the ground contact carries less than with slippery
    ground, and the top is unchanged."""
    plain = simulate("stack", "LuGre", options=["--stop", 0.01])["LuGre"]
    changed = simulate(
        "stack", "LuGre", options=["--stop", 0.01, "--set", "bottom.bristleStiffness=1e5"]
    )["LuGre"]
    assert plain["top.frictionForce"][-1] == pytest.approx(
        changed["top.frictionForce"][-1], rel=1e-3
    )
    assert plain["bottom.bristleDeflection"][-1] != changed["bottom.bristleDeflection"][-1]


def test_comparison_is_one_file_with_empty_cells_for_what_a_model_lacks(tmp_path):
    file = tmp_path / "results.csv"
    run = call(
        "pulse",
        PRESENT["LuGre"].path,
        PRESENT["StaticRegularized"].path,
        PRESENT["LuGre"].path,
        "-o",
        file,
    )
    assert run.returncode == 0, run.stderr
    results = read_csv(file)
    assert list(results) == ["LuGre", "StaticRegularized", "LuGre#3"]
    assert (
        "bristleDeflection" in results["LuGre"]
        and "bristleDeflection" not in results["StaticRegularized"]
    )
    assert (results["LuGre"]["position"] == results["LuGre#3"]["position"]).all()


# ---- results ----


def test_events_have_a_row_before_and_after():
    columns = simulate("pulse", "LuGre")["LuGre"]
    t, load = columns["time"], columns["load"]
    for switch, before, after in ((0.1, 2, 0), (0.2, 0, 2), (0.3, 2, 0)):
        rows = np.flatnonzero(np.isclose(t, switch, rtol=1e-12))
        assert len(rows) == 2 and load[rows[0]] == before and load[rows[1]] == after


def test_rows_are_on_the_given_grid():
    columns = simulate("belt", "LuGre", options=["--output-interval", 0.25, "--stop", 2])["LuGre"]
    assert columns["time"] == pytest.approx(np.arange(0, 2.01, 0.25))


def test_result_does_not_depend_on_the_grid():
    coarse = simulate("belt", "LuGre", options=["--output-interval", 5])["LuGre"]
    fine = simulate("belt", "LuGre", options=["--output-interval", 0])["LuGre"]
    assert coarse["position"][-1] == fine["position"][-1]


def test_tolerance_is_kept():
    """Break-away amplifies the errors of the steps: three thousand times their tolerance after two
    cycles."""
    exact = simulate("belt", "LuGre", options=["--tolerance", 1e-11])["LuGre"]["position"][-1]
    for tolerance in (1e-6, 1e-8):
        value = simulate("belt", "LuGre", options=["--tolerance", tolerance])["LuGre"]["position"][
            -1
        ]
        assert value == pytest.approx(exact, abs=3e3 * tolerance)


def test_surface_of_a_normalised_model_is_that_of_the_others():
    """Its bristle per unit of normal force, at a constant normal force, is the same bristle."""
    results = simulate("belt", "LuGre", "LuGreNormalized", options=["--tolerance", 1e-10])
    assert results["LuGre"]["position"][-1] == pytest.approx(
        results["LuGreNormalized"]["position"][-1], rel=1e-6
    )


def test_results_go_to_standard_output():
    run = call("pulse", PRESENT["LuGre"].path, "-o", "-", "--stop", 0.01)
    assert run.returncode == 0
    assert run.stdout.startswith(
        "model,time,position,velocity,load,normalForce,relativeVelocity,bristleDeflection,"
    )


def test_statistics_are_a_table(tmp_path):
    run = call(
        "belt",
        PRESENT["LuGre"].path,
        PRESENT["StaticRegularized"].path,
        "--stats",
        "-o",
        tmp_path / "results.csv",
    )
    header, *rows = [line.split() for line in run.stdout.splitlines()]
    counts = ["steps", "evaluations", "jacobians", "events"]
    assert header == ["model", *counts, "wall_seconds", "evaluations_per_simulated_second"]
    assert [row[0] for row in rows] == ["LuGre", "StaticRegularized"]
    for row in rows:
        steps, evaluations, jacobians = map(int, row[1:4])
        assert steps < evaluations < 3 * steps, (
            "exact slopes let Newton's iteration converge in one or two evaluations"
        )
        assert jacobians < steps / 5
        assert float(row[6]) == pytest.approx(evaluations / 20, abs=0.1)


# ---- parameter sets and motion from files ----


def test_set_by_name_and_by_file_are_the_same(tmp_path):
    with zipfile.ZipFile(PRESENT["LuGre"].path) as archive:
        members = [
            name
            for name in archive.namelist()
            if name.startswith("resources/") and name.endswith(".ssv")
        ]
        assert members
        for member in members:
            file = tmp_path / Path(member).name
            file.write_bytes(archive.read(member))
            by_file = simulate("pulse", "LuGre", options=["--sets", file])["LuGre"]["position"]
            by_name = simulate("pulse", "LuGre", options=["--sets", file.stem])["LuGre"]["position"]
            assert (by_file == by_name).all(), member


def test_a_set_by_name_is_the_same_surface_for_a_bristle_per_unit_of_normal_force():
    """Under the constant normal force of the system the two laws are one."""
    options = "--sets rill2023_model1 --param normalForce=9.81 --param amplitude=4e-4".split()
    found = simulate("hysteresis", "LuGre", "LuGreNormalized", options=options)
    work = [found[model]["work"][-1] for model in ("LuGre", "LuGreNormalized")]
    assert work[0] == pytest.approx(work[1], rel=1e-6)  # tolerance of the integration


def test_prescribed_motion_gives_the_elements_own_answer(tmp_path):
    """From rest to a constant velocity: z = z_ss (1 - exp(-sigma0 v t/g)), F = sigma0 z + sigma1
    dz/dt."""
    motion = tmp_path / "motion.csv"
    motion.write_text(
        "time,relativeVelocity,normalForce\n0,0,10\n0.1,0,10\n0.1,0.01,10\n0.2,0.01,10\n"
    )
    options = ["--input", motion, "--sets", "rill2023_model1"]
    columns = simulate("prescribed", "LuGre", options=options)["LuGre"]
    t = columns["time"]
    g = (0.3 + 0.3 * np.exp(-1)) * 10
    z = np.where(t > 0.1, g / 39000 * -np.expm1(-39000 * 0.01 / g * (t - 0.1)), 0)
    assert columns["bristleDeflection"] == pytest.approx(z, abs=1e-10)
    assert columns["displacement"][-1] == pytest.approx(1e-3)


# ---- the command line ----


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["nosuch", "{LuGre}"], 'there is no system "nosuch"; there are band_brake, belt'),
        (["pulse"], "an FMU is missing"),
        (["pulse", "none.fmu"], "none.fmu: No such file or directory."),
        (
            ["pulse", "{LuGre}", "--set", "stiffness=1"],
            "--set stiffness=1: no FMU has this parameter; LuGre has staticFriction",
        ),
        (["pulse", "{LuGre}", "--set", "staticFriction=much"], "=much: this is not a number"),
        (["pulse", "{LuGre}", "--set", "staticFriction=nan"], "=nan: this is not a number"),
        (["pulse", "{LuGre}", "--set", "law=Strict"], "law=Strict: this is not one of its values"),
        (["pulse", "{LuGre}", "--set", "law=1.5"], "law=1.5: this is not one of its values"),
        (["pulse", "{LuGre}", "--set", "staticFriction=-1"], "staticFriction = -1"),
        (["pulse", "{LuGre}", "--set", "staticFriction"], "not of the form name=value"),
        (["pulse", "{LuGre}", "--set"], "--set: its value is missing"),
        (["pulse", "{LuGre}", "--param", "weight=1"], "the system pulse has no such parameter"),
        (["pulse", "{LuGre}", "--param", "mass=0"], "--param mass=0: it must be above 0"),
        (["pulse", "{LuGre}", "--param", "mass=heavy"], "not a number"),
        (["pulse", "{LuGre}", "--stop", "0"], "--stop 0: this is too small"),
        (["pulse", "{LuGre}", "--tolerance", "2"], "--tolerance 2: this is too large"),
        (["pulse", "{LuGre}", "--output-interval", "-1"], "too small"),
        (["pulse", "{LuGre}", "--faster"], "there is no option --faster"),
        (
            ["pulse", "{LuGre}", "-o", "missing/results.csv"],
            "missing/results.csv: No such file or directory",
        ),
        (["pulse", "{LuGre}", "--sets", "nosuch"], "there is no set of this name"),
        (["pulse", "{LuGre}", "--sets", "nosuch.ssv"], "nosuch.ssv: No such file or directory"),
        (["pulse", "{LuGre}", "--input", "motion.csv"], "--input does not belong here"),
        (["pulse", "{LuGre},{LuGre}"], "the system pulse has 1 contact only"),
        (["stack", "{LuGre},{LuGre}"], "the system stack has 3 contacts, but these are 2 FMUs"),
        (["prescribed", "{LuGre}"], "needs --input"),
        (["prescribed", "{LuGre}", "--input", "none.csv"], "none.csv: No such file or directory"),
        (["list", "nosuch"], 'there is no system "nosuch"'),
        (
            ["joint", "{LuGre}"],
            (
                "does not fit: it has relativeVelocity, but the system joint has"
                " relativeAngularVelocity"
            ),
        ),
    ],
)
def test_a_mistake_is_reported_in_one_clear_line(arguments, sentence, tmp_path):
    words = [word.replace("{LuGre}", str(PRESENT["LuGre"].path)) for word in arguments]
    run = call(*words, cwd=tmp_path)
    assert run.returncode == 2
    assert sentence in run.stderr
    assert (
        run.stderr.startswith("rig: ") and run.stderr.count("\n") == 1 and run.stderr.endswith("\n")
    )
    assert run.stdout == ""


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "is empty"),
        ("t,normalForce\n0,1\n", 'the first column is not named "time"'),
        ("time\n0\n1\n", "no column beside"),
        ("time,normalForce,relativeVelocity\n0,1,0\n", "at least two rows"),
        (
            "time,normalForce,relativeVelocity\n0,1,0\n1,1\n",
            "line 3: there are 2 entries for 3 columns",
        ),
        (
            "time,normalForce,relativeVelocity\n0,1,0\n1,1,0,0\n",
            "line 3: there are 4 entries for 3 columns",
        ),
        (
            "time,normalForce,relativeVelocity\n0,1,0\n1,x,0\n",
            'line 3, column normalForce: "x" is not a number',
        ),
        ("time,normalForce,relativeVelocity\n1,1,0\n0,1,0\n", "the time goes back"),
        ("time,normalForce,relativeVelocity\n1,1,0\n2,1,0\n", "later than time 0"),
        (
            "time,normalForce\n0,1\n1,1\n",
            "does not fit: the system prescribed does not offer its input relativeVelocity",
        ),
    ],
)
def test_motion_that_cannot_be_used_is_reported(text, sentence, tmp_path):
    motion = tmp_path / "motion.csv"
    motion.write_text(text)
    run = call("prescribed", PRESENT["LuGre"].path, "--input", motion)
    assert run.returncode == 2 and sentence in run.stderr and run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "text",
    [
        "time,normalForce,relativeVelocity\n0,9.81,0.01\n0.5,9.81,0.02\n",
        "\ufefftime;normalForce;relativeVelocity\r\n0;9,81;0,01\r\n0,5;9,81;0,02\r\n",
        "time\tnormalForce\trelativeVelocity\n0\t9,81\t1e-2\n0.5\t9.81\t0,02\n",
    ],
)
def test_motion_may_come_from_any_spreadsheet(text, tmp_path):
    """Byte order mark, semicolons, tabs, decimal commas: the same run."""
    motion = tmp_path / "motion.csv"
    motion.write_text(text, encoding="utf-8", newline="")
    force = simulate("prescribed", "LuGre", options=["--input", motion])["LuGre"]["frictionForce"]
    assert force[-1] == pytest.approx(3.33657, rel=1e-4), (
        "LuGre at 20 mm/s under 9.81 N, with what its lag leaves"
    )


def test_a_misspelt_name_in_a_parameter_set_is_refused(tmp_path):
    ssv = tmp_path / "mine.ssv"
    with zipfile.ZipFile(PRESENT["LuGre"].path) as archive:
        ssv.write_bytes(
            archive.read("resources/rill2023_model1.ssv").replace(
                b"staticFriction", b"staticFrictoin"
            )
        )
    run = call("pulse", PRESENT["LuGre"].path, "--sets", ssv)
    assert (
        run.returncode == 2
        and "mine.ssv staticFrictoin=0.6: no FMU has this parameter; LuGre has staticFriction"
        in run.stderr
    )
    assert run.stderr.count("\n") == 1 and run.stdout == ""


def test_a_value_of_a_named_set_that_is_out_of_range_is_reported(tmp_path):
    """An FMU like LuGre, but with a narrower range than in the set of the system."""
    narrow = tmp_path / "LuGre.fmu"
    with zipfile.ZipFile(PRESENT["LuGre"].path) as source, zipfile.ZipFile(narrow, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(
                name,
                (
                    content.replace(
                        b'min="1e-06" start="0.6"', b'min="1e-06" max="0.55" start="0.5"'
                    )
                    if name == "modelDescription.xml"
                    else content
                ),
            )
    run = call("pulse", narrow, "--stop", "0.01")
    assert run.returncode == 0 and run.stderr.count("\n") == 1
    assert (
        "LuGre: staticFriction = 0.6 of the set rill2023_model1 is out of its range, 1e-06 to 0.55,"
        " and not taken." in run.stderr
    )


@NEEDS_TWINS
def test_a_twin_does_not_fit_where_bodies_slide():
    run = call("pulse", PRESENT["LuGreRotational"].path)
    assert run.returncode == 2 and run.stderr.count("\n") == 1 and run.stdout == ""
    assert (
        "it has relativeAngularVelocity, but the system pulse has relativeVelocity; take the model"
        " that this is" in run.stderr
    )


def test_what_fits_is_run_and_what_does_not_is_named():
    run = call("pulse", PRESENT["HuntCrossley"].path, PRESENT["LuGre"].path)
    assert run.returncode == 0 and "\nLuGre " in run.stdout and "HuntCrossley" not in run.stdout
    assert (
        run.stderr.startswith("rig: left out: ")
        and "does not offer its input penetration" in run.stderr
        and run.stderr.count("\n") == 1
    )
    run = call("pulse", PRESENT["HuntCrossley"].path, PRESENT["HuntCrossley"].path)
    assert run.returncode == 2 and run.stderr.endswith(
        "rig: none of the FMUs fits the system pulse.\n"
    )


def test_the_rig_prints_its_version_and_usage():
    assert call("--version").stdout == f"rig {VERSION}\n"
    assert call("help").stdout == call("--help").stdout != ""


def damaged(name, content):
    """Returns a member of an FMU with each fault; None leaves it out."""
    description, binary = name == "modelDescription.xml", name.startswith("binaries/linux64/")
    return {
        "no description": None if description else content,
        "no binary": None if name.startswith("binaries/") else content,
        "broken description": content[:2000] if description else content,
        "other version": (
            content.replace(b'fmiVersion="2.0"', b'fmiVersion="3.0"') if description else content
        ),
        "no model exchange": (
            content.replace(b"ModelExchange", b"Nothing") if description else content
        ),
        "other identity": content.replace(b'guid="{', b'guid="{x') if description else content,
        "cut binary": content[:4000] if binary else content,
        "text for binary": b"text" if binary else content,
        "other input": (
            content.replace(b'name="relativeVelocity"', b'name="speed"') if description else content
        ),
        "other output": (
            content.replace(b'name="frictionForce"', b'name="force"') if description else content
        ),
        "identifier that leads elsewhere": (
            content.replace(b'modelIdentifier="', b'modelIdentifier="../../')
            if description
            else content
        ),
        "bomb": b" " * (200 << 20) if description else content,
        "missing variable": (
            content.replace(b"<Derivatives>", b'<Derivatives><Unknown index="99"/>')
            if description
            else content
        ),
    }


@pytest.mark.parametrize("damage", damaged("", b""))
def test_damaged_fmu_is_refused(damage, tmp_path):
    file = tmp_path / "Damaged.fmu"
    with (
        zipfile.ZipFile(PRESENT["LuGre"].path) as source,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target,
    ):
        for name in source.namelist():
            content = damaged(name, source.read(name))[damage]
            if content is not None:
                target.writestr(name, content)
    run = call("pulse", file)
    assert run.returncode == 2 and run.stderr.count("\n") == 1 and "Damaged.fmu" in run.stderr


@pytest.mark.parametrize("size", [0, 100, 30000])
def test_file_that_was_cut_off_is_refused(size, tmp_path):
    file = tmp_path / "Cut.fmu"
    file.write_bytes(PRESENT["LuGre"].path.read_bytes()[:size])
    run = call("pulse", file)
    assert run.returncode == 2 and run.stderr.count("\n") == 1 and "Cut.fmu" in run.stderr


def test_interruption_ends_the_run_and_leaves_nothing_behind(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [str(RIG), "festoon", str(PRESENT["LuGre"].path), "--stop", "1e6"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    while not any(tmp_path.iterdir()):
        time.sleep(0.01)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and "interrupted at t =" in errors
    assert not any(tmp_path.iterdir())


def test_progress_shows_on_a_terminal_only():
    command = [str(RIG), "rabinowicz", str(PRESENT["LuGre"].path), "--stop", "5000"]
    silent = completed(*command, timeout=300)
    assert silent.returncode == 0 and silent.stderr == ""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # the reading end is closed
        pass
    os.close(ours)
    assert process.wait() == 0
    assert b"LuGre" in shown and b"%" in shown


def test_help_and_list_show_what_there_is():
    run = call("--help")
    assert run.returncode == 0 and "--output-interval" in run.stdout
    assert {
        "pulse",
        "belt",
        "festoon",
        "rabinowicz",
        "stack",
        "presliding",
        "pulse3",
        "prescribed",
        "hysteresis",
    } <= systems().keys()
    for name in systems():
        assert name in call("list").stdout
        assert "Contacts" in call("list", name).stdout


def test_every_system_opens_with_its_equations():
    for name in systems():
        text = (REPOSITORY / "rig" / "systems" / f"{name}.c").read_text(encoding="utf-8")
        assert text.startswith(f"/* {name}: "), name
        assert "=" in text[: text.index("*/")], name


# ---- quantities ----


def test_quantities_have_their_definitions():
    columns = {"time": np.array([0.0, 1, 1, 2, 3]), "top.x": np.array([0.0, 2, 4, 4, 0])}
    for expression, value in {
        "start(top_x)": 0,
        "final(top_x)": 0,
        "largest(top_x)": 4,
        "smallest(top_x - 1)": -1,
        "at(top_x, 0.5)": 1,
        "at(top_x, 2.5)": 2,
        "mean(top_x)": 7 / 3,
        "crossing(top_x, 1)": 0.5,
        "crossing(top_x, 3)": 1,
        "crossing(top_x, 1, 1.5)": 2.75,
        "largest(between(top_x, 2.5, 3))": 0,
    }.items():
        assert quantity(expression, columns) == pytest.approx(value), expression


# ---- the cube on six points ----


@cache
def cube(direction, height):
    """Returns columns of the cube of Colantonio, section 3, with rows every 2 ms."""
    options = ["--param", f"direction={direction}", "--param", f"pullHeight={height}"]
    return simulate("cube", "ContactPoint", options=options)["ContactPoint"]


def of_points(columns, name, time_):
    row = np.argmin(abs(columns["time"] - time_))
    return np.array([columns[f"point{i}.{name}"][row] for i in range(1, 7)])


@pytest.mark.parametrize("direction", [30, 60, 90])
def test_a_cube_behaves_the_same_in_every_direction(direction):
    """Total friction and speed do not depend on the direction of the pull, from the first contact
    to the end."""
    one, other = cube(0, 0.0), cube(direction, 0.0)
    for name, small in (
        ("totalFriction", 2e-3),
        ("speed", 2e-5),
    ):  # the vertical vibration has a phase of its own
        ours = np.interp(one["time"], other["time"], other[name])
        assert np.abs(ours - one[name])[(one["time"] > 0.5) & (one["time"] < 3.95)].max() < small, (
            name
        )


def test_points_of_a_cube_share_friction_as_they_share_the_load():
    """In stick all points have the same deflection: one coefficient of friction under any normal
    forces."""
    for direction, height in ((0, 0.0), (30, 0.0), (0, -0.05)):
        columns = cube(direction, height)
        friction, normal = (
            of_points(columns, name, 2.5) for name in ("frictionForceMagnitude", "normalForce")
        )
        assert normal.sum() == pytest.approx(10, rel=1e-4)
        assert np.ptp(friction / normal) < 1e-9
        assert friction.sum() == pytest.approx(0.75, rel=1e-4)
    # pulled at the height of the plane the cube does not tilt, and all points are alike
    assert friction == pytest.approx([0.125] * 6, rel=1e-4)


def test_a_sixth_of_a_turn_takes_each_point_of_a_cube_to_the_next():
    one, other = (of_points(cube(direction, 0.0), "normalForce", 2.5) for direction in (0, 60))
    assert np.ptp(one) > 0.3
    assert np.roll(one, 1) == pytest.approx(other, rel=1e-4)


def test_a_cube_in_stick_rests():
    """From the end of the rise to the fall of the load it creeps by less than a nanometre."""
    columns = cube(0, 0.0)
    at = {t: columns["positionX"][np.argmin(abs(columns["time"] - t))] for t in (2.1, 2.95)}
    assert abs(at[2.95] - at[2.1]) < 1e-9
    # dz/dx = 1 - sigma0 z/mu_s up to half of the limit; the remainder is the tilt of the cube
    assert at[2.95] == pytest.approx(0.15 / 1e4 * np.log(2), rel=0.01)


# ---- bodies that fall ----


def first_apex(columns):
    """Returns the largest height after the first impact, at 1.5 ms."""
    return columns["height"][columns["time"] > 2e-3].max()


def test_a_bounce_loses_the_area_of_its_loop():
    """The work of the normal force over the first impact is the loss of height, m g (h0 - h1);
    without damping it is zero."""
    weight, fall = 9.81, 1e-5
    for damping, share in ((0.0, 0.0), (1.5e6, 0.3), (5e6, 0.7)):
        options = ["--set", f"contactDamping={damping}", "--output-interval", 1e-7, "--stop", 4e-3]
        columns = simulate("bounce", "HuntCrossley", options=options)["HuntCrossley"]
        impact = columns["time"] < 2e-3
        area = np.trapezoid(columns["normalForce"][impact], columns["penetration"][impact])
        lost = weight * (fall - first_apex(columns))
        assert area == pytest.approx(
            lost, abs=1e-4 * weight * fall
        )  # rows every 0.1 us of an impact of 0.3 ms
        assert lost == pytest.approx(share * weight * fall, abs=0.05 * weight * fall)


def test_a_body_that_bounces_comes_to_rest_where_the_contact_bears_it():
    columns = simulate("bounce", "HuntCrossley", options=["--set", "contactDamping=5e6"])[
        "HuntCrossley"
    ]
    assert columns["normalForce"][-1] == pytest.approx(9.81, rel=1e-6)
    assert columns["penetration"][-1] == pytest.approx(
        np.sqrt(9.81 / 1.2028130609e14), rel=1e-6
    )  # K s^2 = m g


def test_a_body_that_is_thrown_is_slowed_at_each_bounce_only_and_sticks_at_last():
    soft = {
        "contactStiffness": 100,
        "referencePenetration": 1e-3,
        "stiffnessExponent": 1.5,
        "contactDamping": 90,
        "dampingExponent": 1,
    }
    options = [word for name, value in soft.items() for word in ("--set", f"{name}={value}")]
    columns = simulate("throw", "ContactPoint", options=options)["ContactPoint"]
    t, v, normal, friction = (
        columns[name] for name in ("time", "velocity", "normalForce", "frictionForce[1]")
    )
    flight = columns["height"] > 0
    assert (normal[flight] == 0).all() and (friction[flight] == 0).all()
    assert v[t < 0.06].min() == 1, "until it touches, at 64 ms"
    step = v[t < 0.1].min()
    bounce = np.trapezoid(
        normal[t < 0.1], t[t < 0.1]
    )  # over the mass of 1 kg: the change of the vertical speed
    assert (1 - step) / bounce == pytest.approx(0.3, rel=0.05), (
        "dynamic friction; the bristle needs a displacement for it"
    )
    assert abs(v[-1]) < 1e-6 and normal[-1] == pytest.approx(
        9.81, rel=1e-2
    )  # the soft contact still oscillates slightly


# ---- what turns ----


def primitive_of_drive(t):
    """Returns the integral of 10 N.m sin(2 pi 5 Hz t)."""
    return (1 - np.cos(10 * np.pi * t)) / np.pi


def primitive_of_clutch(t):
    """Returns the integral of 10 N.m cos(2 pi 0.2 Hz t), the torque of clutch 1 in slip."""
    return 25 / np.pi * np.sin(0.4 * np.pi * t)


def exact_clutches():
    """Solves CoupledClutches in closed form: times of mode changes, speed of the driven inertia at
    the end and energy lost in clutch 2. All inertias are 1 kg.m2, slip has 10 N.m, and clutch 1
    sticks up to 11 N.m cos."""
    D, C, lost = primitive_of_drive, primitive_of_clutch, {}
    lost["2 sticks"] = a = brentq(
        lambda t: C(t) - 20 * (t - 0.4), 0.41, 0.9
    )  # J2 loses what J3 gains
    w1, w2 = 10 + D(a) - C(a), 10 * (a - 0.4)
    slip = lambda t: w1 - w2 + D(t) - D(a) - 1.5 * (C(t) - C(a))  # noqa: E731  J2 and J3 are one
    lost["1 sticks"] = b = brentq(slip, a, 0.9)
    w = w2 + (C(b) - C(a)) / 2

    def parted(share, t):
        return share * 10 * np.sin(10 * np.pi * t) - 11 * np.cos(0.4 * np.pi * t)

    lost["1 slips"] = c = brentq(
        lambda t: parted(2 / 3, t), b, 0.85
    )  # clutch 1 drives two of three
    w += (D(c) - D(b)) / 3
    w1, w2 = w + D(0.9) - D(c) - (C(0.9) - C(c)), w + (C(0.9) - C(c)) / 2
    lost["1 sticks again"] = d = brentq(  # clutch 3 drags
        lambda t: w1 - w2 + D(t) - D(0.9) - 1.5 * (C(t) - C(0.9)) + 5 * (t - 0.9), 0.9, 0.95
    )
    w = w2 + (C(d) - C(0.9)) / 2 - 5 * (d - 0.9)
    lost["1 slips again"] = e = brentq(lambda t: parted(2 / 3, t) + 10 / 3, 0.98, 1.02)
    w += (D(e) - D(d) - 10 * (e - d)) / 3
    lost["3 sticks"] = brentq(
        lambda t: w + (C(t) - C(e) - 10 * (t - e)) / 2 - 10 * (t - 0.9), 1.05, 1.25
    )
    return lost, w + D(1.5) - D(e) - (C(1.25) - C(e))  # clutch 1 opens at 1.25 s


def changes_of_mode(columns, clutch):
    mode = columns[f"clutch{clutch}.mode"]
    return columns["time"][1:][np.diff(mode) != 0]


@NEEDS_TWINS
def test_coupled_clutches_with_ideal_stick_are_the_exact_solution():
    """Every stick and slip, found by the algebraic loop of three loads: 0.1 µs at a tolerance of
    1e-10, where a step is 1 ms."""
    columns = simulate(
        "clutches",
        "CoulombRotational",
        options=["--tolerance", 1e-10, "--output-interval", 0],
    )["CoulombRotational"]
    moments, speed = exact_clutches()
    first = [moments[name] for name in ("1 sticks", "1 slips", "1 sticks again", "1 slips again")]
    assert changes_of_mode(columns, 1) == pytest.approx([*first, 1.25], abs=1e-7)
    assert changes_of_mode(columns, 2) == pytest.approx([0.4, moments["2 sticks"]], abs=1e-7)
    assert changes_of_mode(columns, 3) == pytest.approx([0.9, moments["3 sticks"]], abs=1e-7)
    assert columns["speed1"][-1] == pytest.approx(speed, abs=1e-5)
    momentum = sum(columns[f"speed{i}"] for i in (1, 2, 3, 4))
    assert momentum == pytest.approx(10 + primitive_of_drive(columns["time"]), abs=1e-6), (
        "clutches are inner torques"
    )


@NEEDS_TWINS
@pytest.mark.parametrize("model", ["CoulombRotational", "LuGreRotational"])
def test_a_clutch_that_engages_takes_the_energy_of_the_slip(model):
    """J1 at 10 rad/s, J2 at rest, 10 N.m between them: w = 10 (1 - 2 t), engaged after 0.5 s at 5
    rad/s, half of the 50 J is heat. The other two clutches stay open. A bristle winds up by 10 µrad
    and stores 10 µJ; its Stribeck curve ends within 1e-3 rad/s, 0.05 ms. Bounded, since as printed
    a bristle that touches the other face at 10 rad/s has a damper torque of 10 kN.m for 2 µs.
    """
    law = ["--set", "law=2"] if "law" in names(PRESENT[model].description) else []
    alone = ["amplitude=0", "controlFrequency=0", "secondTime=9", "thirdTime=9"]
    columns = simulate(
        "clutches",
        model,
        options=["--stop", 1, *law, *(word for one in alone for word in ("--param", one))],
    )[model]
    slip = columns["slip1"]
    assert columns["time"][np.flatnonzero(slip < 0.01)[0]] == pytest.approx(
        0.5, abs=1.5e-3
    )  # rows of 1 ms
    assert np.interp(0.25, columns["time"], slip) == pytest.approx(5, rel=1e-3)
    assert (columns["speed1"][-1], columns["speed2"][-1]) == pytest.approx((5, 5), rel=1e-5)
    assert columns["loss"][-1] == pytest.approx(25, rel=1e-4)
    assert (columns["clutch2.frictionTorque"] == 0).all() and (columns["speed3"] == 0).all()


REST = float(
    np.arcsin(210 * 0.5 / (15 * 9.81 * 1.14))
)  # holding angle of the joint: |m g l sin q| = n T_s


GIVES = {"CoulombRotational": 1e-11, "LuGreRotational": 3e-5, "ImplicitBristleRotational": 3e-5}


@NEEDS_TWINS
@pytest.mark.parametrize("model", GIVES)
@pytest.mark.parametrize(
    "share, falls", [(-0.99, False), (0.99, False), (-1.01, True), (1.01, True)]
)
def test_an_arm_without_drive_stays_if_friction_bears_its_weight(model, share, falls):
    """With ideal stick it does not move. A bristle is loaded suddenly here: it winds up by at least
    0.6 µrad of the arm (25 N over 1e7 N/m, 20 mm, 1:210) and slips slightly in its overshoot, 8
    µrad (ImplicitBristle) to 21 µrad (LuGre). A falling arm moves by more than a milliradian.
    """
    angle = share * REST
    options = [
        word
        for one in ("speedGain=0", f"startAngle={angle!r}", f"endAngle={angle!r}")
        for word in ("--param", one)
    ]
    columns = simulate("joint", model, options=["--stop", 2, *options])[model]
    displacement = angle - columns["linkAngle"][-1]
    assert np.sign(share) * displacement > 1e-3 if falls else abs(displacement) < GIVES[model]


@NEEDS_TWINS
def test_a_released_arm_loses_its_height_to_friction_and_dampers():
    """It comes to rest in the interval, and its height alone covers the losses: friction, gear and
    bearing, by the trapezoidal rule over the steps of the solver, hence 0.1 %."""
    options = [
        word for one in ("speedGain=0", "startAngle=1", "endAngle=1") for word in ("--param", one)
    ]
    c = simulate(
        "joint",
        "CoulombRotational",
        options=["--stop", 10, "--output-interval", 0, *options],
    )["CoulombRotational"]
    assert abs(c["linkAngle"][-1]) < REST and abs(c["linkSpeed"][-1]) < 1e-6 and c["mode"][-1] == 2
    winding = c["motorSpeed"] - 210 * c["linkSpeed"]
    power = (
        0.01 * winding**2 + 0.1 / 130 * c["motorSpeed"] ** 2 - c["drivingTorque"] * c["motorSpeed"]
    )
    lost = c["loss"][-1] + np.trapezoid(power, c["time"])
    assert c["potentialEnergy"][0] - c["potentialEnergy"][-1] == pytest.approx(lost, rel=1e-3)


@NEEDS_TWINS
@pytest.mark.parametrize(
    "model, case",
    [
        ("Gonthier", "pennestri2016_rabinowicz"),
        ("LuGreNormalized", "colantonio2022_blades"),
        ("LuGreNormalized", "rill2023_model1"),
    ],
)
def test_a_set_is_for_a_twin_as_for_its_model(model, case, tmp_path):
    """At a radius of 1 m it gives the numbers of its model: with a set with a value for Gonthier
    alone, with one made for the bristle per unit of normal force of LuGreNormalized, and with one
    that is not."""
    motion, answers = tmp_path / "motion.csv", []
    for name, velocity, answer in (
        (model, "relativeVelocity", "frictionForce"),
        (f"{model}Rotational", "relativeAngularVelocity", "frictionTorque"),
    ):
        motion.write_text(f"time,normalForce,{velocity}\n0,9.81,0\n0.1,9.81,0.03\n")
        radius = ["--set", "frictionRadius=1"] if name != model else []
        columns = simulate(
            "prescribed",
            name,
            options=["--sets", case, "--input", motion, "--output-interval", 0.01, *radius],
        )[name]
        answers.append(np.interp(np.arange(0, 0.1, 0.01), columns["time"], columns[answer]))
    assert answers[1] == pytest.approx(answers[0], rel=1e-6, abs=1e-9) and answers[0][-1] > 1
    assert columns["angle"][-1] == pytest.approx(0.0015) and columns["displacement"][-1] == 0


@NEEDS_TWINS
def test_systems_that_share_no_loop_have_exact_slopes():
    """Only elements that need the load close the loop, so all others keep their Jacobian from
    directional derivatives."""
    for model, slopes in (("CoulombRotational", False), ("LuGreRotational", True)):
        words = call("clutches", PRESENT[model].path, "--stats").stdout.splitlines()
        names, values = (words[-2].split(), words[-1].split())
        assert (float(values[names.index("jacobians")]) > 0) == slopes
