"""Makes changes by rule. Each token of the C is examined; comments, strings, directives and
declarations of types are left alone.

    relation     < for >, <= for >=, == for !=, and the other way round
    arithmetic   + for -, * for /, and the other way round (also of += and so on)
    logic        && for ||, and the other way round
    negation     the condition of an if, a while or a ?: the other way round
    constant     a number that is larger by one
    statement    an assignment or a call that is left out

Moving a limit by one rounding, < for <=, is not among them: for floating-point numbers it is no
change.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator

from .edits import PACKAGE, SOURCE, Mutant, change_of
from .python_operators import python_mutants_of

TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'
      |^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
      |(?P<number>(?<![\w.])(?:0x[0-9a-fA-F]+|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)
      |(?P<name>[A-Za-z_]\w*)
      |(?P<mark>->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|[-+*/<>=!&|^~?:;,.(){}\[\]%])""",
    re.X | re.S | re.M,
)
RELATIONS = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "!=", "!=": "=="}
ARITHMETIC = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "+=": "-=",
    "-=": "+=",
    "*=": "/=",
    "/=": "*=",
}
LOGIC = {"&&": "||", "||": "&&"}
FOLDERS = ("fmi2", "fmi3", "core", "solver", "common", "models")
# of the package: the code that runs, fits and sweeps FMUs
PYTHON = ("*.py", "cli/**/*.py", "identify/**/*.py", "sweep/*.py")
TYPES = (
    "void int double char size_t unsigned const static enum struct typedef return if "
    "for while switch case default else do break continue goto inline va_list"
).split()


Tokens = list[tuple[str | None, str, int, int]]  # kind, text, begin and end


def mutants_of(file: str) -> Iterator[Mutant]:
    """Lists all changes of one file."""
    if file.endswith(".py"):
        yield from python_mutants_of(file)
        return
    source = (SOURCE / file).read_text(encoding="utf-8")
    tokens = [
        (m.lastgroup, m[0], m.start(), m.end())
        for m in TOKEN.finditer(source)
        if m.lastgroup != "skip"
    ]
    depth, spans = 0, []  # of function bodies: outside them are tables and types

    def change(kind: str, begin: int, end: int, text: str) -> Mutant:
        return Mutant(kind, file, begin, end, text)

    for i, (kind, text, begin, end) in enumerate(tokens):
        before = tokens[i - 1] if i else ("mark", ";", 0, 0)
        after = tokens[i + 1] if i + 1 < len(tokens) else ("mark", ";", 0, 0)
        if text == "{":
            spans.append(before[1])
            depth += 1
        elif text == "}":
            depth -= 1
            spans.pop()
        operand_before = (
            before[0] in ("number", "name")
            and before[1] not in ("return", "case")
            or before[1] in (")", "]")
        )
        if text in RELATIONS and operand_before:
            yield change("relation", begin, end, RELATIONS[text])
        elif text in LOGIC:
            yield change("logic", begin, end, LOGIC[text])
        elif text in ARITHMETIC and operand_before and _is_binary(tokens, i):
            yield change("arithmetic", begin, end, ARITHMETIC[text])
        elif (
            kind == "number"
            and not (before[1] == "[" and after[1] == "]" and depth == 0)
            and text[:2] != "0x"
        ):
            yield change("constant", begin, end, _larger(text))
        elif kind == "name" and text in ("if", "while") and after[1] == "(":
            closing = _closing(tokens, i + 1)
            inner = tokens[i + 1][3], tokens[closing][2]
            yield change("negation", *inner, f"!({source[inner[0] : inner[1]]})")
        if (
            depth > 0
            and before[1] in (";", "{", "}", ")", "else")
            and kind in ("name", "mark")
            and (kind == "name" or text == "*" or text == "(")
        ):
            statement = _statement(tokens, i)
            if statement is not None and (before[1] != ")" or _ends_condition(tokens, i - 1)):
                yield change("statement", begin, statement, ";")


def _larger(number: str) -> str:
    digits = number.rstrip("uUlLfF")
    value = float(digits) if re.search(r"[.eE]", digits) else int(digits)
    return f"{value + 1!r}{number[len(digits) :]}"


def _is_binary(tokens: Tokens, i: int) -> bool:
    """Checks for a binary operator: not a pointer in a declaration (double *x), no unary operator;
    (Type *)x is a cast."""
    text, before, after = tokens[i][1], tokens[i - 1], tokens[i + 1]
    if text != "*":
        return True
    if after[1] in (")", "*", ",", "const"):
        return False
    name = before[1]
    return not (
        before[0] == "name"
        and (
            name in TYPES
            or name.startswith("fmi2")
            or name[0].isupper()
            and len(name) > 2
            and not name.isupper()
        )
    )


def _closing(tokens: Tokens, opening: int) -> int:
    depth = 0
    for i in range(opening, len(tokens)):
        depth += (tokens[i][1] == "(") - (tokens[i][1] == ")")
        if depth == 0:
            return i
    raise ValueError("a bracket is not closed")


def _ends_condition(tokens: Tokens, closing: int) -> bool:
    """Checks whether the bracket closed here is that of an if, a for or a while."""
    depth = 0
    for i in range(closing, -1, -1):
        depth += (tokens[i][1] == ")") - (tokens[i][1] == "(")
        if depth == 0:
            return tokens[i - 1][1] in ("if", "for", "while")
    return False


def _statement(tokens: Tokens, i: int) -> int | None:
    """Returns the end of the assignment or call that begins here; None for other statements."""
    if tokens[i][1] in TYPES:
        return None
    if tokens[i][1] == "(" and tokens[i + 1][1] == "void":
        return None
    if (
        tokens[i][0] == "name"
        and tokens[i + 1][0] == "name"
        or (tokens[i][0] == "name" and tokens[i + 1][1] == "*" and tokens[i][1][0].isupper())
    ):
        return None  # a declaration
    works = False
    depth = 0
    for j in range(i, len(tokens)):
        text = tokens[j][1]
        depth += (text in "([{") - (text in ")]}")
        if depth < 0:
            return None
        if (
            text in ("=", "+=", "-=", "*=", "/=", "|=", "&=", "++", "--")
            or text == "("
            and tokens[j - 1][0] == "name"
        ):
            works = True
        if text == "|" and tokens[j + 1][1] == "=":
            works = True
        if text == ";" and depth == 0:
            return tokens[j][3] if works else None
        if text in ("{", ":") and depth <= 1 and text == "{":
            return None
    return None


def files(language: str = "c") -> list[str]:
    """Lists every C file of models, below fmu_src/, without the one that only hosts include; or the
    Python that runs, fits and sweeps them, below its package."""
    if language == "python":
        return [
            path.relative_to(PACKAGE).as_posix()
            for pattern in PYTHON
            for path in sorted(PACKAGE.glob(pattern))
            if path.name[0] != "_"
        ]
    found = [path for folder in FOLDERS for path in sorted((SOURCE / folder).glob("*.[ch]"))]
    return [path.relative_to(SOURCE).as_posix() for path in found if path.name != "host_stepper.c"]


def drawn(count: int, seed: int, only: str = "", language: str = "c") -> list[Mutant]:
    """Draws a sample of all changes. A longer one with the same seed begins with it; the text of
    each change determines its place, so that a changed line of the sources moves no other one in or
    out."""
    places: list[tuple[bytes, Mutant]] = []
    seen: Counter[tuple] = Counter()
    for file in files(language):
        for mutant in mutants_of(file) if only in file else ():
            same = (mutant.name, *change_of(mutant))
            seen[same] += 1
            places.append((hashlib.sha256(f"{seed} {seen[same]} {same}".encode()).digest(), mutant))
    return [mutant for _, mutant in sorted(places, key=lambda place: place[0])][:count]
