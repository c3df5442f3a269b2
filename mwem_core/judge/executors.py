"""An executor for many runs: processes of this machine."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any

BLAS_THREADS = "OPENBLAS_NUM_THREADS"
MAX_ATTEMPTS = 3  # after so many killed processes, the task itself is the likely cause


def pool(workers: int | None = None, *, most_bytes: int | None = None) -> Executor:
    """Spawned worker processes, by default one per processor. They run at low priority, on one BLAS thread each.

    Each may fill `most_bytes` of memory, where the system can limit a process; a task that needs more raises
    MemoryError.

    If a task's process is killed, the task runs again in a new process, and other tasks are not affected. After three
    killed processes the task raises ValueError. `shutdown(cancel_futures=True)` also terminates running tasks. The
    pool may be made and used on any thread.
    """
    return _Processes(workers or processors(), most_bytes)


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Processes(ThreadPoolExecutor):
    """Threads with one process each. A killed process then interrupts one task only."""

    def __init__(self, workers: int, most_bytes: int | None):
        super().__init__(workers, thread_name_prefix="worker")
        self._most_bytes = most_bytes
        self._local, self._processes = threading.local(), list[ProcessPoolExecutor]()  # each thread's own, and all
        self._context, self._terminated, self._starting = _Spawn(), False, threading.Lock()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        return super().submit(self._run, fn, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if cancel_futures:
            with self._starting:
                self._terminated = True
                for process in self._context.started:
                    process.terminate()
        super().shutdown(wait, cancel_futures=cancel_futures)
        for process in self._processes if wait else ():
            process.shutdown()  # else it could end together with the interpreter, and print an error

    def _run(self, fn: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        for _ in range(MAX_ATTEMPTS):
            try:
                return self._start(fn, args, kwargs).result()
            except BrokenProcessPool:
                del self._local.process
        raise ValueError(f"it ran {MAX_ATTEMPTS} times, and each time its process was killed: it may need more memory")

    def _start(self, fn: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Future:
        with self._starting:
            if self._terminated:
                raise CancelledError
            if not hasattr(self._local, "process"):
                self._local.process = ProcessPoolExecutor(
                    1, self._context, initializer=_begin, initargs=(self._most_bytes,)
                )
                self._processes.append(self._local.process)
            return self._local.process.submit(fn, *args, **kwargs)


def _begin(most_bytes: int | None) -> None:
    """The first call in a process: others go first, and Ctrl-C is for the process that waits for the results."""
    if most_bytes is not None:
        from mwem_core.tables import limit_memory  # imports Arrow, which the caller may not need

        limit_memory(most_bytes)
    if hasattr(os, "nice"):
        os.nice(10)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Spawn(SpawnContext):
    """The standard spawn context, with a list of the processes it started."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> SpawnProcess:
        self.started.append(process := _Process(*args, **kwargs))
        return process


class _Process(SpawnProcess):
    """A process on one BLAS thread, which does not run the caller's main script again.

    No task needs that script, and Streamlit's is a page. OpenBLAS reads its number of threads from the environment when
    it is loaded, which is before any code of ours runs in the process.
    """

    def start(self) -> None:
        with _replacing:
            main, threads = sys.modules["__main__"], os.environ.get(BLAS_THREADS)
            sys.modules["__main__"], os.environ[BLAS_THREADS] = ModuleType("__main__"), "1"
            try:
                super().start()
            finally:
                sys.modules["__main__"] = main
                if threads is None:
                    del os.environ[BLAS_THREADS]
                else:
                    os.environ[BLAS_THREADS] = threads


_replacing = threading.Lock()
