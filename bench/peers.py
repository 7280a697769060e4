"""FMUs of any origin beside ours: which of their variables are meant, and what can be measured."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from fmpy import extract, read_model_description
from fmpy.model_description import ModelDescription, ScalarVariable

HERE = Path(__file__).resolve().parent
PYTHONFMU = "pythonfmu==0.7.0"
FORCE, VELOCITY, NORMAL = "frictionForce", "relativeVelocity", "normalForce"
DESCRIPTION = "modelDescription.xml"
PATIENCE = 60  # seconds for a round that takes milliseconds


class Unusable(Exception):
    """A sentence that says why an FMU cannot be measured."""


@dataclass(frozen=True)
class Peer:
    """An FMU of one kind, cycle (model exchange) or step (co-simulation)."""

    label: str
    kind: str
    fields: tuple[object, ...]  # as bench/measurements.h lists them

    def argument(self, build: Path) -> str:
        return "|".join(str(field) for field in (self.label.replace("|", "/"), *self.fields))


def names_from(text: str) -> dict[str, str]:
    """`relativeVelocity=v,normalForce=fn` as a dictionary."""
    pairs = [item.partition("=") for item in text.split(",") if item]
    for ours, sign, theirs in pairs:
        if not (ours and sign and theirs):
            raise Unusable(f'--map: "{ours}{sign}{theirs}" is not our name=its name.')
    return {ours: theirs for ours, _, theirs in pairs}


def described(file: Path) -> ModelDescription:
    if not zipfile.is_zipfile(file):
        raise Unusable(f"{file}: there is no FMU of this name, or it is not a zip file.")
    try:
        with zipfile.ZipFile(file) as archive:
            version = ElementTree.fromstring(archive.read(DESCRIPTION)).get("fmiVersion")
        about = read_model_description(file, validate=False) if version == "2.0" else None
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise Unusable(f"{file}: its {DESCRIPTION} cannot be used: {reason}.") from error
    if about is None:
        raise Unusable(f"{file}: it is made for FMI {version}; only 2.0 can be measured.")
    return about


def read(
    file: Path, label: str, names: dict[str, str], values: dict[str, float]
) -> tuple[list[Peer], list[str]]:
    """What can be measured of an FMU, which is unpacked until the end of the program, and sentences
    about the rest. The values are set where the FMU has a parameter of that name."""
    about = described(file)
    variables = {one.name: one for one in about.modelVariables if one.type == "Real"}

    def find(name: str, causality: str) -> ScalarVariable | None:
        found = variables.get(names.get(name, name)) or variables.get(name)
        return found if found and found.causality == causality else None

    def needed(name: str, causality: str) -> ScalarVariable:
        variable = find(name, causality)
        if variable is None:
            theirs = ", ".join(n for n, one in variables.items() if one.causality == causality)
            raise Unusable(
                f"{file}: it has no {causality} {names.get(name, name)}, but {theirs or 'none'};"
                f" --map {name}=its name says which is meant."
            )
        return variable

    force, velocity = needed(FORCE, "output"), needed(VELOCITY, "input")
    said = [f"{label} has no variable {one}." for one in names.values() if one not in variables]
    normal = find(NORMAL, "input")
    if normal is None:
        said.append(f"{label} has no input {NORMAL}: its normal force is its own.")
    parameters = [
        f"{variable.valueReference}={value!r}"
        for name, value in values.items()
        if (variable := find(name, "parameter"))
    ]
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    extract(file, folder)
    found = []
    for kind, interface, lack in (
        ("cycle", about.modelExchange, "model exchange: its cycle is"),
        ("step", about.coSimulation, "co-simulation: its steps are"),
    ):
        if interface is None:
            said.append(f"{label} has no {lack} not measured.")
            continue
        library = folder / "binaries" / "linux64" / f"{interface.modelIdentifier}.so"
        if not library.is_file():
            raise Unusable(f"{file}: it has no binary for this platform (binaries/linux64).")
        fields = (
            library,
            about.guid,
            (folder / "resources").as_uri(),
            about.numberOfContinuousStates or 0,
            force.valueReference,
            velocity.valueReference,
            normal.valueReference if normal else "-",
            *parameters,
        )
        found.append(Peer(label, kind, fields))
    if not found:
        raise Unusable(f"{file}: it has neither model exchange nor co-simulation.")
    return found, said


def starts(file: Path) -> dict[str, float]:
    """The real parameters of an FMU, as they start."""
    return {
        one.name: float(one.start)
        for one in described(file).modelVariables
        if one.causality == "parameter" and one.type == "Real"
    }


def complaint(build: Path, before: tuple[str, ...], peer: Peer) -> str:
    """Why a peer does not run, by one round of it in a process of its own; empty if it does."""
    command = [*before, str(build / "bench"), peer.kind, "1", peer.argument(build)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"a round takes more than {PATIENCE} s"
    if done.returncode < 0:
        return f"it ends the program with signal {-done.returncode}"
    said = [line.removeprefix("bench: ").rstrip(".") for line in done.stderr.splitlines()]
    # The call that failed comes after what the FMU says about it.
    return ": ".join(said[:-3:-1] or ["it ends the program"]) if done.returncode else ""


def environment() -> tuple[str, ...]:
    """What goes before the command, so that FMUs made by PythonFMU find a Python."""
    python = Path(sysconfig.get_config_var("LIBDIR")) / sysconfig.get_config_var("LDLIBRARY")
    if python.suffix != ".so" or not python.is_file():
        return ()
    return ("env", f"LD_PRELOAD={python}")


def pythonfmu_lugre(build: Path) -> Path:
    """LuGre as an FMU of PythonFMU, made here, since its binary belongs to this Python."""
    packages = build / PYTHONFMU.replace("==", "-")
    install = ("pip", "install", "--quiet", "--no-deps", "--target", str(packages), PYTHONFMU)
    make = ("pythonfmu", "build", "-f", str(HERE / "pythonfmu_lugre.py"), "-d", str(packages))
    for words in (install, make):
        if words is install and (packages / "pythonfmu").is_dir():
            continue
        done = subprocess.run(
            [sys.executable, "-m", *words],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(packages)},
        )
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason is given"])[-1]
            raise Unusable(f"PythonFMU's LuGre cannot be made: {reason.rstrip('.')}.")
    return packages / "LuGre.fmu"


def measurable(
    ours: Path, files: list[Path], names: dict[str, str], build: Path, alone: bool
) -> tuple[list[Peer], list[str]]:
    """Our LuGre, PythonFMU's if not alone, and the files given, as far as they can be measured, and
    sentences about the rest. A file of which nothing can be measured is refused."""
    values = starts(ours)
    entries, said = read(ours, ours.stem, {}, {})
    if strange := sorted(set(names) - {*values, FORCE, VELOCITY, NORMAL}):
        raise Unusable(f"--map: {ours.stem} has no variable {strange[0]}.")
    guests = [(file, str(file), names) for file in files]
    try:
        if not alone:
            guests.insert(0, (pythonfmu_lugre(build), "PythonFMU's LuGre", {}))
    except Unusable as error:
        said.append(str(error))
    for file, label, own in guests:
        found, more = read(file, label, own, values)
        reasons = [complaint(build, environment(), peer) for peer in found]
        if all(reasons) and file in files:
            raise Unusable(f"{file}: it cannot be measured: {reasons[0]}.")
        said += more
        for peer, reason in zip(found, reasons, strict=True):
            if reason:
                said.append(f"The {peer.kind} of {label} cannot be measured: {reason}.")
            else:
                entries.append(peer)
    return entries, said
