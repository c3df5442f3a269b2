"""The runs with which the demonstration opens: every bundled table at the default settings, MWEM and Automatic over ε.

    nice python benchmarks/committed_runs.py [TABLE ...]

It runs each table and each workload (of all tables if none is named), prints how the runs differ from the committed
ones, their size and their cost, and writes them to `sample_data/runs/`. The same version gives the same runs.
"""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from importlib.metadata import version

import numpy as np
from committed_trials import task
from fresh import machine

from mwem_app.inputs.samples import SAMPLE
from mwem_core import Records, parse_workload
from mwem_core.data.digest import digest
from mwem_core.demonstration.stored import FOLDER, INDEX, SEED, from_npz, to_npz
from mwem_core.demonstration.tracks import EPSILONS, Track, track
from mwem_core.workload.workload import Workload

SYSTEMS = "mwem", "automatic"
FURTHER = {"Adult, whole numbers": ("ranges:capital-loss:2000@0",)}  # workloads, beside those that pages open with


def main(titles: Iterable[str]) -> None:
    """Run and write the tracks of these tables."""
    FOLDER.mkdir(exist_ok=True)
    for title in titles:
        for name, B, Q in tasks(title):
            file = FOLDER / f"{name}.npz"
            before = from_npz(file.read_bytes()) if file.exists() else []
            started = time.perf_counter(), time.process_time()
            tracks = [track(B, Q, system, epsilon, seed=SEED)[0] for system in SYSTEMS for epsilon in EPSILONS]
            wall, cpu = time.perf_counter() - started[0], time.process_time() - started[1]
            content = to_npz(tracks)
            print(
                f"{name}: {len(tracks)} runs in {wall:.1f} s ({cpu:.1f} CPU s), {len(content) / 1000:,.0f} kB; "
                f"{difference(tracks, before)}",
                flush=True,
            )
            file.write_bytes(content)
            register(file.name, B, Q)


def tasks(title: str) -> Iterator[tuple[str, Records, Workload]]:
    """The workloads of a bundled table, each with a name for its file."""
    B, Q = task(title)
    for each in (Q, *(parse_workload(spec, B.domain) for spec in FURTHER.get(title, ()))):
        kind = each.spec.rsplit(":", 1)[0] if each.family == "ranges" else each.spec
        yield f"{title} {kind}".lower().replace(",", "").replace(" ", "_").replace(":", "-"), B, each


def difference(tracks: Sequence[Track], before: Sequence[Track]) -> str:
    """How many runs differ from the committed ones, in any number or word."""
    committed = {(each.system, each.epsilon): each for each in before}
    pairs = [(each, committed[key]) for each in tracks if (key := (each.system, each.epsilon)) in committed]
    differing = sum(not equal(*pair) for pair in pairs)
    return f"{differing} of {len(pairs)} committed runs differ"


def equal(a: Track, b: Track) -> bool:
    """Whether two tracks are the same."""
    return a.labels == b.labels and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("spent", "max_error", "mean_error", "answers")
    )


def register(file: str, B: Records, Q: Workload) -> None:
    """Write a file's table, workload, day, version and machine to the index."""
    index = FOLDER / INDEX
    entries = index.read_text(encoding="utf-8").split("[[runs]]\n")[1:] if index.exists() else []
    kept = [entry for entry in entries if f'file = "{file}"' not in entry]
    here = machine()
    entry = (
        f'file = "{file}"\ntable = "{digest(B)}"\nworkload = "{Q.spec}"\nday = {date.today()}\n'
        f'version = "{version("mwem-explorer")}"\nmachine = "{here["cpu"]}, Python {here["python"]}"\n'
    )
    index.write_text("\n".join(f"[[runs]]\n{e.strip()}\n" for e in sorted([*kept, entry])), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or SAMPLE)
