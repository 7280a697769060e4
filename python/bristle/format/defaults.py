"""GUID, name and start values of an element (core/defaults.h): as C, and as bytes in a finished
library."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from .. import BristleError

OWN_DEFAULTS = "own_defaults.h"
MARK = b"BRISTLE OWN DEFAULTS"
MARK_BYTES, GUID_BYTES, NAME_BYTES = 24, 40, 128  # as in core/defaults.h


@dataclass(frozen=True)
class Defaults:
    guid: str
    name: str
    parameters: tuple[float, ...]
    inputs: tuple[float, ...]
    options: tuple[int, ...]

    def c_text(self) -> str:
        """Writes the header that the sources include."""
        tables = [
            f"    {{{', '.join(map(repr, values)) or '0'}}},"
            for values in (self.parameters, self.inputs, self.options)
        ]
        texts = [f'    "{text}",' for text in (MARK.decode(), self.guid, self.name)]
        lines = [
            "/* The element's own GUID, name and start values. Generated. */",
            "static const Defaults own_defaults = {",
            *texts,
            *tables,
            "};",
        ]
        return "\n".join(lines) + "\n"

    def _layout(self) -> struct.Struct:
        """Describes the layout of the table on all platforms: little-endian, no gaps, no empty
        array."""
        counts = [max(1, len(values)) for values in (self.parameters, self.inputs, self.options)]
        return struct.Struct(
            "<{}s{}s{}s{}d{}d{}i".format(MARK_BYTES, GUID_BYTES, NAME_BYTES, *counts)
        )

    def table(self) -> bytes:
        """Returns the table as in a library."""
        values = [
            number
            for part in (self.parameters, self.inputs, self.options)
            for number in part or (0,)
        ]
        return self._layout().pack(MARK, self.guid.encode(), self.name.encode(), *values)


def replaced(library: bytes, old: Defaults, new: Defaults) -> bytes:
    """Returns a library for one processor with other defaults in it."""
    places = [found.start() for found in re.finditer(re.escape(MARK), library)]
    before, after = old.table(), new.table()
    if len(places) != 1 or library[places[0] : places[0] + len(before)] != before:
        raise BristleError(
            "the library does not have the defaults that modelDescription.xml gives."
        )
    if len(after) != len(before):
        raise BristleError("the defaults have another size.")
    return library[: places[0]] + after + library[places[0] + len(before) :]
