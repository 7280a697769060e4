"""Writes the search of the site: one page with the texts of all others, without a server."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

from .frame import HERE

HEAD = re.compile(r'<h[1-3](?: id="([^"]*)")?[^>]*>(.*?)</h[1-3]>', re.DOTALL)
SKIPPED = re.compile(r"<(script|style|svg|nav|footer)\b.*?</\1>|<[^>]+>", re.DOTALL)
INLINE = re.compile(r"</?(?:a|b|code|em|i|small|span|strong|sub|sup)\b[^>]*>")  # within a word


def entries(page: Path, site: Path) -> list[list[str]]:
    """Yields the parts of a page: its address with the anchor, its title, the part's title, the
    words."""
    text = page.read_text(encoding="utf-8")
    title = _words(text.partition("<title>")[2].partition("</title>")[0])
    body = text.partition("<body>")[2]
    link = page.relative_to(site).as_posix()
    heads = list(HEAD.finditer(body))
    found = []
    for head, after in zip(heads, [*heads[1:], None], strict=False):
        words = _words(body[head.end() : after.start() if after else None])
        place = f"{link}#{head[1]}" if head[1] else link
        found.append([place, title, _words(head[2]), words])
    return found


def _words(html: str) -> str:
    return " ".join(unescape(SKIPPED.sub(" ", INLINE.sub("", html))).split())


def body() -> str:
    return """<h1>Search</h1>
<form class="search" role="search"><label for="query">Words to look for</label>
<input id="query" name="q" type="search" autocomplete="off" autofocus>
<button type="submit" class="primary">Search</button></form>
<p id="count" role="status"></p>
<ol id="found"></ol>
<noscript><p>The search needs JavaScript.</p></noscript>"""


def script(all_entries: list[list[str]]) -> str:
    data = json.dumps(all_entries, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    code = (HERE / "search.js").read_text(encoding="utf-8")
    return f"const ENTRIES = {data};\n{code}"
