"""What the work of a session may take: memory and CPU time. Nothing here knows Streamlit.

A server has many visitors. Whoever needs more works on a machine of their own, where `mwem` has no such limits.
"""

import math
from contextlib import suppress
from pathlib import Path

from mwem_app.session import demo
from mwem_core.automatic import bytes_of_run
from mwem_core.workload import Workload

MAX_BYTES = 2 * 10**9  # of a run: as estimated before it starts, and as counted round by round
MAX_MINUTES = 60  # of CPU time, for a run or for a batch of trials
TIMES_HELD = 2  # what a run takes, by what its rounds hold as they come: tables that models are asked for stay in them
RESERVE_BYTES = 200 * 10**6  # of the server's memory, below which no work goes on
OWN_MACHINE = "or run it on a machine of your own, with the command mwem"
OWN = Path("/proc/self")
SYSTEM, LIMIT, USAGE = Path("/proc/meminfo"), Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.stat")


def check_memory(workload: Workload, *, rounds: int) -> None:
    """Raise ValueError, with advice, if a run of this workload would take more memory than a session may.

    In a public demo it may take less, and has a limit of rounds.
    """
    needed, in_demo = bytes_of_run(workload, rounds=rounds), demo.is_demo()
    if needed > (demo.RUN_BYTES if in_demo else MAX_BYTES):
        taken = f"{needed / 1e6:,.0f} MB" if in_demo else f"{needed / 1e9:.1f} GB"
        of_session = f"a session of this server may take {MAX_BYTES / 1e9:g} GB"
        most = f"in this public demo it may take {demo.RUN_BYTES / 1e6:g} MB" if in_demo else of_session
        raise ValueError(
            f"a run of this workload takes about {taken} of memory, and {most}: lower k, leave attributes out, plan"
            f" fewer rounds, {OWN_MACHINE}"
        )
    if in_demo and rounds > demo.ROUNDS:
        raise ValueError(
            f"a run in this public demo may have {demo.ROUNDS} rounds, and this one has {rounds:,}: plan fewer,"
            f" {OWN_MACHINE}"
        )


def excess(seconds: float, held: int = 0) -> str:
    """Why work that took this CPU time and holds so many bytes must end now, in one sentence; empty if it may go on."""
    in_demo = demo.is_demo()
    whose = "piece of work in this public demo" if in_demo else "session of this server"
    if seconds > (demo.SECONDS_OF_WORK if in_demo else 60 * MAX_MINUTES):
        time = f"{demo.SECONDS_OF_WORK:.0f} seconds" if in_demo else f"{MAX_MINUTES} minutes"
        return (
            f"it was stopped after {time} of computing, the most for a {whose}; what was"
            f" finished before is kept: ask for less, {OWN_MACHINE}"
        )
    if TIMES_HELD * held > (most := demo.HELD_BYTES if in_demo else MAX_BYTES):
        return (
            f"it was stopped as its rounds take {most / 1e6:,.0f} MB of memory, the most for a {whose}; what was"
            f" finished before is kept: plan fewer rounds, leave attributes out, {OWN_MACHINE}"
        )
    if free_bytes() < RESERVE_BYTES:
        return (
            "it was stopped because the server is short of memory; what was finished before is kept: try again later,"
            f" ask for less, {OWN_MACHINE}"
        )
    return ""


def free_bytes() -> float:
    """The memory that this process may still take, as Linux and its container say; infinite where nothing says it."""
    free = [1024 * kibibytes for kibibytes in _numbers(SYSTEM, "MemAvailable:")]
    if LIMIT.exists() and (most := LIMIT.read_text("utf-8").strip()).isdigit():  # a container's limit
        free += [int(most) - used for used in _numbers(USAGE, "anon")]
    if demo.is_demo():
        free.append(demo.BYTES - _own_bytes())
    return min(free, default=math.inf)


def is_full() -> bool:
    """Whether a public demo has no memory left for another visitor."""
    return demo.is_demo() and free_bytes() < RESERVE_BYTES


def _own_bytes() -> int:
    """The memory of this process and its workers, as far as Linux says it; shared libraries are not counted."""
    kibibytes = _numbers(OWN / "status", "RssAnon:")
    for children in OWN.glob("task/*/children"):
        with suppress(OSError):  # a thread or a worker has just ended
            for child in children.read_text().split():
                kibibytes += _numbers(Path("/proc", child, "status"), "RssAnon:")
    return 1024 * sum(kibibytes)


def _numbers(file: Path, name: str) -> list[int]:
    """The number in the line of this name, if there is one."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [int(line.split()[1]) for line in lines if line.split()[:1] == [name]]
