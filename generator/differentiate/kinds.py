"""The types of C that a model may use."""

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
    held: bool = False  # counts as constant, although it holds doubles

    def member(self, name: str) -> Kind | None:
        return dict(self.members).get(name)


def no_member(kind: Kind, name: str) -> str:
    """Writes the message about a missing member."""
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
    """Checks whether a type has slopes: doubles and whatever holds them."""
    if isinstance(kind, Struct):
        return not kind.held and any(is_active(member) for _, member in kind.members)
    inner = pointed(kind)
    return is_active(inner) if inner else kind == DOUBLE


def is_active_pointer(kind: Kind) -> bool:
    return isinstance(kind, Pointer) and is_active(kind)


def held_struct(kind: Kind) -> Struct | None:
    """Returns the struct behind a pointer if it counts as constant."""
    target = kind.target if isinstance(kind, Pointer) else None
    return target if isinstance(target, Struct) and target.held else None


def is_mixed(kind: Kind) -> bool:
    """Checks for a struct with members other than doubles."""
    return isinstance(kind, Struct) and any(leaf != DOUBLE for _, leaf in leaves(kind))


def pointed(kind: Kind) -> Kind | None:
    """Returns the type that `*` yields, if any."""
    if isinstance(kind, Array):
        return kind.element
    return kind.target if isinstance(kind, Pointer) else None


def leaves(kind: Kind, path: Path = ()) -> Iterator[tuple[Path, Kind]]:
    """Yields the scalar places inside a value, each as a path of member names and indices."""
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
    """Returns the C name of a scalar or a struct."""
    assert isinstance(kind, (Scalar, Struct))
    return kind.name
