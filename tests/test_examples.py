"""Every example runs as its text says; what needs a tool that is not here is checked as far as its names and grammar go."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pymoca.ast
import pymoca.parser
import pymoca.tree
import pytest
from PIL import Image

from conftest import FMUS, FOLDER, REPOSITORY

EXAMPLES = REPOSITORY / "examples"
RIG = Path(os.environ.get("BRISTLE_RIG", REPOSITORY / "build" / "rig" / "rig"))


def run(script, *arguments, cwd):
    command = [sys.executable, EXAMPLES / script, *arguments]
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return result.stdout


def shows_something(picture):
    with Image.open(picture) as image:
        return len(image.convert("RGB").getcolors(image.width * image.height)) > 20


def description_of(name):
    return next(fmu.description for fmu in FMUS if fmu.name == name)


def test_model_exchange_draws_the_hysteresis_loop(tmp_path):
    text = run("model_exchange.py", FOLDER / "LuGre.fmu", "loop.png", cwd=tmp_path)
    force = float(re.search(r"largest friction force ([\d.]+) N", text)[1])
    assert 0.4 * 9.81 < force < 0.6 * 9.81, "the force of LuGre stays between sliding and the static limit"
    assert shows_something(tmp_path / "loop.png")


def test_co_simulation_draws_one_curve_per_element(tmp_path):
    models = ("StaticRegularized", "LuGre", "SecondOrderBristle")
    text = run("co_simulation.py", "curves.png", *(FOLDER / f"{model}.fmu" for model in models), cwd=tmp_path)
    forces = dict(re.findall(r"(\w+): largest friction force ([\d.]+) N", text))
    assert sorted(forces) == sorted(models)
    assert all(0.3 * 9.81 < float(force) < 0.6001 * 9.81 for force in forces.values())
    assert shows_something(tmp_path / "curves.png")


def test_container_holds_the_body_only_with_a_short_communication_step(tmp_path):
    text = run("container/container.py", "container.png", FOLDER / "SecondOrderBristle.fmu", cwd=tmp_path)
    rows = re.findall(r"^ *([\d.]+) ms +(-?[\d.]+) mm +([\d.]+) N$", text, re.MULTILINE)
    drift = {float(step): abs(float(end)) for step, end, _ in rows}
    assert drift[2] > 0.1 and drift[1] > 0.1, "late forces push the body away"
    assert drift[0.1] < 1e-3 and drift[0.01] < 1e-3, "a short step holds it"
    assert shows_something(tmp_path / "container.png")


def test_container_meets_the_printed_drift_of_lugre(tmp_path):
    """Rill 2023 prints 0.02129 mm per cycle and there are two; the shortest step comes within its own error of 0.1 %."""
    text = run("container/container.py", "container.png", FOLDER / "LuGre.fmu", cwd=tmp_path)
    end = float(re.search(r"^ *0\.01 ms +([\d.]+) mm", text, re.MULTILINE)[1])
    assert end == pytest.approx(2 * 0.02129, rel=2e-3)


def commands(text):
    """The lines of all shell blocks of a page."""
    return [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines() if line]


def test_commands_of_the_c_page_run(tmp_path):
    lines = [line for line in commands((EXAMPLES / "c.md").read_text()) if line.startswith("build/rig/rig")]
    assert len(lines) >= 4
    for line in lines:
        words = [str(FOLDER / Path(word).name) if word.startswith("dist/") else word for word in line.split()]
        result = subprocess.run([RIG, *words[1:]], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, f"{line}\n{result.stderr}"
    assert (tmp_path / "belt.csv").stat().st_size > 0 and (tmp_path / "pulse.csv").stat().st_size > 0


def test_commands_of_the_list_of_examples_name_files():
    text = (EXAMPLES / "README.md").read_text()
    scripts = re.findall(r"`python (examples/\S+)`", text)
    assert len(scripts) == 3
    links = [EXAMPLES / name for name in re.findall(r"\]\(([^)]+)\)", text)]
    assert all(path.exists() for path in [*(REPOSITORY / script for script in scripts), *links])


def imported_block(description):
    """The class that OpenModelica makes from an FMU, as far as a model that uses it can see."""
    lines = [f"  parameter Real {v.name} = {v.start!r};" for v in description.parameters]
    lines += [f"  input Real {v.name};" for v in description.inputs]
    lines += [f"  output Real {v.name} = 0;" for v in description.outputs]
    return f"model {description.identifier}_me_FMU\n" + "\n".join(lines) + f"\nend {description.identifier}_me_FMU;\n"


def test_modelica_example_is_valid_and_names_what_the_fmu_has():
    text = (EXAMPLES / "openmodelica" / "Belt.mo").read_text()
    tree = pymoca.parser.parse(imported_block(description_of("LuGre")) + text)
    flat = pymoca.tree.flatten(tree, pymoca.ast.ComponentRef(name="Belt")).classes["Belt"]
    assert {"position", "velocity", "friction.frictionForce"} <= set(flat.symbols)
    used = set(re.findall(r"friction\.(\w+)", text))
    known = {v.name for v in (*description_of("LuGre").inputs, *description_of("LuGre").outputs)}
    assert used == {"normalForce", "relativeVelocity", "frictionForce"} <= known
    changed = set(re.findall(r"^    (\w+) =", text, re.MULTILINE))
    assert changed and changed <= {v.name for v in description_of("LuGre").parameters}


def test_openmodelica_script_calls_what_omc_has_and_names_files_that_exist():
    text = re.sub(r"//.*", "", (EXAMPLES / "openmodelica" / "belt.mos").read_text())
    statements = [statement.strip() for statement in text.split(";") if statement.strip()]
    calls = [re.fullmatch(r"(\w+)\((.*)\)", statement, re.DOTALL) for statement in statements]
    assert all(calls), "every statement is one call"
    assert {call[1] for call in calls} <= {"loadModel", "importFMU", "loadFile", "simulate", "getErrorString", "val"}
    made = {f"{description_of('LuGre').identifier}_me_FMU.mo", "LuGre.fmu"}
    files = set(re.findall(r'"([^"]+\.(?:mo|fmu))"', text))
    assert all(name in made or (EXAMPLES / "openmodelica" / name).exists() for name in files)
    assert re.search(r"simulate\(Belt\b", text)


def test_simulink_and_dymola_page_names_what_the_fmu_has():
    text = (EXAMPLES / "simulink_and_dymola.md").read_text()
    names = {
        v.name
        for v in (
            *description_of("LuGre").parameters,
            *description_of("LuGre").inputs,
            *description_of("LuGre").outputs,
        )
    }
    camel = {word for word in re.findall(r"`([a-z]+[A-Z]\w*)`", text)}
    assert {"staticFriction", "bristleDamping", "frictionForce", "normalForce"} <= camel
    assert camel <= names, camel - names
    for code in re.findall(r"```modelica\n(.*?)```", text, re.DOTALL):
        body = (EXAMPLES / "openmodelica" / "Belt.mo").read_text()
        assert all(line.strip() in body for line in code.strip().splitlines()), "the same equations as in Belt.mo"
