"""Sweeps: the same table on one machine and on a cluster, even if workers die; an interrupted sweep
resumes."""

import csv
import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from fmus import FMUS, REPOSITORY, TWINS, need_all_fmus
from test_cli import ENVIRONMENT, refused  # noqa: F401

from bristle import BristleError, cli
from bristle.systems import run_system
from bristle.pages.svg import heat_map
from bristle.expressions import quantity
from bristle_site.report.rig import rig_of
from bristle.sweep import execution
from bristle.sweep.execution import on_this_machine
from bristle.sweep.journal import Journal
from bristle.sweep.pictures import picture
from bristle.sweep.plan import points, read_axis
from measurements import PIATKOWSKI_DAHL, friction, slow_loop, written

need_all_fmus()

RIG = Path(os.environ.get("BRISTLE_RIG", REPOSITORY / "build" / "rig" / "rig"))
SHORT = ["--stop", "0.05"]  # of the pulse: within the first load


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    """Runs in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def table(file):
    with open(file, newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


# ---- plans ----


def test_a_grid_has_every_combination_in_order():
    places = points(
        [read_axis("a=1:3:3"), read_axis("b=10,20"), read_axis("c=1:100:3:log")], None, None, 1
    )
    assert (
        len(places) == 18
        and places[0] == {"a": 1.0, "b": 10.0, "c": 1.0}
        and places[-1]["c"] == pytest.approx(100)
    )
    assert places[1]["c"] == pytest.approx(10) and places[3]["b"] == 20


@pytest.mark.parametrize("sample", ["latin", "sobol"])
def test_a_sample_fills_its_ranges_and_follows_its_seed(sample):
    axes = [read_axis("a=0:1"), read_axis("b=1:1000:log")]
    places = points(axes, sample, 64, 7)
    assert places == points(axes, sample, 64, 7) != points(axes, sample, 64, 8)
    for name, shares in (
        ("a", [p["a"] for p in places]),
        ("b", [np.log(p["b"]) / np.log(1000) for p in places]),
    ):
        counts = np.histogram(shares, 8, (0, 1))[0]
        assert (counts == 8).all(), name  # both kinds put the same number into each eighth


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a", "this is not NAME=LOW:HIGH:COUNT"),
        ("a=1:2:x", "this is not NAME=LOW:HIGH:COUNT"),
        ("a=1:nan:3", "this is not NAME=LOW:HIGH:COUNT"),
        ("a=2:1:3", "the lower end has to be below"),
        ("a=0:1:3:log", "has to be above 0"),
        ("a=0:1:1", "two values or more"),
        ("a=1:2:3:4", "this is not NAME=LOW:HIGH:COUNT"),
    ],
)
def test_bad_axes(text, sentence):
    with pytest.raises(BristleError, match=re.escape(sentence)):
        read_axis(text)


# ---- systems ----


def test_a_map_of_a_system(capsys):
    words = [
        *"sweep pulse LuGre --over load=1,2 --over bristleStiffness=2e4:4e4:3".split(),
        *SHORT,
        "--stop",
        "0.099",
    ]
    assert (
        cli.main([*words, "--quantity", "travel=1e3*final(bristleDeflection)", "-o", "map.csv"])
        == 0
    )
    rows = table("map.csv")
    assert [(row["load"], row["bristleStiffness"]) for row in rows[:2]] == [
        ("1.0", "20000.0"),
        ("1.0", "30000.0"),
    ]
    # under the load the bristle is bent by F/sigma0, apart from a small remaining oscillation of
    # the mass
    for row in rows:
        assert float(row["travel"]) == pytest.approx(
            1e3 * float(row["load"]) / float(row["bristleStiffness"]), rel=0.02
        )
    page = Path("map.html").read_text(encoding="utf-8")
    assert page.count("<rect") > 6 and "runs without a value are left empty" in page
    assert re.match(r"6 runs, 6 now in \S+ s", capsys.readouterr().out)
    assert sorted(os.listdir()) == ["map.csv", "map.html"]


@pytest.mark.parametrize(
    ("system", "model"),
    [
        ("belt", "LuGre"),
        ("liftoff", "ImplicitBristle"),
        ("stack", "LuGre"),
        ("pulse3", "Coulomb"),
        ("presliding", "GeneralizedMaxwellSlip"),
    ],
)
def test_systems_run_as_in_the_rig(system, model):
    """The library has its own integrator: at the end of the run it agrees with CVODE's within the
    errors of both at 1e-8, with the same columns."""
    fmu = FMUS[0].path.parent / f"{model}.fmu"
    theirs = rig_of(RIG).results([system, str(fmu)])[model]
    ours = run_system(fmu, system)
    assert list(ours) == list(theirs) and ours["time"][-1] == theirs["time"][-1]
    for name, values in ours.items():
        assert values[-1] == pytest.approx(
            theirs[name][-1], abs=3e-5 * np.ptp(theirs[name]) + 1e-9
        ), name
    assert (np.diff(ours["time"]) >= 0).all() and len(ours["time"]) > 500


def test_a_body_leaves_an_unstable_rest_no_sooner_than_in_the_rig():
    """In `liftoff` LuGre carries it there until errors have grown: with CVODE it ends 0.0933 to
    0.0955 m away at tolerances of 1e-6 to 1e-11, here at 0.0926 to 0.0927 m. Steps that are refused
    where the motion grows end at 0.0835 to 0.0876 m."""
    assert run_system("LuGre", "liftoff")["position"][-1] > 0.09


def test_a_system_with_loads_is_left_to_the_rig():
    with pytest.raises(BristleError, match="LuGre in worm: the system worm needs load elements"):
        run_system("LuGre", "worm")


def test_rows_of_a_system_on_a_grid_and_its_mistakes():
    rows = run_system(
        "LuGre", "pulse", {"load": 1.5}, {"bristleStiffness": 3e4}, stop=0.06, interval=0.02
    )
    grid = rows["time"][1:][np.diff(rows["time"]) > 0]
    assert grid == pytest.approx([0.02, 0.04, 0.06]) and rows["bristleDeflection"][
        -1
    ] == pytest.approx(1.5 / 3e4, rel=0.02)
    assert np.array_equal(
        run_system("LuGre", "pulse", parameter_set="rill2023_model1")["position"],
        run_system("LuGre", "pulse")["position"],
    )
    for words, sentence in [
        ({"parameters": {"mass": -1.0}}, "LuGre in pulse: mass=-1: it must be above 0."),
        (
            {"parameters": {"weight": 1.0}},
            "LuGre in pulse: weight=1: the system pulse has no such parameter",
        ),
        (
            {"settings": {"statcFriction": 1.0}},
            "LuGre in pulse: LuGre has no parameter statcFriction.",
        ),
        ({"settings": {"staticFriction": 0.1}}, "must be at most staticFriction"),
        ({"parameter_set": "nothing"}, "there is no parameter set nothing"),
    ]:
        with pytest.raises(BristleError, match=re.escape(sentence)):
            run_system("LuGre", "pulse", **words)


def test_a_sample_of_three_parameters_makes_a_tornado_and_parquet():
    words = "sweep pulse LuGre --over load=1:2 --over mass=0.9:1.1".split()
    words += ["--over", "bristleStiffness=2e4:8e4:log"]
    words += "--sample sobol --count 8 --quantity travel=1e3*final(position) -o t.parquet".split()
    assert cli.main([*words, *SHORT]) == 0
    found = pyarrow.parquet.read_table("t.parquet")
    assert (
        found.column_names == ["run", "load", "mass", "bristleStiffness", "travel", "failure"]
        and found.num_rows == 8
    )
    page = Path("t.html").read_text(encoding="utf-8")
    order = [page.index(f">{name}</text>") for name in ("load", "mass")]
    assert (
        order[0] < order[1] and "linear regression" in page
    )  # the load matters, the mass does not


def test_a_quantity_and_a_run_that_fails():
    words = [
        "sweep",
        "pulse",
        "LuGre",
        "--over",
        "dynamicFriction=0.2:0.9:2",
        "--quantity",
        "drift [mm]=1e3*at(position, 0.2)",
        "-o",
        "a.csv",
    ]
    assert cli.main(words) == 0
    good, bad = table("a.csv")
    name = "drift [mm]"
    assert float(good[name]) > 0 and good["failure"] == ""
    assert bad[name] == "nan" and "dynamicFriction" in bad["failure"]


def loop():
    times, _, velocity = slow_loop(cycles=1, interval=0.05)
    return written(
        Path("loop.csv"),
        {"t": times, "v": velocity, "F": friction("Dahl", times, velocity, 98.1, PIATKOWSKI_DAHL)},
    )


def test_a_sweep_over_a_record_finds_the_parameters_it_was_made_with():
    loop()
    words = (
        "sweep loop.csv Dahl --normal 98.1 --set dynamicFriction=0.563710499490316 --set"
        " hysteresisExponent=1.52"
    )
    assert cli.main([*words.split(), "--over", "bristleStiffness=1e6:2e6:21"]) == 0
    rows = table("loop-Dahl.csv")
    best = min(rows, key=lambda row: float(row["RMS error [N]"]))
    assert float(best["bristleStiffness"]) == 1.6e6 and "<polyline" in Path(
        "loop-Dahl.html"
    ).read_text(encoding="utf-8")


def test_an_interrupted_sweep_resumes(capsys, monkeypatch):
    """Two runs are done, and a third is incomplete in its line."""
    whole_folder = os.getcwd()
    words = ["sweep", "pulse", "LuGre", "--over", "load=0.5:2:6", "-o", "a.csv", *SHORT]
    assert cli.main(words) == 0
    whole = Path("a.csv").read_text(encoding="utf-8")
    rows = table("a.csv")
    os.remove("a.csv")
    add = Journal.add

    def interrupted(journal, index, result):
        add(journal, index, result)
        if len(journal.done) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "add", interrupted)
    assert cli.main(words) == 130
    monkeypatch.undo()
    monkeypatch.chdir(whole_folder)
    assert sorted(os.listdir()) == ["a.csv.part", "a.html"]
    lines = Path("a.csv.part").read_text().splitlines(keepends=True)
    wrong = json.loads(lines[1])
    wrong[1]["mean dissipated power [W]"] = 123.0  # proves that this run is not made again
    Path("a.csv.part").write_text(lines[0] + json.dumps(wrong) + "\n" + '[5, {"la')
    capsys.readouterr()
    for other in (
        words[:4] + ["load=0.5:3:6"] + words[5:],
        [*words, "--set", "staticFriction=0.4"],
    ):
        assert cli.main(other) == 2
        assert "belongs to another sweep" in capsys.readouterr().err
    assert cli.main(words) == 0
    assert "1 of 6 runs were done before." in capsys.readouterr().out
    again = table("a.csv")
    assert again[wrong[0]]["mean dissipated power [W]"] == "123.0"
    assert [row for i, row in enumerate(again) if i != wrong[0]] == [
        row for i, row in enumerate(rows) if i != wrong[0]
    ]
    assert whole.count("\n") == 7 and not Path("a.csv.part").exists()


def test_another_sweep_does_not_use_an_old_journal(refused):  # noqa: F811
    Path("a.csv.part").write_text('"other"\n')
    assert "belongs to another sweep" in refused(
        "sweep", "pulse", "LuGre", "--over", "load=1,2", "-o", "a.csv", *SHORT
    )
    assert Path("a.csv.part").read_text() == '"other"\n'


@pytest.mark.parametrize("workers, most", [(1, 1), (3, 3), (None, 5)])
def test_as_many_runs_at_a_time_as_workers(workers, most, monkeypatch):
    """By default as many as there are processors."""
    monkeypatch.setattr(execution, "cpu_count", lambda: 5)
    asked = []
    pool = execution.ThreadPoolExecutor
    monkeypatch.setattr(
        execution, "ThreadPoolExecutor", lambda count: asked.append(count) or pool(count)
    )
    tasks = [(i, {}) for i in range(9)]
    assert sorted(i for i, _ in execution.on_this_machine(lambda _: {}, tasks, workers)) == list(
        range(9)
    )
    assert asked == [most]


def test_results_come_from_all_workers_in_any_order():
    found = dict(
        on_this_machine(
            lambda values: {"y": values["x"] ** 2}, [(i, {"x": i}) for i in range(50)], 4
        )
    )
    assert found == {i: {"y": i**2} for i in range(50)}


def test_a_full_disk_is_reported(refused):  # noqa: F811
    """A limit on file size stands for it: writing fails in the same way. Finished runs stay, so
    that the sweep can resume."""
    loop()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, before[1]))
    try:
        said = refused(
            "sweep", "loop.csv", "Dahl", "--normal", "98.1", "--over", "bristleStiffness=1e6:2e6:30"
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert said.startswith("loop-Dahl.csv.part: ") and sorted(os.listdir()) == [
        "loop-Dahl.csv.part",
        "loop.csv",
    ]


# ---- a cluster ----


@pytest.fixture
def cluster(tmp_path):
    """Starts a scheduler with two workers, each a process of its own."""
    from distributed import Client

    file = tmp_path / "scheduler.json"
    quiet = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "env": ENVIRONMENT,
        "cwd": tmp_path,
    }
    program = [sys.executable, "-m", "distributed.cli"]
    scheduler = [
        *program[:2],
        "distributed.cli.dask_scheduler",
        "--scheduler-file",
        str(file),
        "--port",
        "0",
        "--no-dashboard",
    ]
    worker = [
        *program[:2],
        "distributed.cli.dask_worker",
        "--scheduler-file",
        str(file),
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
    ]
    processes = [subprocess.Popen(words, **quiet) for words in (scheduler, worker, worker)]
    try:
        end = time.monotonic() + 60
        while not file.exists() and time.monotonic() < end:
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        with Client(address, timeout=30) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, processes
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def test_a_cluster_gives_the_same_table_although_a_worker_is_killed(cluster):
    address, processes = cluster
    words = [
        *(
            "sweep pulse LuGre --over load=0.5:2 --over mass=0.5:2 --sample latin --count 24 "
            "--seed 5"
        ).split(),
        *SHORT,
    ]
    assert cli.main([*words, "-o", "here.csv"]) == 0
    sweep = subprocess.Popen(
        [sys.executable, "-m", "bristle", *words, "-o", "there.csv", "--scheduler", address],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
    )
    while sweep.poll() is None and (
        not Path("there.csv.part").exists() or Path("there.csv.part").read_text().count("\n") < 4
    ):
        time.sleep(0.005)
    killed_on_the_way = sweep.poll() is None
    processes[1].kill()
    said, _ = sweep.communicate(timeout=120)
    assert sweep.returncode == 0 and killed_on_the_way, said
    assert Path("there.csv").read_bytes() == Path("here.csv").read_bytes()


def test_a_scheduler_that_is_not_there_is_reported(refused, monkeypatch):  # noqa: F811
    monkeypatch.setattr("bristle.sweep.execution.CONNECTING", 0.5)
    said = refused(
        *"sweep pulse LuGre --over load=1,2 --scheduler tcp://127.0.0.1:9 -o a.csv".split(), *SHORT
    )
    assert said.startswith("the scheduler tcp://127.0.0.1:9 cannot be reached")
    assert os.listdir() == []


# ---- mistakes ----


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["belt", "LuGre", "--over", "beltSped=1,2"], "(did you mean beltSpeed?)"),
        (
            ["belts", "LuGre", "--over", "mass=1,2"],
            "neither a file nor a system (did you mean belt?); there are belt, blades,",
        ),
        (["prescribed", "LuGre", "--over", "staticFriction=1,2"], "needs a record of its motion"),
        (["nowhere.csv", "LuGre", "--over", "staticFriction=1,2"], "nowhere.csv: No such file"),
        (["belt", "LuGre", "--over", "mass=1:2"], "mass has no number of values"),
        (["belt", "LuGre", "--over", "mass=1,2", "--over", "mass=1,2"], "names mass twice"),
        (["belt", "LuGre", "--over", "mass=1:2", "--sample", "latin"], "needs --count"),
        (["belt", "LuGre", "--over", "mass=1,2", "--sample", "latin", "--count", "4"], "is a list"),
        (["belt", "LuGre", "--over", "mass=1,2", "-o", "a.txt"], "has to end in .csv or .parquet"),
        (["belt", "LuGre", "--over", "mass=1,2", "--quantity", "a=final("], "is not an expression"),
        (
            ["belt", "LuGre", "--over", "mass=1,2", "--quantity", "a=().__class__"],
            "only names, numbers, arithmetic",
        ),
        (
            ["belt", "LuGre", "--over", "mass=1,2", "--quantity", "nonsense"],
            "not NAME=EXPRESSION",
        ),
        (
            ["belt", "LuGre", "--over", "mass=1,2", "--quantity", "run=final(position)"],
            "is already a column",
        ),
        (
            "belt LuGre --over mass=1,2 --stop 0.1 --quantity a=last(position)".split(),
            "last is neither a column nor a function; there are abs,",
        ),
        (
            "belt LuGre --over mass=1,2 --stop 0.1 --quantity a=final(positon)".split(),
            "positon is neither a column nor a function",
        ),
        (
            [*"belt LuGre --over mass=1,2 --stop 0.1 --quantity".split(), "a=final(position, 1)"],
            "final(position, 1): ",
        ),
        (["belt", "LuGre", "--over", "mass=1,2", "--workers", "0"], "has to be 1 or more"),
        (["belt", "HuntCrossley", "--over", "mass=1,2", "--stop", "0.1"], "every run failed"),
    ],
)
def test_mistakes_are_reported_in_a_line_and_leave_nothing(words, sentence, refused):  # noqa: F811
    assert sentence in refused("sweep", *words)
    assert os.listdir() == []


@pytest.mark.parametrize("count", [3, 8, 9, 12, 20])
def test_labels_of_a_map_are_evenly_spaced(count):
    """With nine levels one in the middle had no label."""
    levels = list(range(1, count + 1))
    svg = heat_map(levels, levels, np.ones((count, count)), ("a", "b", "c"))
    upward = re.findall(r'<text x="\d+" y="([\d.]+)" text-anchor="end">', svg)
    across = re.findall(r'<text x="([\d.]+)" y="\d+" text-anchor="middle">\d', svg)
    for places in (upward, across):
        apart = np.diff([float(place) for place in places])
        assert len(places) > 1 and np.ptp(apart) < 0.3  # pixels: they are rounded to a tenth


def test_why_a_run_failed_is_reported(capsys):
    assert (
        cli.main("sweep belt LuGre --over staticFriction=-1,0.5 --stop 0.1 -o a.csv".split()) == 0
    )
    assert (
        "1 of them failed; the first: LuGre in belt: staticFriction = -1 must be at least 1e-06"
        in capsys.readouterr().out
    )


def test_a_quantity_that_a_run_does_not_have_is_reported():
    with pytest.raises(BristleError, match="nowhere"):
        quantity("final(nowhere)", {"time": np.arange(3.0)})


def test_an_empty_picture_is_reported():
    axes = [read_axis("a=0:1:2")]
    assert (
        "fewer than two"
        in picture(axes, points(axes, None, None, 1), np.array([np.nan, 1.0]), "y", True)[1]
    )


# ---- what turns ----

WITH_TWINS = pytest.mark.skipif(
    not TWINS, reason="twins are not built: the presets of one platform leave them out"
)


@WITH_TWINS
def test_a_joint_is_swept_by_its_torque(capsys):
    """The friction of the motor is mu N r = 0.02 m times 100 N times mu."""
    words = "sweep joint CoulombRotational --over dynamicFriction=0.1,0.2 -o joint.csv".split()
    assert cli.main([*words, "--set", "staticFriction=0.25"]) == 0
    rows = table("joint.csv")
    assert [float(row["largest friction torque [N.m]"]) for row in rows] == pytest.approx(
        [0.5, 0.5]
    ), "static friction at the start"
    assert float(rows[0]["mean dissipated power [W]"]) < float(
        rows[1]["mean dissipated power [W]"]
    ) and not any(row["failure"] for row in rows)


@WITH_TWINS
def test_each_contact_of_a_system_is_named():
    words = "sweep clutches LuGreRotational --over normalForce=15,25 -o clutches.csv".split()
    assert cli.main([*words, "--set", "law=2"]) == 0
    rows = table("clutches.csv")
    for clutch in ("clutch1", "clutch2", "clutch3"):
        found = [float(row[f"{clutch}: largest friction torque [N.m]"]) for row in rows]
        assert found == pytest.approx([0.55 * 15, 0.55 * 25], rel=1e-3), "the static limit"
    assert not any(row["failure"] for row in rows)


@WITH_TWINS
def test_a_record_of_a_joint_is_swept():
    """The measured torque is that of the element itself, at one of the values."""
    time = np.linspace(0, 1, 201)
    omega = 2 * np.sin(2 * np.pi * time)
    torque = 0.02 * friction("LuGre", time, 0.02 * omega, 100.0, {"staticFriction": 0.5})
    written(Path("joint.csv"), {"time [s]": time, "speed [rad/s]": omega, "torque [N.m]": torque})
    words = "sweep joint.csv LuGreRotational --normal 100 --radius 0.02 -o out.csv".split()
    assert cli.main([*words, "--over", "staticFriction=0.4,0.5"]) == 0
    errors = [float(row["RMS error [N.m]"]) for row in table("out.csv")]
    assert errors[1] < 1e-5 < 1e-3 < errors[0]
