"""The FMU: what the generator wrote, the sources and the libraries in one file."""

from __future__ import annotations

from pathlib import Path

from bristle import BristleError
from bristle.format.archive import LIBRARY_SUFFIX, PAGE, write_zip
from bristle.format.references import FOLDER, with_references
from bristle.format.sources import UNIT
from .sources import fmi_headers, included_files, shipped_name, shipped_text


def write_package(
    fmu: Path,
    generated: Path,
    source: Path,
    fmi_include: Path,
    license_file: Path,
    libraries: list[Path],
    references: bool = False,
) -> bool:
    """Packs the generated files, the sources, the libraries (…/<platform>/<Model>.<suffix>) and,
    where they are wanted, reference results of the one for this machine; returns whether it has
    any."""
    content: dict[str, bytes] = {}
    content["modelDescription.xml"] = (generated / "modelDescription.xml").read_bytes()
    content["model.png"] = (generated / "model.png").read_bytes()
    content[PAGE] = (generated / "documentation" / "index.html").read_bytes()
    content["documentation/licenses/license.txt"] = license_file.read_bytes()
    content["documentation/licenses/fmi_headers.txt"] = _notice(
        fmi_include / "fmi2Functions.h"
    ).encode()
    for file in sorted((generated / "resources").iterdir()):
        content[f"resources/{file.name}"] = file.read_bytes()
    for name, file in included_files(UNIT, (generated, source)).items():
        content[f"sources/{shipped_name(name)}"] = shipped_text(
            name, file.read_text(encoding="utf-8")
        ).encode()
    for name, file in fmi_headers(fmi_include).items():
        content[f"sources/{name}"] = file.read_bytes()
    for library in libraries:
        content[f"binaries/{_platform(library)}/{library.name}"] = library.read_bytes()
    whole = with_references(content) if references else content
    write_zip(fmu, whole)
    return any(name.startswith(FOLDER) for name in whole)


def _notice(header: Path) -> str:
    """The copyright notice in the first comment of a header."""
    text = header.read_text(encoding="utf-8")
    start, end = text.find("Copyright"), text.find("*/")
    if not 0 <= start < end:
        raise BristleError(f"{header}: has no copyright notice.")
    return (
        "\n".join(line.removeprefix("   ").rstrip() for line in text[start:end].splitlines()) + "\n"
    )


def _platform(library: Path) -> str:
    platform = library.parent.name
    if library.suffix != LIBRARY_SUFFIX.get(platform):
        raise BristleError(
            f"{library}: a library has to be <platform>/<Model>.<suffix>, as linux64/LuGre.so."
        )
    return platform
