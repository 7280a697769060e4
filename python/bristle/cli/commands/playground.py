"""Open the playground in the browser: all models live, with any parameters.

It is one file and needs neither a server nor a network."""

from __future__ import annotations

import argparse

EXAMPLES = """
  bristle playground
  bristle playground LuGre
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", help="the model to begin with")


def run(arguments: argparse.Namespace) -> None:
    from ... import BristleError
    from ..browser import open_page
    from ...library import describe, fmu_folders

    places = [folder / "playground" / "index.html" for folder in fmu_folders()]
    page = next((place for place in places if place.is_file()), None)
    if page is None:
        raise BristleError(f"there is no playground in {' or '.join(map(str, places))}.")
    law = ""
    if arguments.model:
        about = describe(arguments.model)
        law = about.facts.law
        if not law or about.facts.kind == "load":
            raise BristleError(f"the playground has no {about.name}.")
    open_page(page, f"1={law}" if law else "")
