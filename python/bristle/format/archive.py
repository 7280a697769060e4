"""The FMU as a file: a zip that depends on its content alone, not on time, machine or order of
files."""

from __future__ import annotations

import platform
import re
import stat
import sys
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from .. import BristleError
from ..cli.files import writing
from .parameter_set import document
from .sources import UNIT

TIMESTAMP = (1980, 1, 1, 0, 0, 0)
LARGEST_DESCRIPTION = 16 << 20  # bytes
LARGEST = 256 << 20  # bytes, unpacked: ours have 2 MiB, and all of it may have to fit into memory
PAGE = "documentation/index.html"
# Suffixes of libraries by platform of FMI 2.0 and by operating system of FMI 3.0
LIBRARY_SUFFIX = {"linux64": ".so", "win64": ".dll", "darwin64": ".dylib"}
SYSTEM_SUFFIX = {"linux": ".so", "windows": ".dll", "darwin": ".dylib"}


def library_suffix(platform: str) -> str:
    """Returns the suffix of libraries for a platform of either version; "" if it is unknown."""
    return LIBRARY_SUFFIX.get(platform) or SYSTEM_SUFFIX.get(platform.rpartition("-")[2], "")


def this_platform(version: int = 2) -> str:
    """Returns the platform's name in a version of FMI."""
    machine = platform.machine().lower()
    if version == 3:
        system = {"win32": "windows"}.get(sys.platform, sys.platform)
        names = {"amd64": "x86_64", "arm64": "aarch64"}
        return f"{names.get(machine, machine)}-{system}"
    if sys.platform == "darwin":
        return "darwin64"
    if machine in ("x86_64", "amd64"):
        return {"linux": "linux64", "win32": "win64"}.get(sys.platform, sys.platform)
    return f"{sys.platform} on {machine}"


def write_zip(fmu: Path, content: dict[str, bytes]) -> None:
    with (
        writing(fmu, "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, TIMESTAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, so that an unzipped library is executable
            entry.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            archive.writestr(entry, data, compresslevel=9)


@contextmanager
def opened(fmu: Path) -> Iterator[zipfile.ZipFile]:
    """Opens an FMU for reading; any fault of the file, now or while it is read, becomes one
    sentence."""
    try:
        with zipfile.ZipFile(fmu) as archive:
            _check_members(fmu, archive)
            yield archive
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        LookupError,
        RecursionError,
    ):
        raise BristleError(f"{fmu}: not an FMU, the zip file cannot be read.") from None
    except OSError as error:
        if error.filename:
            raise
        raise BristleError(
            f"{fmu}: not an FMU, the zip file refers to places outside it."
        ) from None


def _check_members(fmu: Path, archive: zipfile.ZipFile) -> None:
    """Refuses members that would be unpacked elsewhere, twice or as a link, and more than memory
    should hold."""
    seen = set()
    for entry in archive.infolist():
        name = PurePosixPath(entry.filename)
        if (
            name.is_absolute()
            or ".." in name.parts
            or re.search(r"[\\:\0-\x1f]", entry.orig_filename)
        ):
            raise BristleError(f"{fmu}: not an FMU, {entry.filename!r} lies outside of it.")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise BristleError(f"{fmu}: not an FMU, {entry.filename} is a link.")
        if name in seen:
            raise BristleError(f"{fmu}: not an FMU, it has {entry.filename} twice.")
        seen.add(name)
    if (size := sum(entry.file_size for entry in archive.infolist())) > LARGEST:
        raise BristleError(
            f"{fmu}: unpacked it would have {size >> 20} MiB, more than {LARGEST >> 20}."
        )


def contents(fmu: Path) -> tuple[ElementTree.Element, list[str]]:
    """Reads the model description of an FMU and the names of its members."""
    with opened(fmu) as archive:
        names = archive.namelist()
        if "modelDescription.xml" not in names:
            raise BristleError(f"{fmu}: not an FMU, it has no modelDescription.xml.")
        if archive.getinfo("modelDescription.xml").file_size > LARGEST_DESCRIPTION:
            raise BristleError(
                f"{fmu}: not an FMU, its modelDescription.xml is larger than"
                f" {LARGEST_DESCRIPTION >> 20} MiB."
            )
        text = archive.read("modelDescription.xml")
    return document(text, f"{fmu}: modelDescription.xml"), names


def page_of(fmu: Path) -> str:
    """Reads the documentation inside an FMU; "" if it has none."""
    with opened(fmu) as archive:
        return archive.read(PAGE).decode(errors="replace") if PAGE in archive.namelist() else ""


def platforms(names: Collection[str]) -> list[str]:
    """Lists the platforms that an FMU with these members runs on, and "sources" if it has them."""
    found = dict.fromkeys(name.split("/")[1] for name in names if name.startswith("binaries/"))
    return [*found, *(["sources"] if f"sources/{UNIT}" in names else [])]
