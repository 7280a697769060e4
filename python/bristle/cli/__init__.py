"""The command line. Every module of the package of commands is a command of its name; no list is
kept anywhere. The generator and the site have command lines of the same kind, with commands of
their own.

A command is a module with

    its docstring              the first line is shown by `bristle --help`, all of it by
                               `bristle <command> --help`
    EXAMPLES                   lines to try, shown below
    add_arguments(parser)      for argparse
    run(arguments)             does it; whatever goes wrong becomes one line and exit code 2 in main

A module imports what takes long (numpy, scipy) inside of run, so that --help stays quick.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import re
import signal
import stat
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from .. import VERSION, BristleError

from . import commands

BAD_INPUT, INTERRUPTED, ENDED = 2, 130, 143
DEFECT = "this is a defect of bristle, or an input that it does not know"


def main(
    words: Sequence[str] | None = None, package: ModuleType = commands, program: str = "bristle"
) -> int:
    """Runs a command of the package and returns the exit code."""
    words = sys.argv[1:] if words is None else list(words)
    try:
        signal.signal(signal.SIGTERM, _end)
    except ValueError:
        pass  # outside the main thread the caller handles signals
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # closed by the caller
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # a file name may be no text, and the terminal may lack characters
            stream.reconfigure(errors="backslashreplace")
    try:
        arguments = parsed(words, package, program)
        given = vars(arguments) if package is commands else {}
        out = given.get("out") or given.get("folder")
        missing = [one for one in (out, *out.parents) if not one.exists()] if out else []
        arguments.run(arguments)
        sys.stdout.flush()
        if made := [one for one in missing if one.is_dir()]:
            print(f"{program}: made the folder {made[0]}.", file=sys.stderr)
    except BristleError as error:
        return _fail(program, str(error))
    except BrokenPipeError:  # the reader of our output has closed the pipe
        _drop_output()
    except OSError as error:
        _drop_output()
        return _fail(
            program,
            (
                f"{error.filename}: {error.strerror}."
                if error.filename
                else f"{error.strerror or error}."
            ),
        )
    except ModuleNotFoundError as error:
        name = _chosen(words, package) or "--help"
        source = error.name if package is commands else "-r requirements.txt"
        return _fail(
            program,
            f"{program} {name} needs the Python package {error.name}: pip install {source}.",
        )
    except MemoryError:
        return _fail(program, "there is not enough memory for this.")
    except KeyboardInterrupt:
        print(f"{program}: interrupted.", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:  # a defect: one line too, with a traceback on request
        if os.environ.get("BRISTLE_TRACEBACK"):
            raise
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}, line {where.lineno}"
        return _fail(
            program,
            f"{DEFECT}: {type(error).__name__} in {place}: {error}; with BRISTLE_TRACEBACK=1 all of"
            " it is shown.",
        )
    return 0


def parsed(
    words: Sequence[str], package: ModuleType = commands, program: str = "bristle"
) -> argparse.Namespace:
    """Parses the arguments of a command, for its `run`."""
    arguments = _parser(words, package, program).parse_args(words)
    _check(arguments)
    return arguments


def _drop_output() -> None:
    """Discards what is not written yet, so that Python does not try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _check(arguments: argparse.Namespace) -> None:
    """Refuses to overwrite an input file and to read a device, which may have no end."""
    given = dict(vars(arguments))
    out = given.pop("out", None)
    if given.get("seed", 0) < 0:
        raise BristleError(f"--seed {given['seed']} has to be 0 or more.")
    if out is not None and out.name in ("", ".."):
        raise BristleError(f'--out "{out}" is not the name of a file.')
    for value in given.values():
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, (str, Path)) or not os.path.exists(one):
                continue
            if out is not None and out.exists() and out.samefile(one):
                raise BristleError(f"{out}: this command reads the file; write to another one.")
            if stat.S_ISCHR(os.stat(one).st_mode) and not os.path.samefile(one, os.devnull):
                raise BristleError(f"{one}: is a device.")


def names(package: ModuleType = commands) -> list[str]:
    """Lists all commands."""
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def _chosen(words: Sequence[str], package: ModuleType) -> str | None:
    """Finds the name of the command among the words, if there is one."""
    word = next((word for word in words if not word.startswith("-")), None)
    return word if word in names(package) else None


def command(name: str, package: ModuleType = commands) -> ModuleType:
    return import_module(f"{package.__name__}.{name}")


class Parser(argparse.ArgumentParser):
    """Reports wrong arguments in one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        wrong = re.match(r"argument command: invalid choice: '([^']*)'", message)
        if wrong:
            near = get_close_matches(wrong[1].lower(), names(), n=1)
            meant = f" (did you mean {near[0]}?)" if near else ""
            message = f'there is no command "{wrong[1]}"{meant}'
        self.exit(
            _fail(
                self.prog.split()[0],
                f"{message[0].lower()}{message[1:].rstrip('.')}; see {self.prog} --help.",
            )
        )


def _parser(words: Sequence[str], package: ModuleType, program: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=program,
        description=(package.__doc__ or "").partition("\n")[0],
        epilog=f"{program} <command> --help has more, with examples.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"{program} {VERSION}")
    places = parser.add_subparsers(
        required=True, metavar="command", title="commands", dest="command", parser_class=Parser
    )
    chosen = _chosen(words, package)
    for name in [chosen] if chosen else names(package):
        _add(places, name, command(name, package))
    return parser


def _add(places: argparse._SubParsersAction, name: str, module: ModuleType) -> None:
    text = (module.__doc__ or "").strip()
    title = text.partition("\n")[0].rstrip(".")
    examples = getattr(module, "EXAMPLES", "").strip("\n")
    parser = places.add_parser(
        name,
        help=title[0].lower() + title[1:],
        description=text,
        epilog=f"examples:\n{examples}" if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)


def _fail(program: str, sentence: str) -> int:
    print(f"{program}: {' '.join(sentence.split())}", file=sys.stderr)
    return BAD_INPUT


def _end(*_: object) -> NoReturn:
    raise SystemExit(ENDED)  # so that unfinished files are removed
