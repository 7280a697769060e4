"""A plain page of results in one file that needs no network: texts, tables and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

STYLE = """
:root{color-scheme:light dark}body{font:16px/1.55 system-ui,sans-serif;max-width:62rem;margin:2rem \
auto;padding:0 1rem;color:#1f2a30;background:#fff}
h1{font-size:1.7rem;line-height:1.2}h2{margin-top:2.4rem;font-size:1.25rem}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .9rem .3rem 0;text-align:left;border-bottom:1px solid #dfe5e8;\
vertical-align:top}td.n,th.n{text-align:right}th,td:not(:last-child){white-space:nowrap}
figure{display:inline-block;margin:.6rem .8rem .6rem 0;max-width:100%}figcaption{font-size:.85rem;\
color:#5b6b75}svg{max-width:100%;height:auto}
.facts{font-size:1.05rem}.soft{color:#5b6b75}.wide{overflow-x:auto}
@media(prefers-color-scheme:dark){body{color:#e6ebee;background:#14191c}th,td{border-color:#303a41}\
.soft,figcaption{color:#a3b3bd}}
"""


def sheet(title: str, body: Iterable[str]) -> str:
    head = (
        '<!doctype html>\n<html lang="en"><head><meta'
        f' charset="utf-8"><title>{escape(title)}</title>\n<style>{STYLE}</style></head><body>'
    )
    return "\n".join([head, f"<h1>{escape(title)}</h1>", *body, "</body></html>", ""])


def paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: int) -> str:
    """Makes a table of text; the second and following columns, `numbers` of them, hold numbers."""

    def cells(kind: str, row: Sequence[str]) -> str:
        return "".join(
            f"<{kind}{' class=n' if 0 < i <= numbers else ''}>{escape(cell)}</{kind}>"
            for i, cell in enumerate(row)
        )

    lines = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{cells("th", heads)}</tr>\n{lines}\n</table></div>'


def sentences(title: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    items = "\n".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<h2>{escape(title)}</h2>\n<ul>\n{items}\n</ul>"


def figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
