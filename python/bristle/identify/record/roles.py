"""Finds the role of each column of a measurement: by its name, then by its unit, or as given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ... import BristleError
from . import units
from .tables import Column, Table


@dataclass(frozen=True)
class Role:
    """A role of a column: words that name it, shorter ones that must be the whole name, and the
    quantity of its unit."""

    name: str
    text: str
    long: str
    whole: str
    kinds: tuple[str, ...]
    by_unit: bool = True  # the only remaining column with such a unit is used
    else_kinds: tuple[str, ...] = ()  # quantity of its unit, if no column has those kinds

    @property
    def words(self) -> list[str]:
        return self.long.split()

    @property
    def short(self) -> list[str]:
        return self.whole.split()


_LINE = (units.FORCE, units.TORQUE)
ROLES = (
    Role(
        "time",
        "the time",
        "time zeit timestamp tijd temps tiempo tempo",
        "t t_s sec seconds x_value",
        (units.TIME,),
    ),
    Role(
        "transmitted",
        "the transmitted torque",
        "transmitted transmittedtorque loadtorque lastmoment",
        "t_load tau_load m_load",
        _LINE,
        by_unit=False,
    ),
    Role(
        "normal",
        "the normal force",
        "normal normale normalforce normalkraft load preload clamping anpresskraft",
        "fn n fz f_n f_z w",
        (units.FORCE,),
        by_unit=False,
    ),
    Role(
        "acceleration",
        "the acceleration",
        "acceleration accel beschleunigung",
        "a acc",
        (units.ACCELERATION, units.ANGULAR_ACCELERATION),
    ),
    Role(
        "velocity",
        "the velocity",
        "velocity speed geschwindigkeit drehzahl relativevelocity vel omega rpm vitesse velocidad",
        "v xdot dx qd dq vx w",
        (units.VELOCITY, units.ANGULAR_VELOCITY),
    ),
    Role(
        "displacement",
        "the displacement",
        (
            "displacement position weg stroke travel pos disp angle winkel way deflection lvdt "
            "extension crosshead déplacement deplacement desplazamiento"
        ),
        "x x_m q s phi theta y z",
        (units.LENGTH, units.ANGLE),
    ),
    Role(
        "current",
        "the motor's current",
        "current strom amps courant corriente",
        "i iq",
        (units.CURRENT,),
        # the control signal of an amplifier that outputs a current
        else_kinds=(units.VOLTAGE,),
    ),
    Role(
        "drive",
        "the driving force",
        "drive driving motor actuator thrust antriebskraft command applied external",
        "u tau f_drive f_ext f_motor",
        _LINE,
        by_unit=False,
    ),
    Role(
        "coefficient",
        "the coefficient of friction",
        "cof coefficient reibwert reibungszahl",
        "mu μ µ",
        (units.NUMBER,),
        by_unit=False,
    ),
    Role(
        "friction",
        "the friction force",
        (
            "friction fric frict reibung reibkraft frictionforce frictiontorque reibmoment "
            "tangential lateral shear loadcell frottement fricción friccion rozamiento attrito"
        ),
        "f ft fx ff ffric f_t f_x force kraft torque moment drehmoment",
        _LINE,
    ),
)
BY_NAME = {role.name: role for role in ROLES}
_FORCES = {"friction", "drive", "current", "coefficient"}
_NORMALS = set(
    "normal normale normalforce normalkraft preload clamping anpresskraft fn n fz f_n f_z".split()
)
COMMANDED = ("command", "setpoint", "target", "reference", "ref", "soll", "desired", "demand")


def find_roles(
    table: Table, given: Mapping[str, str], has_normal: bool = False, by_current: bool = False
) -> dict[str, Column]:
    """Returns the column of each role in the table. `given` names columns by title or name, or
    leaves a role out with "none". If the normal force is known otherwise (`has_normal`), a column
    "Load" is the load cell of a testing machine, which measures friction; if the force comes from
    the current (`by_current`), no column becomes the force by its unit."""
    found: dict[str, Column] = {}
    for name, title in given.items():
        if title != "none":
            found[name] = _named(table, name, title)
    free = [column for column in table.columns if column not in found.values()]
    for role in ROLES:
        if role.name in given:
            continue
        if column := _by_name(role, free, table):
            found[role.name] = column
            free.remove(column)
    if (
        has_normal
        and "normal" not in given
        and not _FORCES & found.keys()
        and (load := found.get("normal"))
        and not _words(load) & _NORMALS
    ):
        found["friction"] = found.pop("normal")
    for role in ROLES:
        if (
            role.by_unit
            and role.name not in found
            and role.name not in given
            and not _replaced(role.name, found, by_current)
        ):
            fitting: list[Column] = []
            for kinds in (role.kinds, role.else_kinds):
                fitting = fitting or [
                    column for column in free if column.unit and column.unit.kind in kinds
                ]
            if len(fitting) == 1:
                found[role.name] = fitting[0]
                free.remove(fitting[0])
    return found


def _replaced(role: str, found: Mapping[str, Column], by_current: bool) -> bool:
    """Checks whether another column already replaces this role."""
    return role == "friction" and bool(
        ({"drive", "coefficient"} | ({"current"} if by_current else set())) & found.keys()
    )


def _named(table: Table, role: str, title: str) -> Column:
    for names in (
        [column.title for column in table.columns],
        [column.name for column in table.columns],
        [str(i + 1) for i in range(len(table.columns))],
    ):
        if names.count(title) > 1:
            raise BristleError(
                f"{table.file}: --column {role}={title}: there are several of this title; give the"
                " number of the column, from 1 on."
            )
        if title in names:
            return table.columns[names.index(title)]
    raise BristleError(
        f"{table.file}: --column {role}={title}: there is no such column; there are {table.titles}."
    )


def _by_name(role: Role, free: list[Column], table: Table) -> Column | None:
    whole = [
        column
        for column in free
        if _fits(role, column) and _whole(column) in role.short + role.words
    ]
    parts = [column for column in free if _fits(role, column) and _words(column) & set(role.words)]
    measured = [
        [column for column in columns if not _words(column) & set(COMMANDED)]
        for columns in (whole, parts)
    ]
    known = [
        [column for column in columns if column.unit or column.unit_text is None]
        for columns in measured
    ]
    for candidates in (*known, *measured, whole, parts):
        if len(candidates) == 1:
            return candidates[0]
        if len(candidates) > 1:
            names = " and ".join(f'"{column.title}"' for column in candidates)
            raise BristleError(
                f"{table.file}: {names} could {'both' if len(candidates) == 2 else 'all'} be"
                f" {role.text}; choose with --column {role.name}=TITLE or =NUMBER, from 1 on, or"
                f" leave it out with --column {role.name}=none."
            )
    return None


def misfits(table: Table, names: Iterable[str]) -> str:
    """Writes a hint to the columns named like one of these roles, but with a unit of another
    quantity."""
    for role in (BY_NAME[name] for name in names):
        for column in table.columns:
            if (
                column.unit
                and not _fits(role, column)
                and (_words(column) & {*role.words, *role.short} or _whole(column) in role.short)
            ):
                other = (
                    "; a weight in kilograms is kgf, in grams gf"
                    if column.unit_text in ("kg", "g")
                    else ""
                )
                kind = (
                    "is no unit"
                    if column.unit.kind == units.NUMBER
                    else f"is a unit of {column.unit.kind}"
                )
                return f' ("{column.title}" is not taken: {column.unit_text} {kind}{other})'
    return ""


def _fits(role: Role, column: Column) -> bool:
    """Checks the unit: a column with a unit of another kind is something else; one without a unit
    may be anything."""
    return column.unit is None or column.unit.kind in role.kinds + role.else_kinds


def _whole(column: Column) -> str:
    """Returns a name as one word, without brackets."""
    return re.sub(r"[\s\-]", "", re.sub(r"[\[({<][^\[\](){}<>]*[\])}>]", "", column.name)).lower()


def _words(column: Column) -> set[str]:
    """Returns the words of a name: "Normal force", normal_force and normalForce have the same."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", column.name)
    words = [word.lower() for word in re.split(r"[\s_\-./:()\[\]]+", spaced) if word]
    if "load cell" in " ".join(words):
        # it measures a force, rarely the load
        words = [word for word in words if word not in ("load", "cell")] + ["loadcell"]
    return {*words, _whole(column)}
