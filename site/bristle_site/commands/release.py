"""Make what is published: the archive of all FMUs and the site."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """
  python site/bristle_site release dist
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        type=Path,
        help="folder with the FMUs, and with report/ and playground/ where these were made",
    )


def run(arguments: argparse.Namespace) -> None:
    from ..release import write_archive, write_site
    from ..report import ROOT

    folder = arguments.folder
    archive = write_archive(folder, folder, ROOT / "LICENSE")
    write_site(folder / "site", ROOT, folder, archive)
    print(f"{archive}\n{folder / 'site' / 'index.html'}")
