"""Changes of the sources, and the two lists of them."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path

import bristle

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
SOURCE = REPOSITORY / "fmu_src"
PACKAGE = Path(bristle.__file__).parent  # the Python that users install


class MutationError(Exception):
    """An error in a list, in one sentence."""


@dataclass(frozen=True)
class Mutant:
    """A change of one file; `models` are the FMUs it is tested in, `tests` those that may notice
    it."""

    name: str
    file: str  # below fmu_src/ or, for Python, below the package
    begin: int
    end: int
    text: str  # replaces the text between
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
        """The folder that it counts for."""
        return self.file.partition("/")[0] if "/" in self.file else PACKAGE.name

    @property
    def path(self) -> Path:
        """The path of its file in the repository."""
        return path_of(self.file).relative_to(REPOSITORY)

    def apply(self, source: str) -> str:
        return source[: self.begin] + self.text + source[self.end :]

    def shown(self) -> str:
        """Shows the line before and after."""
        return (
            f"{self.file}:{text_of(self.file).count(chr(10), 0, self.begin) + 1}: {self.change()}"
        )

    def change(self) -> str:
        """Shows the change without the line number."""
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
    """Makes the change of `find`, which has to occur once, to `replace`."""
    source = text_of(file)
    count = source.count(find)
    if count != 1:
        raise MutationError(f'{name}: "{find}" is in {file} {count} times, not once.')
    if find == replace:
        raise MutationError(f"{name}: changes nothing.")
    begin = source.index(find)
    return Mutant(name, file, begin, begin + len(find), replace, models, tests)


def read_edits() -> list[Mutant]:
    """Reads the changes made by hand."""
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
    """Reads the reasons why drawn changes make no difference, by file and change."""
    return {
        (entry["file"], " ".join(entry["change"].split())): entry["reason"]
        for entry in _read("equivalent.toml")["equivalent"]
    }


def change_of(mutant: Mutant) -> tuple[str, str]:
    """Identifies a change as long as its line is unchanged."""
    return mutant.file, " ".join(mutant.change().split())


def _read(name: str) -> dict:
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))
