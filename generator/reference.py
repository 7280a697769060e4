"""Writes docs/api.md: the reference of `import bristle`, from its docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import bristle

HEAD = """\
# Python reference

*Written from the docstrings by `.venv/bin/python -m generator reference docs/api.md`; the examples
are run in the check. [Friction in ten minutes](friction-in-ten-minutes.md) is the place to
start.*

```python
import bristle
import numpy
```

Bad input raises a `BristleError` with one sentence, a wrong type a `TypeError`. All
quantities are in SI units.
"""
GROUPS = {
    "Models": ["models", "fmu", "describe"],
    "Run": ["run", "run_many", "evaluate"],
    "Make an element of your own": ["suggest", "fit", "stamp"],
}


def reference_text() -> str:
    parts = [HEAD]
    for title, names in GROUPS.items():
        parts += [f"## {title}\n", *(_entry(name) for name in names)]
    return "\n".join(parts)


def _entry(name: str) -> str:
    function = getattr(bristle, name)
    text, _, example = dedent("    " + (function.__doc__ or "")).strip().partition(">>> ")
    return f"### {name}\n\n```python\n{_signature(name, function)}\n```\n\n{_markdown(text)}" + (
        f"{_examples('>>> ' + example)}\n" if example else ""
    )


def _signature(name: str, function: Callable[..., Any]) -> str:
    """Writes the call with its defaults, an argument per line if it is long."""
    parameters = list(inspect.signature(function).parameters.values())
    words = [str(one.replace(annotation=inspect.Parameter.empty)) for one in parameters]
    line = f"bristle.{name}({', '.join(words)})"
    return line if len(line) <= 100 else f"bristle.{name}(\n    " + ",\n    ".join(words) + ",\n)"


def _markdown(text: str) -> str:
    return f"{text.strip()}\n\n" if text.strip() else ""


def _examples(text: str) -> str:
    """Writes the blocks of a session, with the sentences between them."""
    parts = re.split(r"\n\n", text.strip())
    return "\n\n".join(
        f"```pycon\n{part}\n```" if part.startswith(">>>") else part for part in parts
    )
