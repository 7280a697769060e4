"""Common parts of all pages of the site: the style, the links to the other parts, and the frame."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from bristle import VERSION
from generator.page import CONTROLS, SCROLLS, STYLE

HERE = Path(__file__).parent
LINK = re.compile(r'(?<=[ <])(href|src)="([^"#:]+)(#[^"]*)?"')


def head(title: str, style: str) -> str:
    """Writes the beginning of a page, up to its body."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>{style}</style>
</head>"""


@dataclass(frozen=True)
class Frame:
    """Lists the parts of the site, each as a link from its root and a word."""

    parts: tuple[tuple[str, str], ...]

    def page(self, here: Path, title: str, body: str, script: str = "") -> str:
        """Writes a page at this place of the site."""
        style = (HERE / "site.css").read_text(encoding="utf-8")
        end = f"<script>\n{script}</script>\n" if script else ""
        return f"""{head(title, STYLE + CONTROLS + style)}
<body>
{self.navigation(here)}
<main>
{reachable(body)}
</main>
<footer><p>Bristle {VERSION}, MIT licence</p></footer>
{end}</body>
</html>
"""

    def navigation(self, here: Path) -> str:
        """Writes the links to all parts, of which a page may be one."""
        links = "".join(
            f'<a href="{up(here)}{escape(link)}"{self._current(here, link)}>{escape(word)}</a>'
            for link, word in self.parts
        )
        return f'<nav class="site" aria-label="Site">{links}</nav>'

    @staticmethod
    def _current(here: Path, link: str) -> str:
        return ' aria-current="page"' if here == Path(link) else ""


def up(here: Path) -> str:
    """Returns the relative path from a page to the root."""
    return "../" * (len(here.parts) - 1)


def reachable(body: str) -> str:
    """Makes wide tables and listings scrollable and reachable by keyboard; the empty corner of a
    table is no header."""
    body = re.sub(r"<th>\s*</th>", "<td></td>", body)
    body = re.sub(
        r"<table>.*?</table>",
        lambda table: f'<div class="scroll" {SCROLLS} aria-label="Table">{table[0]}</div>',
        body,
        flags=re.DOTALL,
    )
    return body.replace("<pre>", f'<pre {SCROLLS} aria-label="Listing">')
