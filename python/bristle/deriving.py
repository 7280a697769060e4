"""Parameters of a contact: suggested from what is known of it, or fitted to a measurement."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, fields
from io import StringIO
from pathlib import Path
from typing import Any

from . import BristleError, suggesting
from .cli.arguments import words_of
from .library import describe
from .parameters import read_ssv
from .suggesting import Known, Suggestion
from .tables import write_table


def suggest(model: str | Path, **known: float) -> Suggestion:
    """Suggests first values of a model's parameters from what is known of the contact, in SI units:
    normal_force, mass, static_friction, dynamic_friction, deflection, … (all that `bristle suggest
    --help` lists). The result has values, reasons, assumptions and warnings.

    >>> made = bristle.suggest("LuGre", mass=2, static_friction=0.15, deflection=2e-5)
    >>> round(made.values["bristleStiffness"])
    147150
    """
    names = [one.name for one in fields(Known)]
    for name, value in known.items():
        if name not in names:
            raise TypeError(f"{name} is not a known quantity; there are {', '.join(names)}.")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{name} must be a number, not {value!r}.")
    return suggesting.suggest(model, Known(**known))


@dataclass(frozen=True)
class Fitted:
    """The result of a fit: values for bristle.run, the text of `bristle identify`, which print()
    shows, and its page."""

    values: dict[str, float | int | str]
    text: str
    page: str

    def __repr__(self) -> str:
        return f"<Fitted {', '.join(f'{name}={value}' for name, value in self.values.items())}>"

    def __str__(self) -> str:
        return self.text


def fit(
    model: str | Path, record: str | Path | Mapping[str, Any] | Sequence[str | Path], **options: Any
) -> Fitted:
    """Finds the parameters of a model in a measurement, as `bristle identify` does.

    The record is a file, several of them, or columns by name with their units, as the files have
    them. Options are those of the command: normal=100, fix={"stribeckExponent": 1}, …

    >>> time = numpy.linspace(0, 2, 201)
    >>> velocity = 0.01 * numpy.cos(6 * time)
    >>> run = bristle.run("SmoothCoulomb", time, {"relativeVelocity": velocity, "normalForce": 20})
    >>> record = {"time [s]": time, "velocity [m/s]": velocity, "force [N]": run["frictionForce"]}
    >>> found = bristle.fit("SmoothCoulomb", record, normal=20)
    >>> print(round(found.values["dynamicFriction"], 3))
    0.3
    """
    from .cli import parsed

    about = describe(model)
    if not isinstance(record, (str, Path, Mapping, Sequence)):
        raise TypeError(
            "record must be a file, a list of files or a dictionary of columns, not"
            f" {record!r:.60}."
        )
    with tempfile.TemporaryDirectory() as folder:
        files = [record] if isinstance(record, (str, Path)) else record
        if isinstance(record, Mapping):
            files = [Path(folder, "record.csv")]
            with open(files[0], "w", encoding="utf-8", newline="\n") as handle:
                write_table(handle, record)
        out = Path(folder, "fit")
        words = ["identify", *map(str, files), "--model", str(model), "-o", str(out)]
        for name, value in options.items():
            words += words_of(f"--{name.replace('_', '-')}", value)
        said, wrong = StringIO(), StringIO()
        with redirect_stdout(said), redirect_stderr(wrong):
            try:
                arguments = parsed(words)
            except SystemExit:  # not an option of the command
                raise BristleError(wrong.getvalue().strip().removeprefix("bristle: ")) from None
            try:
                arguments.run(arguments)
            except OSError as error:
                raise BristleError(f"{error.filename}: {error.strerror}.") from None
        values = read_ssv(out.with_suffix(".ssv"), about)
        page = out.with_suffix(".html").read_text(encoding="utf-8")
        text = said.getvalue().replace(f"{folder}/", "")
    return Fitted(values, text, page)
