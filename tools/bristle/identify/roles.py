"""Which column of a measurement is what: by its name, then by its unit, or as the user says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .. import BristleError
from . import units
from .tables import Column, Table


@dataclass(frozen=True)
class Role:
    """What a column may be: the words that name it, the shorter ones that must be the whole name, and what its unit measures."""

    name: str
    text: str
    words: tuple[str, ...]
    short: tuple[str, ...]
    kinds: tuple[str, ...]
    by_unit: bool = True  # a single column left with such a unit is taken


_LINE = (units.FORCE, units.TORQUE)
ROLES = (
    Role("time", "the time", ("time", "zeit", "timestamp", "tijd", "temps"), ("t", "sec", "seconds", "x_value"), (units.TIME,)),
    Role(
        "normal",
        "the normal force",
        ("normal", "normalforce", "normalkraft", "load", "preload", "clamping", "anpresskraft"),
        ("fn", "n", "fz", "f_n", "f_z", "w"),
        (units.FORCE,),
        by_unit=False,
    ),
    Role(
        "acceleration",
        "the acceleration",
        ("acceleration", "accel", "beschleunigung"),
        ("a", "acc"),
        (units.ACCELERATION, units.ANGULAR_ACCELERATION),
    ),
    Role(
        "velocity",
        "the velocity",
        ("velocity", "speed", "geschwindigkeit", "drehzahl", "relativevelocity", "vel", "omega", "rpm"),
        ("v", "xdot", "dx", "qd", "dq", "vx", "w"),
        (units.VELOCITY, units.ANGULAR_VELOCITY),
    ),
    Role(
        "displacement",
        "the displacement",
        ("displacement", "position", "weg", "stroke", "travel", "pos", "disp", "angle", "winkel", "way", "deflection"),
        ("x", "q", "s", "phi", "theta", "y", "z"),
        (units.LENGTH, units.ANGLE),
    ),
    Role("current", "the motor's current", ("current", "strom", "amps"), ("i", "iq"), (units.CURRENT,)),
    Role(
        "drive",
        "the driving force",
        ("drive", "driving", "motor", "actuator", "thrust", "antriebskraft", "command", "applied", "external"),
        ("u", "tau", "f_drive", "f_ext", "f_motor"),
        _LINE,
        by_unit=False,
    ),
    Role(
        "coefficient",
        "the coefficient of friction",
        ("cof", "coefficient", "reibwert", "reibungszahl"),
        ("mu", "μ", "µ"),
        (units.NUMBER,),
        by_unit=False,
    ),
    Role(
        "friction",
        "the friction force",
        ("friction", "fric", "frict", "reibung", "reibkraft", "frictionforce", "frictiontorque", "reibmoment", "tangential", "lateral", "shear"),
        ("f", "ft", "fx", "ff", "ffric", "f_t", "f_x", "force", "kraft", "torque", "moment", "drehmoment"),
        _LINE,
    ),
)
BY_NAME = {role.name: role for role in ROLES}
COMMANDED = ("command", "setpoint", "target", "reference", "ref", "soll", "desired", "demand")


def find_roles(table: Table, given: Mapping[str, str]) -> dict[str, Column]:
    """The column of each role that the table has. `given` names columns by title or name, or leaves a role out with "none"."""
    found: dict[str, Column] = {}
    for role, title in given.items():
        if role not in BY_NAME:
            raise BristleError(f"--column {role}={title}: there is no such role; there are {', '.join(BY_NAME)}.")
        if title != "none":
            found[role] = _named(table, role, title)
    free = [column for column in table.columns if column not in found.values()]
    for role in ROLES:
        if role.name in given:
            continue
        if column := _by_name(role, free, table):
            found[role.name] = column
            free.remove(column)
    for role in ROLES:
        if role.by_unit and role.name not in found and role.name not in given and not _replaced(role.name, found):
            fitting = [column for column in free if column.unit and column.unit.kind in role.kinds]
            if len(fitting) == 1:
                found[role.name] = fitting[0]
                free.remove(fitting[0])
    return found


def _replaced(role: str, found: Mapping[str, Column]) -> bool:
    """Whether another column already says what this role would."""
    return role == "friction" and bool({"drive", "current", "coefficient"} & found.keys())


def _named(table: Table, role: str, title: str) -> Column:
    for column in table.columns:
        if title in (column.title, column.name):
            return column
    raise BristleError(f'{table.file}: --column {role}={title}: there is no such column; there are {table.titles}.')


def _by_name(role: Role, free: list[Column], table: Table) -> Column | None:
    whole = [column for column in free if _fits(role, column) and _whole(column) in role.short + role.words]
    parts = [column for column in free if _fits(role, column) and _words(column) & set(role.words)]
    measured = [[column for column in columns if not _words(column) & set(COMMANDED)] for columns in (whole, parts)]
    for candidates in (*measured, whole, parts):
        if len(candidates) == 1:
            return candidates[0]
        if len(candidates) > 1:
            names = " and ".join(f'"{column.title}"' for column in candidates)
            raise BristleError(
                f"{table.file}: {names} could both be {role.text}; choose with --column {role.name}=TITLE, "
                f"or leave it out with --column {role.name}=none."
            )
    return None


def _fits(role: Role, column: Column) -> bool:
    """A column whose unit is of another kind is something else; one without a unit may be anything."""
    return column.unit is None or column.unit.kind in role.kinds


def _whole(column: Column) -> str:
    """A name as one word, without what stands in brackets."""
    return re.sub(r"[\s\-]", "", re.sub(r"[\[({<][^\[\](){}<>]*[\])}>]", "", column.name)).lower()


def _words(column: Column) -> set[str]:
    """The words of a name: "Normal force", normal_force and normalForce have the same."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", column.name)
    words = {word.lower() for word in re.split(r"[\s_\-./:()\[\]]+", spaced) if word}
    return words | {_whole(column)}
