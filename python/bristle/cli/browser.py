"""Opens pages in the browser."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path


def open_page(page: Path, place: str = "") -> None:
    """Opens a page at a place on it and prints its address; without a browser, only prints it."""
    address = page.resolve().as_uri() + (f"#{place}" if place else "")
    print(address, flush=True)
    if not webbrowser.open(address):
        print("No browser was found; open this address in one.", file=sys.stderr)
