"""The finished runs of a sweep, in a file beside its table, so that an interrupted sweep
resumes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO

from .. import BristleError
from .runs import Result


class Journal:
    """One line per finished run, after a line that identifies the sweep."""

    def __init__(self, file: Path, identity: str) -> None:
        self.file, self.identity = file, identity
        self.done: dict[int, Result] = {}
        self.handle: IO[str] | None = None

    def __enter__(self) -> Journal:
        try:
            if self.file.exists():
                self._read()
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.handle = open(self.file, "a", encoding="utf-8", newline="\n")
            if self.handle.tell() == 0:
                self._write(self.identity)
        except OSError as error:
            raise BristleError(f"{self.file}: {error.strerror or error}.") from None
        return self

    def __exit__(self, *_: object) -> None:
        if self.handle:
            try:
                self.handle.close()
            except OSError:
                pass  # a full disk was reported when the line was written
        if not self.done:
            self.remove()  # nothing to resume

    def _read(self) -> None:
        lines = self.file.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]  # the last may be incomplete
        try:
            identity, *entries = map(json.loads, whole)
            if identity != self.identity:
                raise ValueError
            self.done = {index: result for index, result in entries if isinstance(result, dict)}
        except (ValueError, TypeError, RecursionError):
            raise BristleError(
                f"{self.file} belongs to another sweep that was stopped, or is damaged: remove it,"
                " or choose another -o."
            ) from None
        if len(whole) < len(lines):
            self.file.write_text("".join(whole), encoding="utf-8", newline="\n")

    def add(self, index: int, result: Result) -> None:
        self.done[index] = result
        self._write([index, result])

    def _write(self, content: object) -> None:
        assert self.handle is not None
        try:
            self.handle.write(json.dumps(content) + "\n")
            self.handle.flush()
        except OSError as error:
            raise BristleError(f"{self.file}: {error.strerror or error}.") from None

    def remove(self) -> None:
        self.file.unlink(missing_ok=True)
