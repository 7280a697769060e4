"""The parts of a documentation page that are an element's own: written by the generator, and anew by `bristle stamp`."""

from __future__ import annotations

from html import escape


def title_line(name: str) -> str:
    return f"<title>{escape(name)} – Bristle</title>"


def header_line(name: str, title: str) -> str:
    return f"<header><h1>{escape(name)}</h1><p>{escape(title)}</p></header>"


def footer_start(name: str) -> str:
    return f"<footer>{escape(name)}.fmu"


def default_cell(name: str, text: str) -> str:
    """The default of a variable, by which it is found again."""
    return f'<span data-default="{escape(name)}">{escape(text)}</span>'
