"""Redraws the pictures of a model for the page of its twin: the same lines, with the axes in the
twin's quantities."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from bristle import BristleError
from .description import Description

TICK = re.compile(r'(<text [^>]*text-anchor="(middle|end)">)([−\d.e]+)(</text>)')
LABEL = re.compile(r'(<text [^>]*text-anchor="middle">)([^<−\d][^<]*)(</text>)')


class TwinPictures:
    """The settings for pictures in a twin's file: labels and factors of the axes, and captions."""

    def __init__(self, file: Path) -> None:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        radius = float(data["parameters"][data["power_of"]]["start"])
        axes = data["pictures"]["axes"]
        self.file = file
        self.axes = {
            label: (one["label"], one["scale"] * radius ** one["power"])
            for label, one in axes.items()
        }
        self.captions = {
            name: " ".join(text.split()) for name, text in data["pictures"]["captions"].items()
        }

    def redrawn(self, svg: str) -> str:
        """Replaces the labels of a picture, and the numbers at its axes. A panel has the numbers of
        x, those of y, then both labels."""
        lines = svg.split("\n")
        numbers: dict[str, list[int]] = {"middle": [], "end": []}
        axis = "middle"  # the label of x comes first
        for i, line in enumerate(lines):
            if tick := TICK.fullmatch(line):
                numbers[tick[2]].append(i)
            elif label := LABEL.fullmatch(line):
                if label[2] not in self.axes:
                    raise BristleError(
                        f'{self.file}: pictures.axes: "{label[2]}" is missing, the label of an axis'
                        " in a picture of a model."
                    )
                text, factor = self.axes[label[2]]
                lines[i] = f"{label[1]}{text}{label[3]}"
                for k in numbers[axis]:
                    lines[k] = TICK.sub(
                        lambda found: f"{found[1]}{_times(found[3], factor)}{found[4]}", lines[k]
                    )
                numbers[axis] = []
                axis = "end" if axis == "middle" else "middle"
        return "\n".join(lines)


def twin_pictures(description: Description) -> TwinPictures | None:
    """Returns the settings of a twin; None for a model itself."""
    twin = description.name.removeprefix(description.model)
    return TwinPictures(description.file.parent / "twins" / f"{twin}.toml") if twin else None


def _times(number: str, factor: float) -> str:
    return f"{float(number.replace('−', '-')) * factor:.6g}".replace("-", "−")
