"""Draws model.png: a Stribeck curve with the name of the model below it."""

from __future__ import annotations

import math
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

SIZE = 256
SCALE = 4  # drawn larger and shrunk, for smooth edges
PAPER, FRAME, AXIS, CURVE, TEXT = "#ffffff", "#2f4858", "#b8c4cc", "#d1495b", "#2f4858"


def icon_bytes(name: str) -> bytes:
    size = SIZE * SCALE
    image = Image.new("RGB", (size, size), PAPER)
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle(
        (SCALE, SCALE, size - SCALE, size - SCALE),
        radius=24 * SCALE,
        outline=FRAME,
        width=4 * SCALE,
    )
    middle, height, reach = (size // 2, 104 * SCALE), 76 * SCALE, 100 * SCALE
    draw.line(
        (middle[0] - reach, middle[1], middle[0] + reach, middle[1]), fill=AXIS, width=2 * SCALE
    )
    draw.line(
        (middle[0], middle[1] - height, middle[0], middle[1] + height), fill=AXIS, width=2 * SCALE
    )
    points = (
        (middle[0] + x * reach, middle[1] - _friction(x) * height)
        for x in (i / 4000 for i in range(-4000, 4001))
    )
    radius = 3.5 * SCALE
    for box in dict.fromkeys(
        (int(x - radius), int(y - radius), int(x + radius), int(y + radius)) for x, y in points
    ):  # circles on the same pixels are one
        draw.ellipse(box, fill=CURVE)
    font = _fitting_font(draw, name, size - 28 * SCALE)
    draw.text((size // 2, 216 * SCALE), name, font=font, fill=TEXT, anchor="mm")
    buffer = BytesIO()
    # without ringing and dither, whose dots double the file
    few = image.reduce(SCALE).quantize(32, dither=Image.Dither.NONE)
    few.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _friction(x: float) -> float:
    """Returns friction over velocity, both scaled to -1..1: up from rest, down the Stribeck curve,
    up again."""
    rise = math.tanh(abs(x) / 0.03)
    return math.copysign(rise * (0.5 + 0.45 * math.exp(-abs(x) / 0.15) + 0.25 * abs(x)), x)


def _fitting_font(
    draw: ImageDraw.ImageDraw, name: str, width: float
) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    size = 36 * SCALE
    while draw.textlength(name, font=ImageFont.load_default(size)) > width:
        size -= SCALE
    return ImageFont.load_default(size)
