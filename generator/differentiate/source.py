"""Reads the C of a model: the file and its local includes as one syntax tree with line numbers."""

from __future__ import annotations

from typing import Any
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from pycparser import c_ast, c_lexer, c_parser

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


class SubsetError(Exception):
    """The model uses C outside the supported subset. The message begins with file and line."""


class Source:
    """The model file with its local includes as one text. `#line` lines give the origin of each
    part. In a frame, C around the model, the model's own functions and types are renamed.
    """

    def __init__(
        self,
        model_file: Path,
        include_dir: Path,
        header_types: str,
        frame: str = "",
        renames: Mapping[str, str] | None = None,
    ) -> None:
        self.include_dir = include_dir
        self.renames = dict(renames or {})
        self.model = self.label(model_file)
        self.header_name = model_file.stem + ".h"
        self.header_types = header_types
        self.includes: list[str] = []
        self.seen: set[Path | str] = set()
        if not model_file.is_file():
            raise SubsetError(f"{self.model}:1: there is no such file")
        self.text = "".join(self.expand(model_file.read_text(encoding="utf-8"), self.model))
        self.text += f'#line 1 "frame"\n{frame}'
        if self.header_name not in self.seen:
            raise SubsetError(
                f"{self.model}:1: the types of the model are unknown; include"
                f' "{self.header_name}" first'
            )

    def label(self, path: Path) -> str:
        try:
            return path.resolve().relative_to(self.include_dir.resolve().parent).as_posix()
        except ValueError:
            return path.name

    def expand(self, text: str, label: str) -> Iterator[str]:
        """Yields the text without comments and directives, with its includes expanded."""
        lines = _without_comments(text).split("\n")
        guard = _guard_lines(lines)
        hidden = 0  # nesting of conditional parts of the generated header
        yield f'#line 1 "{label}"\n'
        for number, line in enumerate(lines, 1):
            directive = re.match(r"#\s*(\w*)\s*(.*)", line.strip())
            if not directive:
                yield (
                    "" if hidden else self.renamed(line) if label != self.header_name else line
                ) + "\n"
            elif directive[1] == "include" and not hidden:
                yield from self.include(directive[2], label, number)
                yield f'#line {number + 1} "{label}"\n'
            else:
                hidden += self.depth(directive[1], label, number) if number not in guard else 0
                yield "\n"

    def renamed(self, line: str) -> str:
        if not self.renames:
            return line
        return re.sub(r"\b[A-Za-z_]\w*", lambda found: self.renames.get(found[0], found[0]), line)

    def depth(self, directive: str, label: str, number: int) -> int:
        """Returns the change of nesting of conditional parts at a directive. Only the generated
        header may have any."""
        if label != self.header_name:
            raise SubsetError(
                f"{label}:{number}: the directive #{directive} is not supported; "
                "write a constant as an enum or a static const double, a macro as a static function"
            )
        return (directive in ("if", "ifdef", "ifndef")) - (directive == "endif")

    def include(self, target: str, label: str, number: int) -> Iterator[str]:
        if target.startswith("<"):
            return
        name = target.strip('"')
        if name == self.header_name:
            if name not in self.seen:
                self.seen.add(name)
                yield from self.expand(self.header_types, name)
            return
        path = self.include_dir / name
        if not path.is_file():
            raise SubsetError(
                f'{label}:{number}: the include "{name}" is not found; write it as seen from'
                " fmu_src"
            )
        if path.resolve() not in self.seen:
            self.seen.add(path.resolve())
            self.includes.append(name)
            yield from self.expand(path.read_text(encoding="utf-8"), self.label(path))


def _without_comments(text: str) -> str:
    def blank(match: re.Match[str]) -> str:
        token = match.group()
        return " " + "\n" * token.count("\n") if token[0] == "/" else token

    return TOKEN.sub(blank, text)


def _guard_lines(lines: list[str]) -> set[int]:
    """Returns the numbers of the three lines of an include guard, if there is one."""
    stripped = ((number, line.strip()) for number, line in enumerate(lines, 1))
    directives = [(number, line[1:].split()) for number, line in stripped if line.startswith("#")]
    if len(directives) < 3:
        return set()
    (first, opening), (second, define), (last, closing) = (
        directives[0],
        directives[1],
        directives[-1],
    )
    is_guard = (
        opening[:1] == ["ifndef"] and define == ["define", opening[-1]] and closing[:1] == ["endif"]
    )
    return {first, second, last} if is_guard else set()


class _Lexer(c_lexer.CLexer):
    """A lexer that remembers the last token, because some errors of the parser name no line."""

    last = None

    def token(self) -> Any:
        token = super().token()
        self.last = token or self.last
        return token


@lru_cache(maxsize=2)
def syntax_tree(text: str) -> c_ast.FileAST:
    """Parses a text; the tree is cached and must not be changed."""
    parser = c_parser.CParser(lexer=_Lexer)
    try:
        return parser.parse(text)
    except c_parser.ParseError as error:
        place = re.match(r"(.*?):(\d+)(?::\d+)?:\s*(.*)", str(error))
        if place:
            file, line, reason = place.groups()
        else:
            file, line, reason = (
                parser.clex.filename,
                parser.clex.last.lineno,
                str(error).split(": ")[-1],
            )
        raise SubsetError(f"{file}:{line}: this C is not supported here ({reason})") from None
