"""Compares all laws on all records of a folder: errors in the fit and on held-out data, beside
published ones, and their cost, on one page."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import VERSION, BristleError
from ..cli.arguments import words_of
from ..cli.files import check_writable, write_text
from ..parameters import assignments
from ..pages.sheet import paragraph, sentences, sheet, table
from .fit.candidates import Candidate, all_candidates, candidate, check_values, for_joints, suited
from .fit.load import with_load
from .fit.ranking import Ranking, Trial, rank, shortened, verdicts
from .options import LOADS, add_reading, reading_options
from .record.reading import Options, Record, read_record
from .report.words import HEADS, ranking_lines, ranking_rows

RECORDS = (".csv", ".tsv", ".txt", ".dat")
# keys of a side file: options of identify, and others
_OPTIONS = {
    **{name: name for name in "normal mass constant radius rate from to sign offset load".split()},
    "columns": "column",
    "fix": "fix",
}
_OWN = ("validate", "models", "published", "text")
_PUBLISHED = ("law", "fitted", "held_out", "source")


@dataclass(frozen=True)
class Task:
    """A record of the folder with the settings of its side file."""

    file: Path
    options: Options
    load: str = "auto"
    validate: Path | None = None
    models: tuple[str, ...] = ()
    text: str = ""
    published: Sequence[Mapping[str, Any]] = field(default_factory=list)
    fix: Mapping[str, float | str] = field(default_factory=dict)  # parameters and options


@dataclass(frozen=True)
class Outcome:
    task: Task
    record: Record
    notes: Sequence[str]
    ranking: Ranking


def benchmark(folder: Path, out: Path, models: Sequence[str] = ()) -> None:
    """Fits, prints and writes the page."""
    check_writable(out)
    given = [(task, _laws(task, models)) for task in tasks(folder)]
    found = [_outcome(task, laws) for task, laws in given]
    write_text(out, page(found))
    for outcome in found:
        print("\n".join(lines(outcome)))
    print(out)


def tasks(folder: Path) -> list[Task]:
    """Lists the records of a folder: every table that is not the validation of another one."""
    if not folder.is_dir():
        raise BristleError(f"{folder}: there is no such folder.")
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in RECORDS)
    made = [_task(file) for file in files]
    tried = {task.validate for task in made}
    made = [task for task in made if task.file not in tried]
    if not made:
        raise BristleError(f"{folder}: there is no record in it ({', '.join(RECORDS)}).")
    return made


def _task(file: Path) -> Task:
    side = file.with_suffix(".toml")
    if not side.is_file():
        return _task_of(file, {})
    try:
        return _task_of(file, tomllib.loads(side.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BristleError(f"{side}: this is not TOML: {error}.") from None
    except argparse.ArgumentError as error:
        name = str(error.argument_name).removeprefix("--")
        raise BristleError(f"{side}: {name}: {error.message}.") from None
    except BristleError as error:
        raise BristleError(f"{side}: {error}") from None


def _task_of(file: Path, given: Mapping[str, Any]) -> Task:
    """Reads a side file: options of identify, and keys of a benchmark only."""
    for name in given.keys() - {*_OPTIONS, *_OWN}:
        raise BristleError(f"there is no key {name}; there are {', '.join((*_OPTIONS, *_OWN))}.")
    words: list[str] = []
    for name in given.keys() & _OPTIONS.keys():
        words += words_of(f"--{_OPTIONS[name]}", given[name])
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_reading(parser)
    parser.add_argument("--load", choices=LOADS, default="auto")
    parser.add_argument("--fix", action="append", default=[])
    arguments = parser.parse_args(words)
    validate = given.get("validate")
    if validate is not None and not (file.parent / str(validate)).is_file():
        raise BristleError(f"validate = {validate}: there is no such file.")
    for one in given.get("published", []):
        if not isinstance(one, dict) or "law" not in one or one.keys() - set(_PUBLISHED):
            raise BristleError(
                f"a published result has the keys {', '.join(_PUBLISHED)}, and a law."
            )
    return Task(
        file,
        reading_options(arguments),
        arguments.load,
        file.parent / validate if validate else None,
        tuple(given.get("models", ())),
        given.get("text", ""),
        given.get("published", []),
        assignments(arguments.fix),
    )


def _laws(task: Task, models: Sequence[str]) -> list[Candidate]:
    """Returns the compared laws, and checks the fixed values for them."""
    laws = [candidate(name) for name in models or task.models] or all_candidates()
    check_values(f"{task.file.with_suffix('.toml')}: fix", laws, task.fix)
    return laws


def _outcome(task: Task, laws: Sequence[Candidate]) -> Outcome:
    fixed = dict(task.fix)
    twin = next((of for of in laws if of.form.turns), None)
    options = for_joints(twin, task.options, fixed)
    record = read_record(task.file, options)
    whole, notes = shortened(with_load([record], task.load))
    other = None
    if task.validate:
        read = read_record(task.validate, replace(options, start=None, stop=None))
        (other,), _ = shortened([read])
    trial = Trial(whole, fixed, other=other)
    return Outcome(task, record, notes, rank(suited(laws, [record]), trial))


def rows(outcome: Outcome) -> list[tuple[str, ...]]:
    """Returns a row per law, and per published result, of which only the errors are known."""
    made = ranking_rows(outcome.ranking)
    for given in outcome.task.published:
        errors = [f"{given[key]:g}%" if key in given else "–" for key in ("fitted", "held_out")]
        source = f"published: {given['source']}" if "source" in given else "published"
        made.append((str(given["law"]), *errors, "–", "–", "–", "–", source))
    return made


def measure(outcome: Outcome) -> str:
    """Describes the errors."""
    of = "driving force" if outcome.record.drive is not None else "friction force"
    where = (
        f"on {outcome.task.validate.name}, which was not used"
        if outcome.task.validate
        else "on every third piece of the record, which was not used"
    )
    return f"RMS errors in per cent of the RMS {of}; held out: {where}."


def lines(outcome: Outcome) -> list[str]:
    """Returns the lines for the terminal."""
    made = [f"{outcome.record.name}: {measure(outcome)}"]
    return [*made, *ranking_lines(rows(outcome)), *verdicts(outcome.ranking)]


def page(found: Sequence[Outcome]) -> str:
    body = []
    for outcome in found:
        body += [
            f"<h2>{outcome.record.name}</h2>",
            paragraph(outcome.task.text) if outcome.task.text else "",
            paragraph(measure(outcome), "soft"),
            table(HEADS, rows(outcome), 6),
            paragraph(" ".join(verdicts(outcome.ranking))),
            sentences("How it was read", [*outcome.record.notes, *outcome.notes]),
        ]
    spent = sum(one.spent for outcome in found for one in outcome.ranking.places)
    body.append(paragraph(f"{spent:.0f} s of processor time. Bristle {VERSION}.", "soft"))
    return sheet("Laws of friction on measured records", body)
