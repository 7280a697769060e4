"""No line of a tracked file is longer than 100 columns, in Markdown 120: also comments and strings,
which no formatter wraps."""

import re

import pytest

from commands import completed
from fmus import REPOSITORY

CODE = (".py", ".c", ".h", ".js", ".css", ".toml", ".sh", ".cmake", "CMakeLists.txt", ".yml")
COLUMNS = {".md": 120, **dict.fromkeys(CODE, 100)}
# Lines that may be longer, by file and text, each with the reason.
EXCEPTIONS = (
    (r".*", r"\s*\S+", "one word: a name of a test, an address"),
    (r".*\.md", r"\s*\|.*\|$", "a row of a table"),
)


def longest(name):
    return next((columns for end, columns in COLUMNS.items() if name.endswith(end)), None)


def too_long(name, text):
    columns, in_code = longest(name), False
    for number, line in enumerate(text.splitlines(), 1):
        if name.endswith(".md") and line.lstrip().startswith("```"):
            in_code = not in_code
        if len(line) > columns and not in_code:
            if not any(
                re.fullmatch(file, name) and re.fullmatch(form, line)
                for file, form, _ in EXCEPTIONS
            ):
                yield f"{name}:{number}: {len(line)} columns"


def test_no_line_is_too_long():
    listed = completed("git", "ls-files", "-z", cwd=REPOSITORY)
    if listed.returncode != 0:
        pytest.skip("not a checkout of git")
    names = [name for name in listed.stdout.split("\0") if longest(name)]
    assert len(names) > 400
    found = [
        place
        for name in names
        if (REPOSITORY / name).exists()
        for place in too_long(name, (REPOSITORY / name).read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "name, line, is_found",
    [
        ("a.py", "x " * 51, True),
        ("a.py", "x " * 50, False),
        ("a.md", "x " * 61, True),
        ("a.md", f"| {'x ' * 61}|", False),
        ("a.md", f"```\n{'x ' * 61}\n```", False),
        ("a.toml", '    "' + "x" * 120 + '",', False),
        ("a.svg", None, None),
    ],
)
def test_what_is_found(name, line, is_found):
    if is_found is None:
        assert longest(name) is None
    else:
        assert bool(list(too_long(name, line))) == is_found
