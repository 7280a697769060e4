"""Every FMU in the folder BRISTLE_FMUS (default: dist/): FMUS, and TWINS with the model that each
is the twin of.

The folder may hold a part of the collection, down to a single FMU for a single platform: see
COMPLETE and PLATFORMS.
"""

import atexit
import os
import shutil
import tempfile
import tomllib
import zipfile
from functools import cached_property
from pathlib import Path

from description import Description
from fmi2 import CO_SIMULATION, MODEL_EXCHANGE, Instance, Library

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("BRISTLE_FMUS", REPOSITORY / "dist")).resolve()
os.environ["BRISTLE_FMUS"] = str(FOLDER)  # the package searches them there


class Fmu:
    """One FMU file, unpacked on first use."""

    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.description = Description(path)

    @cached_property
    def folder(self):
        folder = Path(tempfile.mkdtemp(prefix=f"{self.name}-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        with zipfile.ZipFile(self.path) as archive:
            archive.extractall(folder)
        return folder

    @property
    def binary(self):
        return self.folder / "binaries" / "linux64" / f"{self.description.identifier}.so"

    @cached_property
    def resource_location(self):
        return (self.folder / "resources").as_uri()

    @cached_property
    def library(self):
        return Library(self.binary)

    def model_exchange(self, **options):
        return Instance(self, MODEL_EXCHANGE, **options)

    def co_simulation(self, **options):
        return Instance(self, CO_SIMULATION, **options)

    def instance(self, kind, **options):
        return Instance(self, kind, **options)

    def started(self, kind, values=None, **experiment):
        """Returns an initialized instance."""
        return Instance(self, kind).start(values, **experiment)

    def in_model_exchange(self, values=None, **experiment):
        return self.started(MODEL_EXCHANGE, values, **experiment)

    def in_co_simulation(self, values=None, **experiment):
        return self.started(CO_SIMULATION, values, **experiment)

    def __repr__(self):
        return self.name


TWIN_SUFFIXES = [
    file.stem for file in sorted((REPOSITORY / "modelDescription" / "twins").glob("*.toml"))
]


def _twin_of(name):
    """Returns the model whose twin has this name; None if it is no twin."""
    return next(
        (name.removesuffix(suffix) for suffix in TWIN_SUFFIXES if name.endswith(suffix)), None
    )


# Twins are tested by comparison with their models (test_twins.py), not by running everything twice.
_ALL = [Fmu(path) for path in sorted(FOLDER.glob("*.fmu"))]
FMUS = [fmu for fmu in _ALL if _twin_of(fmu.name) is None]
TWINS = [(fmu, model) for fmu in _ALL for model in FMUS if model.name == _twin_of(fmu.name)]
COMPLETE = {path.stem for path in (REPOSITORY / "modelDescription").glob("[A-Z]*.toml")} <= {
    fmu.name for fmu in FMUS
}
MUST_BE_COMPLETE = False  # set by --complete
PLATFORMS = list(
    dict.fromkeys(
        name.split("/")[1]
        for fmu in _ALL
        for name in zipfile.ZipFile(fmu.path).namelist()
        if name.startswith("binaries/")
    )
)


def files_of(path):
    """Returns the files in an FMU by their names."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def published(name):
    """Returns the values of a parameter set of the papers."""
    file = REPOSITORY / "resources" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))["values"]


def need_all_fmus():
    """Leaves out a module that takes FMUs by their names if some are missing."""
    if not COMPLETE and not MUST_BE_COMPLETE:
        import pytest  # only tests call this

        pytest.skip("not all FMUs are there", allow_module_level=True)


def stored_modes(description):
    """Returns how many modes and options an instance has, with those that are not in the XML."""
    described = tomllib.loads(
        (REPOSITORY / "modelDescription" / f"{description.name}.toml").read_text(encoding="utf-8")
    ).get("modes", {})
    hidden = sum(mode.get("size", 1) for mode in described.values() if not mode.get("output"))
    return max(
        len(description.modes) + hidden + len(description.select("parameter", "Integer")), 1
    )  # a struct is never empty


def stored_of_impact(description):
    """Returns how many numbers of an impact an instance stores: Rebound in core/instance.h,
    Pressing in solver/contact_prediction.c."""
    return 13 if description.takes("penetrationRate") or "contactForce[1]" in description else 0
