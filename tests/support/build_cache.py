"""Keeps in build/kept/ what commands make of their inputs, for the next check with the same inputs.
What a test asserts of it is asserted each time."""

import fcntl
import hashlib
import os
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import printed
from fmus import REPOSITORY

FOLDER = REPOSITORY / "build" / "kept"
MOST = 4  # results of a name: another run may still use one


def _fingerprint(one):
    """Replaces a file by the hash of its content, a folder by names and hashes of its files."""
    if isinstance(one, Path) and one.is_dir():
        files = (file for file in sorted(one.rglob("*")) if file.is_file())
        return [(file.relative_to(one).as_posix(), _fingerprint(file)) for file in files]
    return hashlib.sha256(one.read_bytes()).hexdigest() if isinstance(one, Path) else one


def kept(name, inputs, make):
    """Returns the folder with what `make(folder)` writes, made now or before from equal inputs:
    values, files and folders, which have to be all that it depends on."""
    key = hashlib.sha256(repr([_fingerprint(one) for one in inputs]).encode()).hexdigest()
    target = FOLDER / name / key
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target.parent / "lock", "w") as lock:  # another worker may make the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            for old in sorted(target.parent.glob("?" * len(key)), key=os.path.getmtime)[: 1 - MOST]:
                shutil.rmtree(old)
            with TemporaryDirectory(dir=target.parent) as fresh:
                made = Path(fresh, "made")
                made.mkdir()
                make(made)
                made.rename(target)
    return target


@cache
def version(compiler):
    """Returns the version of a compiler, an input of what it makes."""
    return printed(compiler, "--version")


def compiled(name, folders, *commands, given=()):
    """Returns the folder in which the commands have run. `{sources}` in a command stands for the
    folder of that name. Besides these folders the result depends on the version of each compiler,
    and on what is given."""

    def make(folder):
        for command in commands:
            printed(*(str(word).format_map(folders) for word in command), cwd=folder)

    versions = [version(command[0]) for command in commands]
    return kept(name, [commands, versions, *folders, *folders.values(), *given], make)
