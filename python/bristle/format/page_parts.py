"""The parts of a documentation page that `bristle stamp` finds in an FMU and rewrites."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def title_line(name: str) -> str:
    return f"<title>{escape(name)} – Bristle</title>"


def header_line(name: str, title: str) -> str:
    return f"<header><h1>{escape(name)}</h1><p>{escape(title)}</p></header>"


def footer_start(name: str) -> str:
    return f"<footer>{escape(name)}.fmu"


def own_name(name: str) -> str:
    """Marks the element's name in a text, for `bristle stamp` to replace."""
    return f'<span data-own="">{escape(name)}</span>'


def default_cell(name: str, text: str) -> str:
    """Marks the default of a variable, for `bristle stamp` to find."""
    return f'<span data-default="{escape(name)}">{escape(text)}</span>'


def numbers_text(values: Sequence[float]) -> str:
    """Writes numbers as a page shows them; equal ones become one."""
    return ", ".join(f"{value:.9g}" for value in (values if len(set(values)) > 1 else values[:1]))
