"""Show a model: inputs, outputs, parameters, parameter sets, equations, and its purpose.

Parameters have their unit, range and default, in SI units. bristle doc has the same with pictures.
"""

from __future__ import annotations

import argparse

from ..arguments import add_model, add_version

EXAMPLES = """
  bristle show LuGre
  bristle show MyGuideway.fmu
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_version(parser)


def run(arguments: argparse.Namespace) -> None:
    import shutil

    from ...library import describe
    from ...showing import WIDTH, text_of

    columns = shutil.get_terminal_size((WIDTH, 0)).columns
    print(text_of(describe(arguments.model, arguments.fmi), max(60, min(columns, WIDTH))))
