"""The C side: the runner, and the libraries of FMUs on this platform."""

from __future__ import annotations

import atexit
import ctypes
import shutil
import tempfile
from ctypes import POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_long
from ctypes import c_size_t, c_uint, c_void_p
from functools import lru_cache
from pathlib import Path
from struct import error as StructError, unpack_from
from typing import Any

from . import BristleError
from .format.archive import LIBRARY_SUFFIX, library_suffix, opened, this_platform
from .library import Model, fmu_folders

VERSION = 5  # of the runner's interface: RUNNER_VERSION in runner.h

# The functions of an FMU in the order of the struct Fmu in runner.h.
FUNCTIONS = (
    "Instantiate FreeInstance SetupExperiment EnterInitializationMode ExitInitializationMode Reset"
    " SetReal GetReal SetInteger GetInteger SetRealInputDerivatives DoStep GetDirectionalDerivative"
    " GetFMUstate SetFMUstate FreeFMUstate NewDiscreteStates SetContinuousStates"
    " GetContinuousStates GetDerivatives GetEventIndicators GetNominalsOfContinuousStates"
).split()


_KINDS: dict[str, Any] = {
    "int": c_int,
    "unsigned": c_uint,
    "long": c_long,
    "size_t": c_size_t,
    "bool": c_bool,
    "double": c_double,
}


def struct(name: str, members: str, **kinds: Any) -> type[Structure]:
    """Makes a struct of C from its declaration: of numbers, texts, structs declared before, and the
    named kinds."""
    known, fields = _KINDS | kinds, []
    for declaration in members.split("; "):
        kind, declared = declaration.split(" ", 1)
        for one in declared.split(", "):
            bare = one.lstrip("*")
            stars, inner = len(one) - len(bare), known.get(kind)
            if stars and kind in ("char", "void"):
                stars, inner = stars - 1, c_char_p if kind == "char" else c_void_p
            for _ in range(stars):
                inner = POINTER(inner)
            fields.append((bare, inner))
    _KINDS[name] = type(name, (Structure,), {"_fields_": fields})
    return _KINDS[name]


Variables = struct("Variables", "size_t count; unsigned *references")
SampledRun = struct(  # in runner.h
    "SampledRun",
    "void *fmu; char *guid; double tolerance, seconds; int linear; Variables reals;"
    " void *real_values; Variables integers; void *integer_values; size_t n_samples; void *times;"
    " Variables signals; void *signal_values; Variables outputs; void *output_values;"
    " Variables modes; void *mode_values; Variables states, derivatives, event_modes;"
    " size_t n_indicators; void *known_steps, *lasting; Variables knowns; void *slopes;"
    " size_t done; Message message",
    Message=c_char * 512,
)


@lru_cache(maxsize=1)
def runner() -> ctypes.CDLL:
    library = beside_the_fmus("runner")
    library.runner_version.restype = c_int
    if library.runner_version() != VERSION:
        raise BristleError(
            f"{library._name}: belongs to another version of bristle; build it anew."
        )
    for function in (
        library.runner_simulate,
        library.runner_sensitivities,
        library.runner_evaluate,
    ):
        function.argtypes = [POINTER(SampledRun)]
        function.restype = c_int
    return library


def beside_the_fmus(library: str) -> ctypes.CDLL:
    """Loads one of the libraries that are built with the FMUs, for this platform."""
    name = this_platform()
    if name not in LIBRARY_SUFFIX:
        raise BristleError(
            f"bristle runs FMUs on linux64, win64 and darwin64, and this is {name}: neither FMUs"
            " nor the runner are built for it. Other tools compile an FMU from its sources."
        )
    places = [
        folder / "runner" / name / f"{library}{LIBRARY_SUFFIX[name]}" for folder in fmu_folders()
    ]
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        raise BristleError(
            f"there is no {places[0].name} for {name} in"
            f" {' or '.join(str(place.parent) for place in places)}: run ./build.sh."
        )
    return _loaded(file, str(file))


def functions(model: Model) -> ctypes.Array:
    """Looks up the functions of an FMU that the runner calls."""
    return addresses(model, tuple(FUNCTIONS))


@lru_cache(maxsize=256)
def addresses(model: Model, names: tuple[str, ...]) -> ctypes.Array:
    """Looks up functions of an FMU's library by their names in FMI, without prefix."""
    if model.version != 2:
        raise BristleError(f"{model.file}: this needs an FMU of FMI 2.0, and it is of 3.0.")
    library = library_of(model)
    try:
        found = [ctypes.cast(library[f"fmi2{one}"], c_void_p).value for one in names]
    except AttributeError as error:
        raise BristleError(f"{model.file}: its library lacks a function: {error}.") from None
    return (c_void_p * len(found))(*found)


@lru_cache(maxsize=256)
def library_of(model: Model) -> ctypes.CDLL:
    """Unpacks and loads the library of an FMU."""
    name = this_platform(model.version)
    wanted = f"binaries/{name}/{model.identifier}{library_suffix(name)}"
    with opened(model.file) as archive:
        if wanted not in archive.namelist():
            raise BristleError(
                f"{model.file}: has no library for {name}; `fmpy compile` makes one from its"
                " sources."
            )
        file = Path(
            archive.extract(wanted, tempfile.mkdtemp(dir=_unpacked(), prefix=f"{model.name}-"))
        )
    if file.suffix == ".so" and not _is_whole(file.read_bytes()):
        raise BristleError(f"{model.file}: its library for {name} is damaged.")
    return _loaded(file, f"{model.file}: its library for {name}")


def _is_whole(library: bytes) -> bool:
    """Checks that all segments of a Linux library lie within its file: the loader takes that for
    granted and crashes on a truncated one."""
    if library[:5] != b"\x7fELF\x02":
        return False
    try:
        (first,), (size, count) = unpack_from("<Q", library, 32), unpack_from("<HH", library, 54)
        parts = [unpack_from("<QQQQ", library, first + i * size + 8) for i in range(count)]
    except StructError:
        return False
    return all(offset + length <= len(library) for offset, _, _, length in parts)


def _loaded(file: Path, what: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(file))
    except OSError as error:
        reason = str(error).removeprefix(f"{file}: ")
        raise BristleError(f"{what} cannot be loaded: {reason}.") from None


@lru_cache(maxsize=1)
def _unpacked() -> str:
    """Makes a folder for the libraries in use, removed at the end of the process."""
    folder = tempfile.mkdtemp(prefix="bristle-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
