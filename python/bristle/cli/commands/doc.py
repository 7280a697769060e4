"""Open the documentation page of a model in the browser.

It is the page inside the FMU and needs no network. With -o it is written to a file instead."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..arguments import add_model, add_out, add_version

EXAMPLES = """
  bristle doc LuGre
  bristle doc LuGre -o LuGre.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_out(parser, "the file to write instead of opening the page; an existing one is replaced")
    add_version(parser)


def run(arguments: argparse.Namespace) -> None:
    import tempfile

    from ... import BristleError
    from ..browser import open_page
    from ..files import write_text
    from ...format.archive import page_of
    from ...library import fmu

    file = fmu(arguments.model, arguments.fmi)
    page = page_of(file)
    if not page:
        raise BristleError(f"{file}: has no documentation page.")
    if arguments.out:
        write_text(arguments.out, page)
        print(arguments.out)
        return
    target = Path(tempfile.mkdtemp(prefix="bristle-"), f"{file.stem}.html")
    write_text(target, page)
    open_page(target)
