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
    parser.add_argument(
        "--repository", type=Path, default=Path("."), help="where README.md and LICENSE are"
    )


def run(arguments: argparse.Namespace) -> None:
    from ..release import write_archive, write_site

    folder, repository = arguments.folder, arguments.repository
    archive = write_archive(folder, folder, repository / "LICENSE")
    write_site(folder / "site", repository, folder, archive)
    print(f"{archive}\n{folder / 'site' / 'index.html'}")
