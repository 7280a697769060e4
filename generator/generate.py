"""Generates everything of a model that is not written by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bristle import BristleError
from bristle.format.defaults import OWN_DEFAULTS, Defaults
from bristle.format.facts import FACTS
from bristle.format.parameter_set import ssv_text
from bristle.format.sources import BUILD, UNIT, content_guid
from .description import Description
from .differentiate import ModelCode, SubsetError, Surroundings, read_model
from .facts import facts
from .frame import frame_text, renames
from .header import header_text, types_text
from .icon import icon_bytes
from .page import PICTURES, LatexError, page_text
from .parameter_sets import parameter_sets, set_files
from .project import Project
from .reading import read_description
from .sources import BOTH, VERSIONS, fmi_headers, included_files, unit_name, unit_text
from .structure import model_structure
from .xml import xml_text
from .xml3 import TERMINALS, build_text, terminals_text, xml3_text


def generate(
    description_file: Path, out: Path, fmi_include: Path, twin: str | None = None
) -> list[Path]:
    """Writes the files of one model, or of its twin, to `out`; returns all files read."""
    project = Project(description_file.parent.parent)
    description = read_description(description_file, twin)
    code = _read_code(project, description)
    _check_events(description, code)
    _check_used(description, code)
    _check_linear(description, code)
    structure = model_structure(description, code.dependencies)

    for name, versions in ((UNIT, [2]), (BOTH, VERSIONS), (unit_name(3), [3])):
        _write(out / name, unit_text(description, versions))
    _write(out / f"{description.model}_slopes.c", code.slopes)
    if description.frame:
        _write(out / f"{description.model}_frame.c", frame_text(description, code.functions))
    _write(out / f"{description.model}.h", header_text(description, code.functions))
    defaults = description_defaults(description)
    _write(out / OWN_DEFAULTS, defaults.c_text())
    sources = included_files(BOTH, (out, project.source)) | fmi_headers(fmi_include, VERSIONS)
    texts = [(name, file.read_text(encoding="utf-8")) for name, file in sorted(sources.items())]
    descriptions = {"modelDescription.xml": xml_text, "fmi3/modelDescription.xml": xml3_text}
    texts = [
        (name, text(description, structure, code.resets, "")) for name, text in descriptions.items()
    ] + texts
    guid = content_guid(texts)

    _write(out / OWN_DEFAULTS, replace(defaults, guid=guid).c_text())
    for name, text in descriptions.items():
        _write(out / name, text(description, structure, code.resets, guid))
    _write(out / "fmi3" / "sources" / BUILD, build_text(description))
    _write(out / "fmi3" / TERMINALS, terminals_text(description))
    sets, pictures = (
        parameter_sets(description, project.resources),
        project.pictures(description.model),
    )
    for stale in (out / "resources").glob("*.ssv"):
        stale.unlink()
    for one in sets:
        _write(out / "resources" / f"{one.name}.ssv", ssv_text(one))
    try:
        page = page_text(description, sets, pictures)
    except LatexError as error:
        raise BristleError(f"{description_file}: {error}") from None
    _write(out / "documentation" / "index.html", page)
    _write(out / FACTS, facts(description).text())
    (out / "model.png").write_bytes(icon_bytes(description.name))
    written = {file for file in sources.values() if file.is_relative_to(out)}
    read = [*description.files, *set_files(project.resources), PICTURES, *pictures]
    return [*read, *sorted(set(sources.values()) - written)]


def description_defaults(description: Description) -> Defaults:
    """Returns the defaults of a model as described, without a GUID."""
    return Defaults(
        guid="",
        name=description.name,
        parameters=tuple(start for entry in description.parameters for start in entry.starts),
        inputs=tuple(start for entry in description.inputs for start in entry.starts),
        options=tuple(option.start for option in description.options for _ in range(option.count)),
    )


def _read_code(project: Project, description: Description) -> ModelCode:
    try:
        model_file = project.source / "models" / f"{description.model}.c"
        options = [option.symbol for option in description.options if option.items]
        return read_model(
            model_file,
            project.source,
            types_text(description.law),
            options,
            description.indicators,
            (
                (
                    lambda functions: Surroundings(
                        types_text(description),
                        frame_text(description, functions),
                        renames(description),
                    )
                )
                if description.frame
                else None
            ),
        )
    except SubsetError as error:
        raise BristleError(str(error)) from None


def _check_events(description: Description, code: ModelCode) -> None:
    """Refuses a model that does not define its events."""
    missing = [name for name in ("indicators", "next_modes") if name not in code.functions]
    if missing:
        raise BristleError(
            f"{description.model}.c: has no {' and no '.join(missing)}; a model without modes"
            ' includes "common/contact_events.h", which marks touch-down and lift-off'
        )


def _check_used(description: Description, code: ModelCode) -> None:
    """Refuses a parameter that nothing uses: neither code nor limit, initial value or coupling."""
    limits = {bound.limit for entry in description.parameters for bound in entry.bounds}
    starts = {state.start_parameter.name for state in description.states if state.start_parameter}
    outside = {description.body.name} if description.body else set()
    for entry in description.parameters:
        if entry.symbol not in code.used and entry.name not in limits | starts | outside:
            raise BristleError(
                f"{description.file}: parameters.{entry.name}: is not used by {description.model}.c"
            )


def _check_linear(description: Description, code: ModelCode) -> None:
    """Refuses linear_states where the rate of one state depends on another: the exponential step of
    the solver handles each by itself."""
    for member, roots in code.dependencies.items() if description.linear_states else ():
        for other in sorted(roots):
            if (
                member.startswith("dx.")
                and other.startswith("x.")
                and other != member.removeprefix("d")
            ):
                rate, state = member.removeprefix("dx."), other.removeprefix("x.")
                raise BristleError(
                    f"{description.file}: linear_states: the rate of {rate} depends on {state};"
                    " each state has to be linear by itself"
                )


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="\n")
