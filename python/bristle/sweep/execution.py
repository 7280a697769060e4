"""Executes the runs of a sweep: in threads on this machine, or by the workers of a Dask
scheduler."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from multiprocessing import cpu_count

from .. import BristleError
from .runs import Result

Run = Callable[[dict[str, float]], Result]
Task = tuple[int, dict[str, float]]
CONNECTING = 10  # s
WITHOUT_WORKERS = 60  # s without any worker until a sweep gives up
RETRIES = 3  # attempts at a task whose worker died


def on_this_machine(
    run: Run, tasks: Sequence[Task], workers: int | None
) -> Iterator[tuple[int, Result]]:
    """Yields the results as they come. The runs are made outside Python, so threads use all
    cores."""
    count = workers or cpu_count()
    waiting = iter(tasks)
    pool = ThreadPoolExecutor(count)
    try:
        running = {}
        while True:
            for index, values in waiting:
                running[pool.submit(run, values)] = index
                if len(running) >= 2 * count:
                    break
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def on_a_cluster(run: Run, tasks: Sequence[Task], address: str) -> Iterator[tuple[int, Result]]:
    """Yields the results as they come from the workers of a scheduler; others redo the work of one
    that died."""
    import logging

    from distributed import Client
    from distributed import wait as wait_for

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=CONNECTING)
    except (OSError, TimeoutError, ValueError) as error:
        raise BristleError(
            f"the scheduler {address} cannot be reached: {_first_line(error)}."
        ) from None
    try:
        # with every worker, so that none is lost when one dies
        shared = client.scatter(run, broadcast=True, hash=False)
        pending = {
            client.submit(_call, shared, values, retries=RETRIES, pure=False): index
            for index, values in tasks
        }
        idle_since = None
        while pending:
            try:
                done = wait_for(list(pending), timeout=2, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                done = ()
            for future in done:
                index = pending.pop(future)
                try:
                    yield index, future.result()
                except Exception as error:
                    # any error of the cluster; it is reported, and finished runs stay
                    raise BristleError(
                        f"run {index} failed on the cluster: {_first_line(error)}; the same command"
                        " resumes."
                    ) from None
            if client.status != "running":
                raise BristleError(f"the scheduler {address} is gone; the same command resumes.")
            idle_since = (
                None
                if done or client.scheduler_info(n_workers=-1)["workers"]
                else idle_since or time.monotonic()
            )
            if idle_since and time.monotonic() - idle_since > WITHOUT_WORKERS:
                raise BristleError(
                    f"the scheduler {address} has no workers; start some, then the same command"
                    " resumes."
                )
    finally:
        client.close(timeout=5)


def _call(run: Run, values: dict[str, float]) -> Result:
    return run(values)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
