"""The command line. Every module of the folder commands/ is a command of its name; no list is kept anywhere.

A command is a module with

    its docstring              the first line is shown by `bristle --help`, all of it by `bristle <command> --help`
    EXAMPLES                   lines to try, shown below
    add_arguments(parser)      for argparse
    run(arguments)             does it; a BristleError or an OSError becomes one line and exit code 2
    EXTRA = "identify"         the optional dependencies of pyproject.toml that it needs, if any
    FOR_THE_BUILD = True       where only the build uses it: it works, but `bristle --help` leaves it out

A module imports what takes long (numpy, scipy) inside of run, so that --help stays quick.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import re
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import NoReturn

from .. import VERSION, BristleError, commands
from .extras import wheel

BAD_INPUT, INTERRUPTED, ENDED = 2, 130, 143


def main(words: Sequence[str] | None = None) -> int:
    """Runs a command; gives the exit code."""
    words = sys.argv[1:] if words is None else list(words)
    try:
        signal.signal(signal.SIGTERM, _end)
    except ValueError:
        pass  # not in the main thread: whoever called takes care of signals
    try:
        arguments = _parser(words).parse_args(words)
        arguments.run(arguments)
        sys.stdout.flush()
    except BristleError as error:
        return _fail(str(error))
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror or error}.")
    except ModuleNotFoundError as error:
        name = _chosen(words)
        return _fail(f"bristle {name or '--help'} needs the Python package {error.name}: pip install {_bringing(name, error)}.")
    except MemoryError:
        return _fail("there is not enough memory for this.")
    except KeyboardInterrupt:
        print("bristle: interrupted.", file=sys.stderr)
        return INTERRUPTED
    return 0


def names() -> list[str]:
    """All commands."""
    return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


def _chosen(words: Sequence[str]) -> str | None:
    """The command that is asked for, if there is one."""
    word = next((word for word in words if not word.startswith("-")), None)
    return word if word in names() else None


def command(name: str) -> ModuleType:
    return import_module(f"{commands.__name__}.{name}")


class Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line, like every other mistake."""

    def error(self, message: str) -> NoReturn:
        wrong = re.match(r"argument command: invalid choice: '([^']*)'", message)
        message = f'there is no command "{wrong[1]}"' if wrong else message  # without those that only the build uses
        self.exit(_fail(f"{message[0].lower()}{message[1:].rstrip('.')}; see {self.prog} --help."))


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = Parser(
        prog="bristle",
        description="Friction models as FMUs: look at them, run them, fit them to measurements.",
        epilog="bristle <command> --help has more, with examples.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"bristle {VERSION}")
    places = parser.add_subparsers(required=True, metavar="command", title="commands", dest="command", parser_class=Parser)
    chosen = _chosen(words)
    for name in [chosen] if chosen else names():
        _add(places, name, command(name))
    return parser


def _add(places: argparse._SubParsersAction, name: str, module: ModuleType) -> None:
    text = (module.__doc__ or "").strip()
    title = text.partition("\n")[0].rstrip(".")
    shown = {} if getattr(module, "FOR_THE_BUILD", False) else {"help": title[0].lower() + title[1:]}
    examples = getattr(module, "EXAMPLES", "").strip("\n")
    parser = places.add_parser(
        name,
        description=text,
        epilog=f"examples:\n{examples}" if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        **shown,
    )
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)


def _bringing(name: str | None, error: ModuleNotFoundError) -> str:
    """What to install for a module that is missing."""
    module = command(name) if name else None
    extra = "build" if getattr(module, "FOR_THE_BUILD", False) else getattr(module, "EXTRA", None)
    return wheel(extra) if extra else str(error.name)


def _fail(sentence: str) -> int:
    print(f"bristle: {' '.join(sentence.split())}", file=sys.stderr)
    return BAD_INPUT


def _end(*_: object) -> NoReturn:
    raise SystemExit(ENDED)  # so that what was begun is cleared away
