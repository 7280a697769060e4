"""Makes an FMU with the law of a model and other defaults, another name, and a GUID that its
libraries check. No compiler is needed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from . import BristleError
from .format.defaults import NAME_BYTES, OWN_DEFAULTS, Defaults, replaced
from .format.page_parts import numbers_text
from .format.names import C_KEYWORDS, MODELICA_KEYWORDS
from .format.archive import opened, write_zip
from .format.page_parts import default_cell, footer_start, header_line, own_name, title_line
from .format.parameter_set import ParameterSet, document, document_text, ssv_text
from .format.references import with_references
from .format.signature import signed_anew
from .format.sources import BUILD, UNIT, content_guid, prefix_line
from .format.universal import joined, parts
from .format.variables import elements_of, kind_of, scalars, token_name
from .library import Model, Variable, describe
from .running import check_mapping, evaluate, settings

OWN = "with defaults of its own"
PICTURES = "The pictures show "
LARGEST_RATIO = 1e9  # ratio of a default to that of the model
# names that files on Windows cannot have
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


def stamp(
    model: str | Path,
    values: Mapping[str, Any],
    name: str,
    out: str | Path,
    description: str | None = None,
    overwrite: bool = False,
) -> Path:
    """Writes an FMU with the law of a model and these values of parameters and inputs as its
    defaults.

    A set that breaks a rule of the model is refused in the model's own words. An existing file is
    refused, too, without overwrite=True.

    >>> values = {"staticFriction": 0.15, "dynamicFriction": 0.1}
    >>> file = bristle.stamp("LuGre", values, "MyGuideway", "MyGuideway.fmu")
    >>> bristle.describe(file)["staticFriction"].start
    0.15
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of an element is a string, not {name!r}.")
    check_mapping("values", values)
    about, out = describe(model), Path(out)
    _check_name(about, name)
    if out.suffix != ".fmu":
        raise BristleError(f"{out}: the name of an FMU ends in .fmu.")
    if out.exists() and out.samefile(about.file):
        raise BristleError(f"{out}: is the FMU that is stamped; give the new one another name.")
    if out.exists() and not overwrite:
        raise BristleError(
            f"{out}: already exists; give another name, or overwrite it (--overwrite)."
        )
    _check_references(about)
    own = settings(about, values)
    _check_size(about, own)
    evaluate(about.file, values, outputs=[])  # the model itself checks the values
    description = f"{_law(about)}, {OWN}" if description is None else description
    if not description.isprintable():
        raise BristleError(
            f"the description {description!r} has signs that cannot be shown, or is more than a"
            " line."
        )
    changes = [(variable.name, repr(value)) for variable, value in own.items()]
    guid = content_guid(
        [("guid", about.guid), ("name", name), ("description", description), *changes]
    )
    starts = {one.name: own.get(one, one.start) for one in _settable(about)}
    new = replace(
        about,
        name=name,
        identifier=name,
        guid=guid,
        title=description,
        variables=tuple(replace(one, start=starts.get(one.name)) for one in about.variables),
    )
    with opened(about.file) as archive:
        content = {entry: archive.read(entry) for entry in archive.namelist()}
    write_zip(out, with_references(_stamped(content, about, new)))
    return out


def _check_name(about: Model, name: str) -> None:
    """Refuses a name that is no file name, function name in C and class name in Modelica: importers
    make all of these of it."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise BristleError(
            f'the name "{name}" has to be a letter, followed by letters, digits and _.'
        )
    if len(name) >= NAME_BYTES:
        raise BristleError(f"the name {name[:20]}… has more than {NAME_BYTES - 1} letters.")
    if name in C_KEYWORDS | MODELICA_KEYWORDS or DEVICES.fullmatch(name):
        raise BristleError(f"the name {name} is taken in C, in Modelica or in Windows.")
    if name == about.name:
        raise BristleError(f"{name} is the name of the model; give the element one of its own.")


def _check_references(about: Model) -> None:
    """Refuses value references that do not count the variables in order: libraries rely on that."""
    for i, one in enumerate(about.variables):
        if one.reference != i:
            raise BristleError(
                f"{about.file}: {one.name} has the value reference {one.reference} instead of {i}; "
                "its modelDescription.xml was changed, or it was built by another tool."
            )


def _check_size(about: Model, own: Mapping[Variable, float | int]) -> None:
    """Refuses values too large for any mistake of units: nm for m is a factor of 1e9."""
    for one, value in own.items():
        usual = max(abs(one.start or 0.0), abs(one.nominal or 0.0)) or 1.0
        if one.is_real and abs(value) > LARGEST_RATIO * usual:
            raise BristleError(
                f"{one.name} = {value:g} is {abs(value) / usual:.1g} times what is usual in"
                f" {about.name}, {usual:g}; is it in SI units?"
            )


def _settable(about: Model) -> list[Variable]:
    return [one for one in about.variables if one.causality in ("parameter", "input")]


def _defaults(about: Model) -> Defaults:
    """Returns the table of defaults in the libraries of an FMU, from its modelDescription.xml."""
    return Defaults(
        guid=about.guid,
        name=about.name,
        parameters=tuple(one.start for one in about.parameters if one.is_real),
        inputs=tuple(one.start for one in about.inputs),
        options=tuple(one.start for one in about.parameters if not one.is_real),
    )


def _stamped(content: Mapping[str, bytes], old: Model, new: Model) -> dict[str, bytes]:
    """Returns all files of the FMU, with name, GUID and defaults replaced."""
    if f"sources/{OWN_DEFAULTS}" not in content:
        raise BristleError(
            f"{old.file}: cannot be stamped; it was built by an older bristle or by another tool."
        )
    changed: dict[str, bytes] = {}
    for entry, data in content.items():
        if entry.startswith("binaries/"):
            folder, _, library = entry.rpartition("/")
            changed[f"{folder}/{library.replace(old.identifier, new.identifier, 1)}"] = _library(
                entry, data, old, new
            )
        elif entry == "modelDescription.xml":
            changed[entry] = _xml(data, new)
        elif entry == f"sources/{OWN_DEFAULTS}":
            changed[entry] = _defaults(new).c_text().encode()
        elif entry == f"sources/{UNIT}":
            was, now = (prefix_line(one.identifier, one.version) for one in (old, new))
            changed[entry] = data.replace(was.encode(), now.encode())
        elif entry == f"sources/{BUILD}":
            changed[entry] = _build(data, new)
        elif entry == "documentation/index.html":
            changed[entry] = _page(data.decode(errors="replace"), old, new).encode()
        else:
            changed[entry] = data
    if values := {
        one.name: one.start for one, _ in _changes(old, new) if one.causality == "parameter"
    }:
        own = ParameterSet(new.name, new.title, f"made from {old.name}", values)
        changed[f"resources/{new.name}.ssv"] = ssv_text(own).encode()
    return changed


def _changes(old: Model, new: Model) -> list[tuple[Variable, Variable]]:
    """Pairs the variables whose default changed: new and old."""
    return [
        (one, was)
        for one, was in zip(new.variables, old.variables, strict=True)
        if one.start != was.start
    ]


def _library(entry: str, data: bytes, old: Model, new: Model) -> bytes:
    before, after = _defaults(old), _defaults(new)
    try:
        if "darwin" not in entry.split("/")[1]:
            return replaced(data, before, after)
        thin = [signed_anew(replaced(part, before, after)) for part in parts(data)]
        return joined(thin) if len(thin) > 1 else thin[0]
    except BristleError as error:
        raise BristleError(f"{old.file}: {entry}: {error}") from None


def _build(data: bytes, new: Model) -> bytes:
    root = document(data, BUILD)
    for element in root.iterfind("BuildConfiguration"):
        element.set("modelIdentifier", new.identifier)
    return document_text(root).encode()


def _xml(data: bytes, new: Model) -> bytes:
    root = document(data, "modelDescription.xml")
    root.set("modelName", new.name)
    root.set(token_name(root), new.guid)
    root.set("description", new.title)
    for kind in ("ModelExchange", "CoSimulation"):
        for element in root.iterfind(kind):
            element.set("modelIdentifier", new.identifier)
    starts = {one.name: one.start for one in _settable(new)}
    for variable in elements_of(root):
        about = kind_of(variable)
        names, _ = scalars(variable)
        if names[0] in starts:
            about.set("start", " ".join(repr(starts[name]) for name in names))
    return document_text(root).encode()


def _page(text: str, old: Model, new: Model) -> str:
    note = _note(old, new, PICTURES not in text)
    changes = {
        title_line(old.name): title_line(new.name),
        header_line(old.name, old.title): f"{header_line(new.name, new.title)}\n{note}",
        footer_start(old.name): footer_start(new.name),
    }
    shown = _shown(new)
    changes |= {
        default_cell(name, was): default_cell(name, shown[name])
        for name, was in _shown(old).items()
    }
    for was, now in changes.items():
        if text.count(was) != 1:
            raise BristleError(
                f"{old.file}: documentation/index.html is not the page of {old.name}."
            )
        text = text.replace(was, now)
    return text.replace(own_name(old.name), own_name(new.name))


def _law(about: Model) -> str:
    """Returns the title of the model, also of a stamped element."""
    return about.title.removesuffix(f", {OWN}")


def _note(old: Model, new: Model, has_pictures: bool) -> str:
    """Writes the changed defaults and, in the first stamp, whose pictures the page shows."""
    own = ", ".join(
        f"<code>{escape(one.name)}</code> {_value(one)} (there: {_value(was)})"
        for one, was in _changes(old, new)
    )
    law = f"The law of <code>{escape(old.name)}</code>, {escape(_law(old))}, {OWN}"
    pictures = f" {PICTURES}<code>{escape(old.name)}</code> as it is." if has_pictures else ""
    return f'<p class="note">{law}: {own or "none"}.{pictures}</p>'


def _value(one: Variable) -> str:
    return one.items[one.start - 1] if one.items else numbers_text([one.start])


def _shown(about: Model) -> dict[str, str]:
    """Writes the defaults as a page shows them: those of a vector together."""
    groups: dict[str, list[Variable]] = {}
    for one in _settable(about):
        groups.setdefault(one.name.partition("[")[0], []).append(one)
    return {
        name: (
            numbers_text([one.start for one in group])
            if group[0].is_real
            else ", ".join(dict.fromkeys(map(_value, group)))
        )
        for name, group in groups.items()
    }
