"""Packs the FMU: generated files, sources and libraries in one file."""

from __future__ import annotations

from pathlib import Path

from bristle import BristleError
from bristle.format.archive import PAGE, library_suffix
from bristle.format.sources import BUILD
from .sources import fmi_headers, shipped_sources, unit_name
from .xml3 import ICON, TERMINALS


def content(
    generated: Path,
    source: Path,
    fmi_include: Path,
    license_file: Path,
    libraries: list[Path],
    version: int = 2,
) -> dict[str, bytes]:
    """Returns the files of the FMU for a version of FMI: generated ones, sources and libraries
    (…/<platform>/<Model>.<suffix>)."""
    own = (generated / unit_name(version)).parent
    files = {"modelDescription.xml": own / "modelDescription.xml"}
    if version == 2:
        files["model.png"] = generated / "model.png"
    else:
        files[TERMINALS] = own / TERMINALS
        files[ICON] = generated / "model.png"
        files[f"sources/{BUILD}"] = own / "sources" / BUILD
    files[PAGE] = generated / "documentation" / "index.html"
    files["documentation/licenses/license.txt"] = license_file
    for file in sorted((generated / "resources").iterdir()):
        files[f"resources/{file.name}"] = file
    for name, file in fmi_headers(fmi_include, [version]).items():
        files[f"sources/{name}"] = file
    for library in libraries:
        files[f"binaries/{_platform(library)}/{library.name}"] = library
    found = {name: file.read_bytes() for name, file in files.items()}
    notice = _notice(fmi_include / f"fmi{version}Functions.h")
    found["documentation/licenses/fmi_headers.txt"] = notice.encode()
    for name, text in shipped_sources(unit_name(version), (generated, source)).items():
        found[f"sources/{name}"] = text.encode()
    return found


def _notice(header: Path) -> str:
    """Returns the copyright notice in the first comment of a header."""
    text = header.read_text(encoding="utf-8")
    start, end = text.find("Copyright"), text.find("*/")
    if not 0 <= start < end:
        raise BristleError(f"{header}: has no copyright notice.")
    return (
        "\n".join(line.removeprefix("   ").rstrip() for line in text[start:end].splitlines()) + "\n"
    )


def _platform(library: Path) -> str:
    platform = library.parent.name
    if library.suffix != library_suffix(platform):
        raise BristleError(
            f"{library}: a library has to be <platform>/<Model>.<suffix>, as linux64/LuGre.so."
        )
    return platform
