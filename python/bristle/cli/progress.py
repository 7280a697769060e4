"""Shows the progress of long work on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Progress:
    """One line that is overwritten, on a terminal only."""

    def __init__(self, total: int = 0) -> None:
        self.total, self.done, self.shown = total, 0, sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def step(self, text: str = "") -> None:
        self.done += 1
        self.show(text)

    def show(self, text: str) -> None:
        """Shows details of the current step."""
        if self.shown:
            count = f"[{self.done}/{self.total}] " if self.total else ""
            line = f"{count}{text}"[: shutil.get_terminal_size().columns - 1]
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def in_parallel(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    name: Callable[[Item], str] = str,
) -> list[Result]:
    """Does the work for all items in threads, one per processor, and shows the progress."""
    with ThreadPoolExecutor(os.cpu_count()) as pool, Progress(len(items)) as progress:
        try:
            futures = {pool.submit(work, item): item for item in items}
            for future in as_completed(futures):
                future.result()  # an error ends all others at once
                progress.step(name(futures[future]))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]
