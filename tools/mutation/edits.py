"""Changes of the sources: what they are, and those of the two lists."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path

import bristle

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
SOURCE = REPOSITORY / "fmu_src"
PACKAGE = Path(bristle.__file__).parent  # the Python that users have


class MutationError(Exception):
    """A mistake in a list, in one sentence."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file; `models` are the FMUs it is tested in, `tests` what may notice
    it."""

    name: str
    file: str  # below fmu_src/, or below the package where it is Python
    begin: int
    end: int
    text: str  # in place of what lies between
    models: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    @property
    def is_python(self) -> bool:
        return self.file.endswith(".py")

    @property
    def language(self) -> str:
        return "python" if self.is_python else "c"

    @property
    def room(self) -> str:
        """The folder that it is counted with."""
        return self.file.partition("/")[0] if "/" in self.file else PACKAGE.name

    @property
    def path(self) -> Path:
        """Of its file in the repository."""
        return path_of(self.file).relative_to(REPOSITORY)

    def apply(self, source: str) -> str:
        return source[: self.begin] + self.text + source[self.end :]

    def shown(self) -> str:
        """The line, and what becomes of it."""
        return (
            f"{self.file}:{text_of(self.file).count(chr(10), 0, self.begin) + 1}: {self.change()}"
        )

    def change(self) -> str:
        """As shown, without the number of the line."""
        source = text_of(self.file)
        first = source.rfind("\n", 0, self.begin) + 1
        last = source.find("\n", self.end)
        now = " ".join((source[first : self.begin] + self.text + source[self.end : last]).split())
        return f"{' '.join(source[first:last].split())}  ->  {now}"


def path_of(file: str) -> Path:
    return (PACKAGE if file.endswith(".py") else SOURCE) / file


@functools.cache
def text_of(file: str) -> str:
    return path_of(file).read_text(encoding="utf-8")


def located(
    file: str,
    find: str,
    replace: str,
    name: str,
    models: tuple[str, ...] = (),
    tests: tuple[str, ...] = (),
) -> Mutant:
    """The change that puts `replace` in the place of `find`, which has to be there once."""
    source = text_of(file)
    count = source.count(find)
    if count != 1:
        raise MutationError(f'{name}: "{find}" is in {file} {count} times, not once.')
    if find == replace:
        raise MutationError(f"{name}: changes nothing.")
    begin = source.index(find)
    return Mutant(name, file, begin, begin + len(find), replace, models, tests)


def read_edits() -> list[Mutant]:
    """The changes made by hand."""
    edits = [
        located(
            entry["file"],
            entry["find"],
            entry.get("replace", ""),
            entry["name"],
            () if entry["file"].endswith(".py") else tuple(entry.get("models", ["LuGre"])),
            (test,),
        )
        for test, entries in _read("edits.toml").items()
        for entry in entries
    ]
    if len({edit.name for edit in edits}) != len(edits):
        raise MutationError("edits.toml: two edits have one name.")
    return edits


def read_equivalent() -> dict[tuple[str, str], str]:
    """The reasons why drawn changes make no difference, by file and shown change without its line
    number."""
    return {
        (entry["file"], " ".join(entry["change"].split())): entry["reason"]
        for entry in _read("equivalent.toml")["equivalent"]
    }


def change_of(mutant: Mutant) -> tuple[str, str]:
    """What a change is known by as long as its line stays as it is."""
    return mutant.file, " ".join(mutant.change().split())


def _read(name: str) -> dict:
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))
