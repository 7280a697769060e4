"""Runs the experiments in FMUs (extra/org.fmi-standard.fmi-ls-ref) and compares the results with
those in the file. Needs only FMPy: python examples/reference_results.py dist/LuGre.fmu"""

import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.util import read_csv

FOLDER = "extra/org.fmi-standard.fmi-ls-ref"


def start_values(ssv, model):
    """Reads the values of a parameter set by variable; in FMI 3.0 a vector is one."""
    parameters = [e for e in ElementTree.parse(ssv).iter() if e.tag.endswith("}Parameter")]
    values = {one.get("name"): one[0].get("value") for one in parameters}
    for one in model.modelVariables:
        if names := [name for name in values if name.startswith(f"{one.name}[")]:
            values[one.name] = [float(values.pop(name)) for name in names]
    return values


def compare(fmu):
    """Yields each experiment of an FMU, its largest deviation and the allowed one."""
    folder = extract(str(fmu))
    manifest = Path(folder, FOLDER, "fmi-ls-manifest.xml")
    model = read_model_description(str(folder))
    files = {}  # by label, those of each role
    for related in ElementTree.parse(manifest).iter("Related"):
        for label in related.iter("Label"):
            files.setdefault(label.get("name"), {})[related.get("role")] = related
    for name, roles in files.items():
        places = {role: manifest.parent / one.get("source") for role, one in roles.items()}
        expected, agreement = read_csv(places["result"]), roles["result"].find(".//Agreement")
        outputs, parameters = list(expected.dtype.names[1:]), places.get("parameter")
        got = simulate_fmu(
            str(folder),
            model_description=model,
            fmi_type="CoSimulation",
            relative_tolerance=float(agreement.get("solverTolerance")),
            start_values=start_values(parameters, model) if parameters else {},
            input=read_csv(places["experiment/smoke-test"]),
            output=outputs,
            output_interval=expected["time"][1],
            stop_time=expected["time"][-1],
        )
        scale = {one: np.abs(expected[one]).max() or 1.0 for one in outputs}
        deviation = max(np.abs(got[one] - expected[one]).max() / scale[one] for one in outputs)
        yield name, deviation, float(agreement.get("relativeTolerance"))
    shutil.rmtree(folder)


if __name__ == "__main__":
    for file in sys.argv[1:] or sorted(Path("dist").glob("*.fmu")):
        for experiment, deviation, allowed in compare(file):
            print(f"{Path(file).stem:30} {experiment:24} {deviation:.1e}")
            assert deviation <= allowed, f"more than {allowed:g}"
