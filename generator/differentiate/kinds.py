"""The types of C that a model may use, for all that has to know what a value is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Path = tuple[str | int, ...]  # member names and indices that lead into a value


@dataclass(frozen=True)
class Scalar:
    name: str  # "double", "int" or "void"


@dataclass(frozen=True)
class Struct:
    name: str
    members: tuple[tuple[str, Kind], ...]
    held: bool = False  # counts as constant, although there are doubles in it

    def member(self, name: str) -> Kind | None:
        return dict(self.members).get(name)


def no_member(kind: Kind, name: str) -> str:
    """What is said where something has no such member."""
    if not isinstance(kind, Struct):
        return f"there is no member {name} here"
    return (
        f"{kind.name} has no member {name}, but {', '.join(member for member, _ in kind.members)}"
    )


@dataclass(frozen=True)
class Array:
    element: Kind
    size: int


@dataclass(frozen=True)
class Pointer:
    target: Kind
    const: bool


Kind = Scalar | Struct | Array | Pointer

DOUBLE, INT, VOID = Scalar("double"), Scalar("int"), Scalar("void")


def is_active(kind: Kind) -> bool:
    """Has slopes: doubles and whatever holds them."""
    if isinstance(kind, Struct):
        return not kind.held and any(is_active(member) for _, member in kind.members)
    inner = pointed(kind)
    return is_active(inner) if inner else kind == DOUBLE


def is_active_pointer(kind: Kind) -> bool:
    return isinstance(kind, Pointer) and is_active(kind)


def held_struct(kind: Kind) -> Struct | None:
    """The struct that counts as constant, where a pointer points to one."""
    target = kind.target if isinstance(kind, Pointer) else None
    return target if isinstance(target, Struct) and target.held else None


def is_mixed(kind: Kind) -> bool:
    """A struct in which not all is double."""
    return isinstance(kind, Struct) and any(leaf != DOUBLE for _, leaf in leaves(kind))


def pointed(kind: Kind) -> Kind | None:
    """The type of what `*` gives, if it gives anything."""
    if isinstance(kind, Array):
        return kind.element
    return kind.target if isinstance(kind, Pointer) else None


def leaves(kind: Kind, path: Path = ()) -> Iterator[tuple[Path, Kind]]:
    """The scalar places inside a value, each as a path of member names and indices."""
    if isinstance(kind, Struct):
        for name, member in kind.members:
            yield from leaves(member, (*path, name))
    elif isinstance(kind, Array):
        for i in range(kind.size):
            yield from leaves(kind.element, (*path, i))
    else:
        yield path, kind


def path_text(path: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def type_name(kind: Kind) -> str:
    """As C calls a scalar or a struct, which values and results are."""
    assert isinstance(kind, (Scalar, Struct))
    return kind.name
