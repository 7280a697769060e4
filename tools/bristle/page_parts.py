"""The parts of a documentation page that are written by the generator and found again in an FMU: by `bristle stamp`, which writes them anew, and `bristle suggest`."""

from __future__ import annotations

from html import escape

NOT_PASSIVE = "Not passive."
PASSIVE_WITH = "Passive with {option} = {item}, which is the default, but not with {others}."


def title_line(name: str) -> str:
    return f"<title>{escape(name)} – Bristle</title>"


def header_line(name: str, title: str) -> str:
    return f"<header><h1>{escape(name)}</h1><p>{escape(title)}</p></header>"


def footer_start(name: str) -> str:
    return f"<footer>{escape(name)}.fmu"


def default_cell(name: str, text: str) -> str:
    """The default of a variable, by which it is found again."""
    return f'<span data-default="{escape(name)}">{escape(text)}</span>'


def verdict(text: str) -> str:
    """What a page says first about the energy of its element."""
    return f"<strong>{text}</strong>"
