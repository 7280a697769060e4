"""A sketch of an element with its arrows: what the names of the interface mean, and which way they point."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from .description import Description

WIDTH, HEIGHT = 560, 215
CONTACT = 170  # height of the contact, from above
BODY = (190, 90, 180, CONTACT - 90)  # left, top, width, height


def sketch(description: Description) -> str:
    """A block on its counterpart as SVG; empty where an element has no such picture."""
    names = {entry.name for entry in description.inputs + description.outputs}
    arrows = list(_arrows(names))
    if not names & {"frictionForce", "contactForce", "penetration"}:
        return ""
    left, top, width, height = BODY
    title = "A body on its counterpart, with " + ", ".join(dict.fromkeys(name.lstrip("− ") for name, *_ in arrows))
    parts = [
        f'<svg class="sketch" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L10 5L0 10z" fill="context-stroke"/></marker></defs>',
        f'<path class="ground" d="M60 {CONTACT}H{WIDTH - 60}V{CONTACT + 34}H60z"/>',
        f'<rect class="body" x="{left}" y="{top}" width="{width}" height="{height}" rx="4"/>',
        f'<text x="{left + width / 2}" y="{top + 26}" text-anchor="middle">body</text>',
        f'<text x="72" y="{CONTACT + 23}">counterpart</text>',
        *(_arrow(*arrow) for arrow in arrows),
        "</svg>",
    ]
    return "\n".join(parts)


def _arrows(names: set[str]) -> Iterator[tuple[str, str, tuple[float, float, float, float], tuple[float, float], str]]:
    """Label, kind (motion or force), ends of the arrow, place of the label and its anchor."""
    left, top, width, height = BODY
    right, middle = left + width, left + width / 2
    if "relativeVelocity" in names:
        yield "relativeVelocity", "motion", (right - 40, top - 18, right + 70, top - 18), (right + 78, top - 13), "start"
    if "normalForce" in names:
        yield "normalForce", "force", (middle, 22, middle, top - 2), (middle - 10, 40), "end"
    if "externalForce" in names:
        yield "externalForce", "force", (left - 90, top + 30, left - 2, top + 30), (left - 90, top + 20), "start"
    if "frictionForce" in names:
        yield "− frictionForce", "force", (left - 2, CONTACT - 6, left - 92, CONTACT - 6), (left - 8, CONTACT - 14), "end"
        yield "frictionForce", "force", (right + 2, CONTACT + 10, right + 92, CONTACT + 10), (right + 2, CONTACT + 28), "start"
    if "contactNormal" in names:
        yield "contactNormal", "motion", (right + 50, CONTACT, right + 50, CONTACT - 56), (right + 58, CONTACT - 42), "start"
    if "contactForce" in names:
        yield "contactForce", "force", (middle, CONTACT - 2, middle - 60, CONTACT - 44), (right - 6, CONTACT - 30), "end"


def _arrow(label: str, kind: str, ends: tuple[float, float, float, float], place: tuple[float, float], anchor: str) -> str:
    x1, y1, x2, y2 = ends
    x, y = place
    return (
        f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" marker-end="url(#tip)"/>'
        f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(label)}</text>'
    )
