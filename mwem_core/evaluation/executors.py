"""Executors for many runs: processes of this machine, or a Dask cluster."""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any

PATIENCE = 10  # seconds for a scheduler to answer
ATTEMPTS = 3  # a task that killed so many processes is to blame


def pool(workers: int | None = None) -> Executor:
    """Spawned processes, one a processor by default, one thread of linear algebra each; they yield to what is awaited.

    A task whose process is killed is run again, and no other task notices; after three of them it raises ValueError.
    Shutting it down with `cancel_futures` also ends what is running. May be made, and used, on any thread.
    """
    return _Processes(workers or processors())


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cluster(address: str) -> Executor:
    """The workers of the Dask scheduler at `address`, which must have this package; needs the extra `cluster`.

    Shutting it down closes the connection. Raises ValueError where Dask is missing or no scheduler answers.
    """
    try:
        from distributed import Client
        from distributed.cfexecutor import ClientExecutor
    except ImportError:
        raise ValueError("a cluster needs Dask: pip install 'mwem-explorer[cluster]'") from None

    class Cluster(ClientExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=wait and not cancel_futures)
            self._client.close()

    try:
        return Cluster(Client(address, timeout=PATIENCE, set_as_default=False), pure=False)
    except (OSError, ValueError, TypeError) as problem:
        raise ValueError(f"no Dask scheduler answers at {address!r}, such as tcp://host:8786: {problem}") from None


class _Processes(ThreadPoolExecutor):
    """Threads that each hand their tasks to a process of their own, so that a killed one costs its own task alone."""

    def __init__(self, workers: int | None):
        super().__init__(workers, thread_name_prefix="worker")
        self._own = threading.local()  # each thread's process ends with its thread
        self._context, self._ended, self._starting = _Spawn(), False, threading.Lock()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        return super().submit(self._in_process, fn, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if cancel_futures:
            with self._starting:
                self._ended = True
                for process in self._context.started:
                    process.terminate()
        super().shutdown(wait, cancel_futures=cancel_futures)

    def _in_process(self, fn: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        for _ in range(ATTEMPTS):
            try:
                return self._begun(fn, args, kwargs).result()
            except BrokenProcessPool:
                del self._own.process
        raise ValueError(f"it was tried {ATTEMPTS} times and its process killed, most often for want of memory")

    def _begun(self, fn: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Future:
        with self._starting:
            if self._ended:
                raise CancelledError
            if not hasattr(self._own, "process"):
                self._own.process = ProcessPoolExecutor(1, self._context, initializer=exec, initargs=(FIRST,))
            return self._own.process.submit(fn, *args, **kwargs)


# what a process does first: text, since a function of this package would load NumPy, and OpenBLAS with it, before
FIRST = """
import os, signal
os.environ["OPENBLAS_NUM_THREADS"] = "1"
if hasattr(os, "nice"):
    os.nice(10)  # below whoever waits for an answer, such as a page
signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits for the results
"""


class _Spawn(SpawnContext):
    """The usual one, which keeps account of its processes."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []

    def Process(self, *given: Any, **named: Any) -> SpawnProcess:
        self.started.append(process := _Process(*given, **named))
        return process


class _Process(SpawnProcess):
    """Does not run the caller's main script again: tasks need nothing of it, and under Streamlit it is a page."""

    def start(self) -> None:
        with _hiding:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                super().start()
            finally:
                sys.modules["__main__"] = main


_hiding = threading.Lock()
