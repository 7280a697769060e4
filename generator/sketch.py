"""Draws a sketch of an element: the quantities of its interface as arrows, with their
directions."""

from __future__ import annotations

from html import escape
from math import cos, radians, sin

from .description import Description

WIDTH, HEIGHT = 560, 215
CONTACT = 170  # height of the contact, from above
Arrow = tuple[str, str, tuple[float, ...], tuple[float, float], str]
# Around a body of 180 by 80 above the contact: label, kind (motion or force), ends of the arrow,
# place of the label and its anchor
ARROWS: tuple[Arrow, ...] = (
    ("relativeVelocity", "motion", (330, 72, 440, 72), (448, 77), "start"),
    ("normalForce", "force", (280, 22, 280, 88), (270, 40), "end"),
    ("externalForce", "force", (100, 120, 188, 120), (100, 110), "start"),
    ("− frictionForce", "force", (188, 164, 98, 164), (182, 156), "end"),
    ("frictionForce", "force", (372, 180, 462, 180), (372, 198), "start"),
    ("contactNormal", "motion", (420, 170, 420, 114), (428, 128), "start"),
    ("contactForce", "force", (280, 168, 220, 126), (364, 140), "end"),
)


def sketch(description: Description) -> str:
    """Draws a block on its counterpart as SVG; "" for an element without such a picture."""
    names = {entry.name for entry in description.inputs + description.outputs}
    if "frictionTorque" in names:
        return _wheel(names)
    arrows = [one for one in ARROWS if one[0].lstrip("− ") in names]
    if not names & {"frictionForce", "contactForce", "penetration"}:
        return ""
    title = "A body on its counterpart, with " + ", ".join(
        dict.fromkeys(name.lstrip("− ") for name, *_ in arrows)
    )
    parts = [
        *_begin(title),
        f'<path class="ground" d="M60 {CONTACT}H{WIDTH - 60}V{CONTACT + 34}H60z"/>',
        '<rect class="body" x="190" y="90" width="180" height="80" rx="4"/>',
        '<text x="280.0" y="116" text-anchor="middle">body</text>',
        f'<text x="72" y="{CONTACT + 23}">counterpart</text>',
        *(_arrow(*arrow) for arrow in arrows),
        "</svg>",
    ]
    return "\n".join(parts)


def _begin(title: str) -> list[str]:
    return [
        (
            f'<svg class="sketch" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
            f' aria-label="{escape(title)}">'
        ),
        (
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7"'
            ' markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z"'
            ' fill="context-stroke"/></marker></defs>'
        ),
    ]


def _wheel(names: set[str]) -> str:
    """Draws a wheel in its counterpart, a shoe pressed against it at the radius; both turn about
    the same axis."""
    x, y, radius = WIDTH / 2, CONTACT - 62, 62
    # label, kind, radius and angles of the arc in degrees from above, clockwise; place of the
    # label, its anchor
    curved = [
        ("relativeAngularVelocity", "motion", radius + 12, -20, 60, (x + 74, y - 46), "start"),
        ("− frictionTorque", "force", radius - 16, 40, -60, (x - 76, y - 46), "end"),
    ]
    if "externalTorque" in names:
        curved.append(("externalTorque", "force", radius - 32, -50, 50, (x + 74, y - 8), "start"))
    title = (
        "A wheel at its counterpart, with normalForce, frictionRadius, frictionTorque, "
        + ", ".join(label.lstrip("− ") for label, *_ in curved)
    )
    parts = [
        *_begin(title),
        f'<path class="ground" d="M{x - 90} {CONTACT}H{x + 90}V{CONTACT + 20}H{x - 90}z"/>',
        f'<text x="{x + 100}" y="{CONTACT + 16}">counterpart</text>',
        f'<circle class="body" cx="{x}" cy="{y}" r="{radius}"/>',
        f'<circle class="body" cx="{x}" cy="{y}" r="4"/>',
        f'<line class="radius" x1="{x}" y1="{y + 4}" x2="{x}" y2="{CONTACT}"/>',
        f'<text x="{x + 6}" y="{y + 40}">r</text>',
        *(_curved(x, y, *one) for one in curved),
        _arrow(
            "normalForce",
            "force",
            (x - 40, HEIGHT - 2, x - 40, CONTACT + 22),
            (x - 50, HEIGHT - 6),
            "end",
        ),
        "</svg>",
    ]
    return "\n".join(parts)


def _curved(
    x: float,
    y: float,
    label: str,
    kind: str,
    radius: float,
    begin: float,
    end: float,
    place: tuple[float, float],
    anchor: str,
) -> str:
    (x1, y1), (x2, y2) = (
        (x + radius * sin(radians(angle)), y - radius * cos(radians(angle)))
        for angle in (begin, end)
    )
    return (
        f'<path class="{kind}" d="M{x1:.1f} {y1:.1f}A{radius:g} {radius:g} 0 0 {int(end > begin)}'
        f' {x2:.1f} {y2:.1f}" marker-end="url(#tip)"/><text class="{kind}" x="{place[0]:g}"'
        f' y="{place[1]:g}" text-anchor="{anchor}">{escape(label)}</text>'
    )


def _arrow(
    label: str, kind: str, ends: tuple[float, ...], place: tuple[float, float], anchor: str
) -> str:
    x1, y1, x2, y2 = ends
    x, y = place
    return (
        f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
        f' marker-end="url(#tip)"/><text class="{kind}" x="{x:g}" y="{y:g}"'
        f' text-anchor="{anchor}">{escape(label)}</text>'
    )
