"""Run a system or a record over a grid or a sample of parameters.

A system is one of the papers' benchmarks (belt, blades, bounce, clutches, cube, festoon,
hysteresis, joint, liftoff, presliding, pulse, pulse3, rabinowicz, sine, stack, sweep, throw), which
come with this command; a record is a measurement as bristle identify reads it. Any parameter of
model and system can be an axis, and any expression over the columns of a run a quantity: at, start,
final, largest, smallest, mean, between, crossing, abs, sqrt, sign, where, as in
drift="1e3*final(position)". A table (CSV or Parquet, by the suffix) and a page with pictures are
written. A sweep that was stopped continues with the same command."""

from __future__ import annotations

import argparse

from ..arguments import add_model, add_out, add_pictures
from ...identify.options import add_reading, reading_options

EXAMPLES = """
  bristle sweep belt LuGre --over staticFriction=0.1:0.5:20 --over beltSpeed=0.05:0.2:20 -o belt.csv
  bristle sweep pulse LuGre --over bristleDamping=50:5000:30:log \\
      --quantity drift="1e3*final(position)"
  bristle sweep belt LuGre --over staticFriction=0.1:0.5 --over beltSpeed=0.05:0.2 \\
      --over mass=0.5:2 --sample sobol --count 256 -o belt.parquet
  bristle sweep loop.csv Dahl --ssv loop-Dahl.ssv --over bristleStiffness=2e4:8e4:50:log
  bristle sweep belt LuGre --over beltSpeed=0.01:0.2:1000 --scheduler tcp://head:8786
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...parameters import add_parameters

    parser.add_argument("target", help="a system, or a file with a record")
    add_model(parser)
    parser.add_argument(
        "--over",
        action="append",
        required=True,
        metavar="NAME=LOW:HIGH:COUNT[:log]",
        help="a parameter and its values; LOW:HIGH to sample; A,B,C",
    )
    parser.add_argument(
        "--sample",
        choices=("latin", "sobol"),
        help="a sample (Latin hypercube, Sobol) instead of the grid",
    )
    parser.add_argument("--count", type=int, help="of the sample")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: 1)")
    parser.add_argument(
        "--quantity",
        action="append",
        default=[],
        metavar="NAME=EXPRESSION",
        help="a result of each run",
    )
    add_parameters(parser)
    parser.add_argument("--stop", type=float, help="end of a system's simulation [s]")
    parser.add_argument(
        "--interval",
        type=float,
        default=0.0,
        help="time between rows of a system's results [s] (default: every step)",
    )
    parser.add_argument(
        "--sets", help="parameter set instead of the system's own, by its name or as .ssv"
    )
    text = "the table, .csv or .parquet; an existing one is replaced (default: target-model.csv)"
    add_out(parser, text)
    add_pictures(parser)
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="address of a Dask scheduler, whose workers make the runs",
    )
    parser.add_argument(
        "--workers", type=int, help="runs at a time on this machine (default: all cores)"
    )
    add_reading(parser)


def run(arguments: argparse.Namespace) -> None:
    from ..extras import needing

    with needing("sweep"):
        from ...sweep.command import sweep

        sweep(arguments, reading_options(arguments))
