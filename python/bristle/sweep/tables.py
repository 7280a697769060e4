"""The table of a sweep: one row per run, as CSV or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from .. import BristleError
from ..cli.files import writing
from .runs import Result

SUFFIXES = (".csv", ".parquet")


def write_results(
    file: Path,
    axes: Sequence[str],
    quantities: Sequence[str],
    points: Sequence[dict[str, float]],
    results: Sequence[Result],
) -> None:
    columns: dict[str, list] = {"run": list(range(len(points)))}
    columns |= {name: [point[name] for point in points] for name in axes}
    columns |= {
        name: [float(result.get(name, float("nan"))) for result in results] for name in quantities
    }
    columns["failure"] = [str(result.get("failure", "")) for result in results]
    if file.suffix == ".parquet":
        _write_parquet(file, columns)
        return
    with writing(file) as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(
            zip(
                *(
                    [repr(value) if isinstance(value, float) else value for value in column]
                    for column in columns.values()
                ),
                strict=True,
            )
        )


def _write_parquet(file: Path, columns: dict[str, list]) -> None:
    import pyarrow
    from pyarrow import parquet

    try:
        with writing(file, "wb") as handle:
            parquet.write_table(pyarrow.table(columns), handle)
    except pyarrow.ArrowException as error:
        raise BristleError(f"{file}: {str(error).splitlines()[0]}.") from None
