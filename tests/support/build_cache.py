"""Keeps what a command makes of its inputs in build/kept/, so that the next check finds it there: a
compilation of the same sources by the same compiler, a run of the same program with the same seed.
What a test asserts of it is asserted each time."""

import fcntl
import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from commands import printed
from fmus import REPOSITORY

FOLDER = REPOSITORY / "build" / "kept"
MOST = 4  # of a name: another run may still use one, with a change in it that is tried out


def _fingerprint(inputs):
    """Of words, bytes and files; a folder stands for all files in it, by their names within it."""
    digest = hashlib.sha256()
    for one in inputs:
        if isinstance(one, Path) and one.is_dir():
            parts = [
                part
                for file in sorted(one.rglob("*"))
                if file.is_file()
                for part in (file.relative_to(one).as_posix().encode(), file.read_bytes())
            ]
        else:
            parts = [
                (
                    one.read_bytes()
                    if isinstance(one, Path)
                    else one
                    if isinstance(one, bytes)
                    else str(one).encode()
                )
            ]
        for part in parts:
            digest.update(len(part).to_bytes(8, "little") + part)
        digest.update(len(parts).to_bytes(8, "little"))
    return digest.hexdigest()


@cache
def version(compiler):
    """What a compiler says it is: part of the inputs of what it makes."""
    return printed(compiler, "--version")


def kept(name, inputs, make):
    """The folder with what `make(folder)` has made, now or before from equal inputs. What it is
    made of has to be among the inputs, all of it; what fails is not kept. Of each name the last few
    folders stay."""
    home = FOLDER / name
    home.mkdir(parents=True, exist_ok=True)
    target = home / _fingerprint(inputs)[:32]
    with open(
        FOLDER / f"{name.replace('/', '-')}.lock", "w"
    ) as lock:  # another worker may want the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            others = sorted(home.iterdir(), key=lambda folder: folder.stat().st_mtime)
            for old in others[: 1 - MOST]:
                shutil.rmtree(old, ignore_errors=True)
            fresh = Path(tempfile.mkdtemp(dir=home))
            try:
                make(fresh)
                fresh.rename(target)
            except BaseException:  # also where somebody stops the check
                shutil.rmtree(fresh, ignore_errors=True)
                raise
        os.utime(target)
    return target


def compiled(name, folders, *commands, given=()):
    """The folder in which compilers have run, one command after the other: what they make they put
    there. `{sources}` in a command is the folder of that name, wherever it is today; what they read
    is in these folders or comes with the compiler, whose version the first word gives unless
    it is among the given.
    """

    def make(folder):
        for command in commands:
            printed(*(str(word).format_map(folders) for word in command), cwd=folder)

    inputs = [
        *(word for command in commands for word in (*command, "\n", version(command[0]))),
        *folders.keys(),
        *folders.values(),
        *given,
    ]
    return kept(name, inputs, make)
