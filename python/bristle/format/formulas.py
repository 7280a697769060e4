"""Formulas for a terminal: the LaTeX of an element's equations as plain text."""

from __future__ import annotations

import re
import unicodedata

_GREEK = "alpha beta delta eta kappa lambda mu nu omega pi sigma tau theta xi zeta Delta"
_NAMES = {
    **{
        name: unicodedata.lookup(
            f"GREEK {'CAPITAL' if name[0].isupper() else 'SMALL'} LETTER"
            f" {'LAMDA' if name == 'lambda' else name.upper()}"
        )
        for name in _GREEK.split()
    },
    **{"le": "≤", "ge": "≥", "approx": "≈", "to": "→", "pm": "±", "cdot": "·", "sum": "Σ"},
    **{"left": "", "right": "", "quad": "  ", ",": "", ";": " ", "!": "", "\\": "; "},
}
_ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "vec": "\u20d7"}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_&]|[^\\{}^_&]")


def plain(latex: str) -> str:
    """Writes a formula in one line: fractions with a slash, indices with _, powers with ^ or
    raised."""
    tokens = _TOKEN.findall(" ".join(latex.split()))
    text = _until(tokens, None)
    text = re.sub(r"\s+(?=[,;)])|(?<=\() +", "", re.sub(r"\s+", " ", text)).strip()
    return unicodedata.normalize("NFC", text)


def _until(tokens: list[str], end: str | None) -> str:
    parts = []
    while tokens and tokens[0] != end:
        parts.append(_next(tokens))
    if tokens:
        tokens.pop(0)
    return "".join(parts)


def _next(tokens: list[str]) -> str:
    token = tokens.pop(0)
    if token == "{":
        return _until(tokens, "}")
    if token == "&":
        return "  "
    if token in "^_":
        script = _argument(tokens)
        if token == "^" and script.isdigit():
            return script.translate(_RAISED)
        return token + (script if re.fullmatch(r"\w+|[*+-]", script) else f"({script})")
    if not token.startswith("\\"):
        return token
    name = token[1:]
    if name in ("frac", "tfrac"):
        above, below = _argument(tokens), _argument(tokens)
        return f"{_together(above)}/{_together(below)}"
    if name == "sqrt":
        return f"√({_argument(tokens)})"
    if name in _ACCENTS:
        body = _argument(tokens)
        return body[:1] + _ACCENTS[name] + body[1:]
    if name in ("text", "mathrm", "operatorname"):
        return f"{_argument(tokens)}{' ' if name == 'operatorname' else ''}"
    if name in ("begin", "end"):
        _argument(tokens)
        return "{ " if name == "begin" else " }"
    return _NAMES.get(name, f"{name} ")


def _argument(tokens: list[str]) -> str:
    while tokens and tokens[0] == " ":
        tokens.pop(0)
    return _next(tokens).strip() if tokens else ""


def _together(text: str) -> str:
    """Puts a part of a fraction in brackets unless the slash leaves it together."""
    return text if re.fullmatch(r"[\w.|\u0300-\u036f\u20d7]+", text) else f"({text})"
