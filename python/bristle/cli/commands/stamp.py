"""Make an FMU of your own: a model with your values as its defaults.

It has the law, the platforms and the sources of the model, your values, and its own name,
documentation page and GUID. All parameters can still be set. No compiler is needed."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..arguments import add_model, add_out, add_version
from ...parameters import add_parameters

EXAMPLES = """
  bristle stamp LuGre --ssv my.ssv --name MyGuideway -o MyGuideway.fmu
  bristle stamp LuGre --set staticFriction=0.12 --set dynamicFriction=0.09 --name Slide \\
      --description "Slide of axis 3, oiled"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_parameters(parser)
    parser.add_argument(
        "--name", required=True, help="name of the new element: letters, digits and _"
    )
    parser.add_argument("--description", help="one line about it (default: that of the model)")
    add_out(parser, "the FMU to write (default: <name>.fmu)")
    parser.add_argument("--overwrite", action="store_true", help="replace an existing FMU")
    add_version(parser)


def run(arguments: argparse.Namespace) -> None:
    from ...library import describe
    from ...parameters import given_parameters
    from ...stamping import stamp

    about = describe(arguments.model, arguments.fmi)
    out = arguments.out or Path(f"{arguments.name}.fmu")
    stamp(
        about.file,
        given_parameters(arguments, about),
        arguments.name,
        out,
        arguments.description,
        arguments.overwrite,
    )
    print(f"{out}  {arguments.name}, the law of {about.name}")
