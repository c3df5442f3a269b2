"""Measurements of the project's own, each in a fresh process, and their records beside the comparison's."""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from report import RESULTS, Record, load


def parser(about: str | None) -> argparse.ArgumentParser:
    """The options that these scripts share."""
    made = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--again", action="store_true", help="measure what is there already; the newest counts")
    made.add_argument("--core", type=int, help="pin everything to this core")
    made.add_argument("--results", type=Path, default=RESULTS)
    made.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)  # in the fresh process
    return made


def pin(core: int | None) -> None:
    """Keep this process and those it starts to one core, if one is given."""
    if core is not None:
        os.sched_setaffinity(0, {core})


def measured(script: str, *words: object) -> Record:
    """Start `script --measure *words` and return what it `tell`s, with the wall seconds that it counts."""
    began = time.time()
    command = [sys.executable, script, "--measure", *map(str, words)]
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return {"finished": True, "wall": round(told.pop("ended") - began, 3), **told}


def cost() -> Record:
    """What this process has cost so far: CPU seconds, the peak of its memory; and the time now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    spent = {"cpu": round(used.ru_utime + used.ru_stime, 3), "peak_mib": round(int(peak.split()[1]) / 1024)}
    return {"ended": time.time(), **spent}


def tell(cost: Record, **found: Any) -> None:
    """Print what this process has measured; judging it is not part of its cost."""
    print(json.dumps({**cost, **found}))


def stands(results: Path, row: str, system: str, seed: int) -> bool:
    """Whether it has been measured."""
    return any(record["seed"] == seed for record in load(results).get((row, system), []))


def append(results: Path, row: str, system: str, seed: int, told: Record) -> None:
    """Write a record, with the day and the machine."""
    record = {"row": row, "system": system, "seed": seed, "finished": True, **told}
    record |= {"date": time.strftime("%Y-%m-%d"), "machine": machine()}
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def machine(core: int | None = None) -> dict[str, Any]:
    """What this runs on, or what is pinned to `core`."""
    found = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cpu": found[0].split(":")[1].strip() if found else platform.processor(),
        "cores": os.cpu_count(),
        "pinned": "not pinned" if core is None and len(os.sched_getaffinity(0)) > 1 else "pinned to one core",
        "python": platform.python_version(),
    }


def seconds(phases: dict[str, float]) -> dict[str, float]:
    """Rounded as records hold them."""
    return {name: round(value, 4) for name, value in phases.items()}
