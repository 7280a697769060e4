"""Run a model over a record of its inputs.

The record is a table with a column time and one column per input, named as in the FMU; inputs
without a column keep their defaults or the values of --set. The outputs are written as CSV, at the
same times."""

from __future__ import annotations

from typing import Any
import argparse
import sys
from pathlib import Path

from ... import BristleError
from ..arguments import add_model, add_out, add_version

EXAMPLES = """
  bristle run LuGre motion.csv -o force.csv
  bristle run LuGre motion.csv --ssv my.ssv --set staticFriction=0.5 --output frictionForce
  bristle run LuGre --set relativeVelocity=0.02 --stop 0.1 --interval 0.01
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...parameters import add_parameters

    add_model(parser)
    parser.add_argument("record", type=Path, nargs="?", help="the table of inputs")
    add_parameters(parser)
    parser.add_argument(
        "--output",
        action="append",
        metavar="NAME",
        help="a variable to write (default: all outputs)",
    )
    parser.add_argument(
        "--hold",
        action="store_true",
        help="hold the inputs between samples instead of interpolating linearly",
    )
    parser.add_argument("--tolerance", type=float, help="of the co-simulation")
    parser.add_argument("--stop", type=float, help="without a record: the end of the run [s]")
    parser.add_argument("--interval", type=float, help="without a record: time between samples [s]")
    add_out(parser, "the file to write; an existing one is replaced (default: the terminal)")
    add_version(parser)


def run(arguments: argparse.Namespace) -> None:
    import numpy as np

    from ..files import writing
    from ...library import describe
    from ...parameters import given_parameters
    from ...running import Runs, check_samples
    from ...tables import read_table, write_table

    if arguments.out and arguments.out.suffix == ".fmu":
        raise BristleError(f"{arguments.out}: results are not an FMU; give them another name.")
    about = describe(arguments.model, arguments.fmi)
    given = given_parameters(arguments, about)
    names = [one.name for one in about.inputs]
    inputs: dict[str, Any] = {name: given.pop(name) for name in names if name in given}
    if arguments.record:
        if arguments.stop is not None or arguments.interval is not None:
            raise BristleError("--stop and --interval are for a run without a record.")
        table = read_table(arguments.record)
        time = table["time"]
        known = [one.name for one in about.inputs]
        for name in table.columns:
            if name != "time" and name not in known:
                raise BristleError(
                    f"{arguments.record}, column {name}: {about.name} has no such input; there are"
                    f" {', '.join(known)}."
                )
            if name in inputs:
                raise BristleError(f"{arguments.record}, column {name}: is also given by --set.")
        inputs |= {name: values for name, values in table.columns.items() if name != "time"}
    else:
        stop, interval = arguments.stop, arguments.interval
        if stop is None or interval is None:
            raise BristleError("a record is needed, or --stop and --interval.")
        if not 0 < interval <= stop < float("inf"):
            raise BristleError(
                f"--interval {interval:g} and --stop {stop:g} have to be finite, with 0 < interval"
                " <= stop."
            )
        check_samples(stop, interval)
        time = np.arange(round(stop / interval) + 1) * interval
    how = "hold" if arguments.hold else "linear"
    results = Runs(about.file, time, inputs, arguments.output, how, arguments.tolerance).one(given)
    columns = {"time": time, **results}
    if arguments.out is None:
        write_table(sys.stdout, columns)
        return
    with writing(arguments.out) as handle:
        write_table(handle, columns)
    print(f"{arguments.out}  {len(time)} samples of {about.name}")
