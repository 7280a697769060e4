"""Reference results inside an FMU, after the draft of FMI-LS-REF: experiments run with its own
library when the file was made, so that anyone can repeat them in an importer. A stimulus gives the
inputs at the communication points. An importer sets them there, holds them over the step and
records the outputs at the end of it, as most masters do.
"""

from __future__ import annotations

import ctypes
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from .. import BristleError
from .archive import library_suffix, this_platform
from .experiments import REVERSAL, STEP, STEPS, Experiment, Input, experiments_of, held
from .hosting import Instance, instance
from .parameter_set import document, document_text, values_of
from .variables import variables_of, version_of

FOLDER = "extra/org.fmi-standard.fmi-ls-ref"
NOTE = "documentation/fmi-ls-ref.txt"
MANIFEST = "http://fmi-standard.org/fmi-ls-manifest"
SOLVER = 1e-9  # tolerance of the solver
TOLERANCE = 1e-6  # of the results: rounding changes the solver's choices from platform to platform
FORCES = ("N", "N.m")  # units of the outputs that are compared
OBSERVED = "estimatedLoad"  # zero without couplingMass
NOTE_TEXT = f"""Reference results of this FMU, in {FOLDER}

<experiment>_in.csv   inputs at the communication points, every {STEP:g} s
<experiment>_out.csv  forces and torques that follow, by co-simulation
A parameter set that has the label of an experiment is applied before it. At each communication
point the inputs are set, and held over the step; the outputs are recorded at the end of each step,
and at the start. With the solverTolerance of fmi-ls-manifest.xml as the tolerance of the experiment
a result differs from its reference by no more than relativeTolerance times the largest magnitude in
its column. In FMI 3.0 a vector is one column, with blanks between its elements.
"""


def with_references(content: Mapping[str, bytes]) -> dict[str, bytes]:
    """Adds reference results to the files of an FMU; none if it has no library for this machine."""
    files = {name: data for name, data in content.items() if not _is_reference(name)}
    return files | references(files)


def references(content: Mapping[str, bytes]) -> dict[str, bytes]:
    """Makes the reference results of an FMU; none if it has no library for this machine."""
    root = document(content["modelDescription.xml"], "modelDescription.xml")
    identifier = root.find("CoSimulation").get("modelIdentifier")  # type: ignore[union-attr]
    platform = this_platform(version_of(root))
    library = f"binaries/{platform}/{identifier}{library_suffix(platform)}"
    if library not in content:
        return {}
    sets = sorted(name for name in content if name.endswith(".ssv"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Path(folder, library)
        place.parent.mkdir(parents=True)
        place.write_bytes(content[library])
        try:
            functions = ctypes.CDLL(str(place))
        except OSError as error:
            raise BristleError(f"{place.name}: cannot be loaded: {error}.") from None
        found = _references(root, functions, content, sets)
        return in_vectors(found) if version_of(root) == 3 else found


def _is_reference(name: str) -> bool:
    return name.startswith(f"{FOLDER}/") or name == NOTE


def _references(
    root: ElementTree.Element, functions: ctypes.CDLL, files: Mapping[str, bytes], sets: list[str]
) -> dict[str, bytes]:
    variables = variables_of(root)
    inputs = {
        one.name: Input(one.start or 0.0, 1.0 if one.nominal is None else one.nominal)
        for one in variables
        if one.causality == "input"
    }
    starts = {one.name: float(one.start or 0) for one in variables}
    reals = [one for one in variables if one.causality == "output" and one.is_real]
    forces = [one for one in reals if one.unit in FORCES and not one.name.startswith(OBSERVED)]
    outputs = [one.name for one in forces or reals]
    places = {one.name: one.reference for one in variables}
    found: dict[str, bytes] = {NOTE: NOTE_TEXT.encode()}
    experiments, made = experiments_of(inputs, starts), []
    labelled = {sets[0]: REVERSAL} if sets and experiments[-1].name == REVERSAL else {}
    for one in experiments:
        motions = [one.motions.get(name, held(i.start)) for name, i in inputs.items()]
        stimulus = _csv(list(inputs), [[at(k) for at in motions] for k in range(STEPS + 1)])
        values: dict[int, float | int] = {}
        for file in (file for file, label in labelled.items() if label == one.name):
            values |= _values(files[file], file, places)
        try:
            results = _run(
                instance(functions, root),
                values,
                [places[name] for name in inputs],
                [[float(v) for v in row.split(",")[1:]] for row in stimulus.split("\n")[1:-1]],
                [places[name] for name in outputs],
            )
        except BristleError:
            continue  # this element refuses such a motion
        made.append(one)
        found[f"{FOLDER}/{one.name}_in.csv"] = stimulus.encode()
        found[f"{FOLDER}/{one.name}_out.csv"] = _csv(outputs, results).encode()
    found[f"{FOLDER}/fmi-ls-manifest.xml"] = _manifest(made, sets, labelled).encode()
    return found


def _values(ssv: bytes, file: str, places: Mapping[str, int]) -> dict[int, float | int]:
    """Reads the numbers of a parameter set, by value reference."""
    found: dict[int, float | int] = {}
    for name, (value, _) in values_of(ssv, file).items():
        if name not in places or isinstance(value, str):
            raise BristleError(f"{file}: {name} = {value} is no number of this model.")
        found[places[name]] = value
    return found


def _run(
    fmu: Instance,
    values: Mapping[int, float | int],
    inputs: list[int],
    table: list[list[float]],
    outputs: list[int],
) -> list[list[float]]:
    """Returns the outputs at the end of every step."""
    try:
        fmu.begin(SOLVER, 0.0, values, dict(zip(inputs, table[0], strict=True)))
        results = [fmu.take(outputs)]
        for k, row in enumerate(table[:-1]):
            fmu.put(dict(zip(inputs, row, strict=True)))
            fmu.step(k * STEP, (k + 1) * STEP - k * STEP)
            results.append(fmu.take(outputs))
    finally:
        fmu.free()
    return results


def _csv(names: list[str], rows: list[list[float]]) -> str:
    lines = [",".join(["time", *(f'"{name}"' for name in names)])]
    lines += [",".join(f"{v:.9g}" for v in (k * STEP, *row)) for k, row in enumerate(rows)]
    return "\n".join(lines) + "\n"


def in_vectors(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Joins the columns of each vector into one, as FMI 3.0 has them."""
    return {
        name: _joined_columns(data.decode()).encode() if name.endswith(".csv") else data
        for name, data in files.items()
    }


def _joined_columns(csv: str) -> str:
    head, *rows = (line.split(",") for line in csv.splitlines())
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(head):
        groups.setdefault(re.sub(r"\[\d+\]", "", name), []).append(i)
    lines = [",".join(groups)]
    lines += [",".join(" ".join(row[i] for i in one) for one in groups.values()) for row in rows]
    return "\n".join(lines) + "\n"


def _manifest(experiments: list[Experiment], sets: list[str], labelled: Mapping[str, str]) -> str:
    ElementTree.register_namespace("fmi-ls", MANIFEST)
    about = {
        "fmi-ls-name": "org.fmi-standard.fmi-ls-ref",
        "fmi-ls-version": "1.0.0-alpha.1",
        "fmi-ls-description": (
            "Layered Standard providing information on related files included in an FMU."
        ),
    }
    root = ElementTree.Element(
        "fmiReferences", {f"{{{MANIFEST}}}{name}": text for name, text in about.items()}
    )

    def add(source: str, kind: str, role: str, text: str, label: str | None) -> ElementTree.Element:
        related = ElementTree.SubElement(
            root, "Related", {"type": kind, "source": source, "role": role, "description": text}
        )
        if label:
            ElementTree.SubElement(related, "Label", {"name": f"experiment:{label}"})
        return related

    for file in sets:
        name = Path(file).stem
        kind = "application/x-ssp-parameter-set"
        add(f"../../{file}", kind, "parameter", f"Parameter set {name}", labelled.get(file))
    for one in experiments:
        add(f"{one.name}_in.csv", "text/csv", "experiment/smoke-test", one.text, one.name)
        text = "Outputs at the end of each step"
        result = add(f"{one.name}_out.csv", "text/csv", "result", text, one.name)
        annotations = ElementTree.SubElement(result, "Annotations")
        annotation = ElementTree.SubElement(annotations, "Annotation", {"type": "bristle"})
        ElementTree.SubElement(
            annotation,
            "Agreement",
            {"solverTolerance": f"{SOLVER:g}", "relativeTolerance": f"{TOLERANCE:g}"},
        )
    return document_text(root)
