"""What the work of a session may take: memory and CPU time. Nothing here knows Streamlit.

A server has many visitors. Whoever needs more works on a machine of their own, where `mwem` has no such limits.
"""

import math
from pathlib import Path

from mwem_core.automatic.effort import bytes_of_run
from mwem_core.workload.workload import Workload

MAX_BYTES = 2 * 10**9  # of a run, as estimated before it starts
MAX_MINUTES = 60  # of CPU time, for a run or for a batch of trials
RESERVE_BYTES = 200 * 10**6  # of the server's memory, below which no work goes on
ELSEWHERE = "or run it on a machine of your own, with `mwem`"
SYSTEM, MOST, USED = Path("/proc/meminfo"), Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.stat")


def check_memory(workload: Workload, *, rounds: int) -> None:
    """Raise ValueError, with advice, if a run of this workload would take more memory than a session may."""
    needed = bytes_of_run(workload, rounds=rounds)
    if needed > MAX_BYTES:
        raise ValueError(
            f"a run of this workload takes about {needed / 1e9:.1f} GB of memory, and a session of this server may take"
            f" {MAX_BYTES / 1e9:g} GB: lower k, leave attributes out, plan fewer rounds, {ELSEWHERE}"
        )


def excess(seconds: float) -> str:
    """Why work that has taken this CPU time must end now, as one sentence; empty if it may go on."""
    if seconds > 60 * MAX_MINUTES:
        return (
            f"it was stopped after {MAX_MINUTES} minutes of computing, the most for a session of this server; what was"
            f" finished before is kept: ask for less, {ELSEWHERE}"
        )
    if free_bytes() < RESERVE_BYTES:
        return (
            "it was stopped because the server is short of memory; what was finished before is kept: try again later,"
            f" ask for less, {ELSEWHERE}"
        )
    return ""


def free_bytes() -> float:
    """The memory that this process may still take, as Linux and its container say; infinite where nothing says it."""
    free = [1024 * kibibytes for kibibytes in _numbers(SYSTEM, "MemAvailable:")]
    if MOST.exists() and (most := MOST.read_text("utf-8").strip()).isdigit():  # a container's limit
        free += [int(most) - used for used in _numbers(USED, "anon")]
    return min(free, default=math.inf)


def _numbers(file: Path, name: str) -> list[int]:
    """The number in the line of this name, if there is one."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [int(line.split()[1]) for line in lines if line.split()[:1] == [name]]
