"""The FMU: a zip that depends on its content alone, not on time, machine or order of files."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from . import BristleError
from .cli.files import writing
from .sources import UNIT, fmi_headers, included_files, shipped_name, shipped_text

TIMESTAMP = (1980, 1, 1, 0, 0, 0)
LARGEST_DESCRIPTION = 16 << 20  # bytes
LIBRARY_SUFFIX = {"linux64": ".so", "win64": ".dll", "darwin64": ".dylib"}


def write_package(
    fmu: Path, generated: Path, source: Path, fmi_include: Path, license_file: Path, libraries: list[Path]
) -> None:
    """Packs the generated files, the sources and the libraries (…/<platform>/<Model>.<suffix>)."""
    content: dict[str, bytes] = {}
    content["modelDescription.xml"] = (generated / "modelDescription.xml").read_bytes()
    content["model.png"] = (generated / "model.png").read_bytes()
    content["documentation/index.html"] = (generated / "documentation" / "index.html").read_bytes()
    content["documentation/licenses/license.txt"] = license_file.read_bytes()
    content["documentation/licenses/fmi_headers.txt"] = _notice(fmi_include / "fmi2Functions.h").encode()
    for file in sorted((generated / "resources").glob("*.ssv")):
        content[f"resources/{file.name}"] = file.read_bytes()
    for name, file in included_files(UNIT, (generated, source)).items():
        content[f"sources/{shipped_name(name)}"] = shipped_text(name, file.read_text(encoding="utf-8")).encode()
    for name, file in fmi_headers(fmi_include).items():
        content[f"sources/{name}"] = file.read_bytes()
    for library in libraries:
        content[f"binaries/{_platform(library)}/{library.name}"] = library.read_bytes()
    write_zip(fmu, content)


def _notice(header: Path) -> str:
    """The copyright notice in the first comment of a header."""
    text = header.read_text(encoding="utf-8")
    start, end = text.find("Copyright"), text.find("*/")
    if not 0 <= start < end:
        raise BristleError(f"{header}: has no copyright notice.")
    return "\n".join(line.removeprefix("   ").rstrip() for line in text[start:end].splitlines()) + "\n"


def _platform(library: Path) -> str:
    platform = library.parent.name
    if library.suffix != LIBRARY_SUFFIX.get(platform):
        raise BristleError(f"{library}: a library has to be <platform>/<Model>.<suffix>, as linux64/LuGre.so.")
    return platform


def write_zip(fmu: Path, content: dict[str, bytes]) -> None:
    with writing(fmu, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, TIMESTAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # with the rights of Unix, so that an unzipped library can be loaded
            entry.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            archive.writestr(entry, data)


def contents(fmu: Path) -> tuple[ElementTree.Element, list[str]]:
    """The model description of an FMU and the names of its members; whatever the file is, a clear word."""
    try:
        with zipfile.ZipFile(fmu) as archive:
            if archive.getinfo("modelDescription.xml").file_size > LARGEST_DESCRIPTION:
                raise BristleError(f"{fmu}: not an FMU, its modelDescription.xml is larger than {LARGEST_DESCRIPTION >> 20} MiB.")
            return ElementTree.fromstring(archive.read("modelDescription.xml")), archive.namelist()
    except KeyError:
        raise BristleError(f"{fmu}: not an FMU, it has no modelDescription.xml.") from None
    except ElementTree.ParseError as error:
        raise BristleError(f"{fmu}: its modelDescription.xml cannot be read: {error}.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, LookupError, RecursionError):
        raise BristleError(f"{fmu}: not an FMU, the zip file cannot be read.") from None
    except OSError as error:
        if error.filename:
            raise
        raise BristleError(f"{fmu}: not an FMU, the zip file leads to places that are not in it.") from None


def summaries(folder: Path) -> Iterator[str]:
    """One line per FMU of a folder: name, kinds, platforms, size."""
    files = sorted(folder.glob("*.fmu"))
    if not files:
        raise BristleError(f"{folder}: there is no FMU.")
    width = max(len(file.name) for file in files)
    for file in files:
        root, names = contents(file)
        kinds = [kind for kind in ("ModelExchange", "CoSimulation") if root.find(kind) is not None]
        platforms = [name.split("/")[1] for name in names if name.startswith("binaries/")]
        if f"sources/{UNIT}" in names:
            platforms.append("sources")
        size = file.stat().st_size / 1000
        yield f"{file.name:{width}}  {' + '.join(kinds)}  {', '.join(platforms)}  {size:.0f} kB"
