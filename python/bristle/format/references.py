"""Reference results inside an FMU, after the draft of FMI-LS-REF: experiments that its own library
was taken through when the file was made, so that anyone can repeat them where it is imported.

A stimulus gives the inputs at the communication points. An importer sets them there, holds them
over the step and records the outputs at the end of it, as most masters do.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Iterator, Mapping
from ctypes import CFUNCTYPE, Structure, byref, c_char_p, c_double, c_int, c_size_t
from ctypes import c_uint, c_void_p
from pathlib import Path
from xml.etree import ElementTree

from .. import BristleError
from .archive import LIBRARY_SUFFIX, this_platform
from .experiments import REVERSAL, STEP, STEPS, Experiment, Input, experiments_of, held
from .parameter_set import NAMESPACE, document_text

FOLDER = "extra/org.fmi-standard.fmi-ls-ref"
NOTE = "documentation/fmi-ls-ref.txt"
MANIFEST = "http://fmi-standard.org/fmi-ls-manifest"
SOLVER = 1e-9  # tolerance that the solver is given
TOLERANCE = 1e-6  # of the results: two platforms differ by rounding, through the solver's choices
FORCES = ("N", "N.m")  # units of the outputs that are compared
OBSERVED = "estimatedLoad"  # is nothing without couplingMass
NOTE_TEXT = f"""Reference results of this FMU, in {FOLDER}

<experiment>_in.csv   inputs at the communication points, every {STEP:g} s
<experiment>_out.csv  forces and torques that follow, by co-simulation
A parameter set that has the label of an experiment is applied before it. At each communication
point the inputs are set, and held over the step; the outputs are recorded at the end of each step,
and at the start. With the solverTolerance of fmi-ls-manifest.xml as the tolerance of the experiment
a result differs from its reference by no more than relativeTolerance times the largest magnitude in
its column.
"""


def with_references(content: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of an FMU with reference results of its own; with none where it has no library for
    this machine."""
    files = {name: data for name, data in content.items() if not _is_reference(name)}
    root = ElementTree.fromstring(content["modelDescription.xml"])
    identifier = root.find("CoSimulation").get("modelIdentifier")  # type: ignore[union-attr]
    platform = this_platform()
    library = f"binaries/{platform}/{identifier}{LIBRARY_SUFFIX.get(platform, '')}"
    if library not in files:
        return files
    sets = sorted(name for name in files if name.endswith(".ssv"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Path(folder, library)
        place.parent.mkdir(parents=True)
        place.write_bytes(files[library])
        return files | _references(root, _Library(place, root.get("guid", "")), files, sets)


def _is_reference(name: str) -> bool:
    return name.startswith(f"{FOLDER}/") or name == NOTE


def _references(
    root: ElementTree.Element, library: _Library, files: Mapping[str, bytes], sets: list[str]
) -> dict[str, bytes]:
    variables = list(root.iterfind("ModelVariables/ScalarVariable"))
    inputs = {
        one.get("name", ""): Input(float(one[0].get("start", 0)), float(one[0].get("nominal", 1)))
        for one in variables
        if one.get("causality") == "input"
    }
    starts = {one.get("name", ""): float(one[0].get("start", 0)) for one in variables}
    units = {
        one.get("name", ""): one[0].get("unit")
        for one in variables
        if one.get("causality") == "output" and one[0].tag == "Real"
    }
    forces = [n for n, unit in units.items() if unit in FORCES and not n.startswith(OBSERVED)]
    outputs = forces or list(units)
    references = {one.get("name", ""): int(one.get("valueReference", 0)) for one in variables}
    found: dict[str, bytes] = {NOTE: NOTE_TEXT.encode()}
    experiments, made = experiments_of(inputs, starts), []
    labelled = {sets[0]: REVERSAL} if sets and experiments[-1].name == REVERSAL else {}
    for one in experiments:
        motions = [one.motions.get(name, held(i.start)) for name, i in inputs.items()]
        stimulus = _csv(list(inputs), [[at(k) for at in motions] for k in range(STEPS + 1)])
        chosen = [file for file, label in labelled.items() if label == one.name]
        try:
            results = library.run(
                {references[n]: value for file in chosen for n, value in _values(files[file])},
                [references[name] for name in inputs],
                [[float(v) for v in row.split(",")[1:]] for row in stimulus.split("\n")[1:-1]],
                [references[name] for name in outputs],
            )
        except BristleError:
            continue  # this element refuses such a motion
        made.append(one)
        found[f"{FOLDER}/{one.name}_in.csv"] = stimulus.encode()
        found[f"{FOLDER}/{one.name}_out.csv"] = _csv(outputs, results).encode()
    found[f"{FOLDER}/fmi-ls-manifest.xml"] = _manifest(made, sets, labelled).encode()
    return found


def _csv(names: list[str], rows: list[list[float]]) -> str:
    lines = [",".join(["time", *(f'"{name}"' for name in names)])]
    lines += [",".join(f"{v:.9g}" for v in (k * STEP, *row)) for k, row in enumerate(rows)]
    return "\n".join(lines) + "\n"


def _values(ssv: bytes) -> Iterator[tuple[str, float | int]]:
    for one in ElementTree.fromstring(ssv).iter(f"{{{NAMESPACE}}}Parameter"):
        kind = int if one[0].tag.endswith("Integer") else float
        yield one.get("name", ""), kind(one[0].get("value", ""))


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


_LOGGER = CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p, c_char_p)
_ALLOCATE = CFUNCTYPE(c_void_p, c_size_t, c_size_t)
_FREE = CFUNCTYPE(None, c_void_p)


class _Callbacks(Structure):
    _fields_ = [
        ("logger", _LOGGER),
        ("allocate", _ALLOCATE),
        ("free", _FREE),
        ("step_finished", c_void_p),
        ("environment", c_void_p),
    ]


class _Library:
    """The library of an FMU, for co-simulation."""

    def __init__(self, file: Path, guid: str) -> None:
        self.guid = guid.encode()
        self.said: list[str] = []
        self.rooms: list[ctypes.Array] = []
        self.callbacks = _Callbacks(
            _LOGGER(lambda *message: self.said.append(message[-1].decode(errors="replace"))),
            _ALLOCATE(self._allocate),
            _FREE(lambda address: None),  # rooms go with the library
        )
        try:
            self.functions = ctypes.CDLL(str(file))
        except OSError as error:
            raise BristleError(f"{file.name}: cannot be loaded: {error}.") from None
        self.functions.fmi2Instantiate.restype = c_void_p

    def _allocate(self, count: int, size: int) -> int:
        self.rooms.append(ctypes.create_string_buffer(count * size))
        return ctypes.addressof(self.rooms[-1])

    def run(
        self,
        parameters: Mapping[int, float | int],
        inputs: list[int],
        table: list[list[float]],
        outputs: list[int],
    ) -> list[list[float]]:
        """The outputs at every communication point, variables by their value references."""
        component = self.functions.fmi2Instantiate(
            b"reference", 1, self.guid, b"", byref(self.callbacks), 0, 0
        )
        if not component:
            raise BristleError(f"no reference results: {' '.join(self.said)}")

        def call(function: str, *arguments: object) -> None:
            status = getattr(self.functions, f"fmi2{function}")(c_void_p(component), *arguments)
            if status != 0:
                raise BristleError(f"no reference results: fmi2{function}: {' '.join(self.said)}")

        def put(row: list[float]) -> None:
            values = (c_double * len(row))(*row)
            call("SetReal", (c_uint * len(inputs))(*inputs), c_size_t(len(inputs)), values)

        def taken() -> list[float]:
            values = (c_double * len(outputs))()
            call("GetReal", (c_uint * len(outputs))(*outputs), c_size_t(len(outputs)), values)
            return list(values)

        call("SetupExperiment", 1, c_double(SOLVER), c_double(0), 0, c_double(0))
        for reference, value in parameters.items():
            one = (byref(c_uint(reference)), c_size_t(1))
            if isinstance(value, int):
                call("SetInteger", *one, byref(c_int(value)))
            else:
                call("SetReal", *one, byref(c_double(value)))
        call("EnterInitializationMode")
        put(table[0])
        call("ExitInitializationMode")
        results = [taken()]
        for k, row in enumerate(table[:-1]):
            put(row)
            call("DoStep", c_double(k * STEP), c_double((k + 1) * STEP - k * STEP), 1)
            results.append(taken())
        call("Terminate")
        self.functions.fmi2FreeInstance(c_void_p(component))
        return results
