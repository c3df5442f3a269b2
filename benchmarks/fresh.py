"""Measurements of this project alone, each in a fresh process, and their records in the results file."""

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


def parser(description: str | None) -> argparse.ArgumentParser:
    """The options that the scripts share."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--again", action="store_true", help="measure again what is on record; the newest record counts"
    )
    options.add_argument("--core", type=int, help="pin everything to this core")
    options.add_argument("--results", type=Path, default=RESULTS)
    options.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)  # used in the fresh process
    return options


def pin(core: int | None) -> None:
    """Pin this process and its children to a core, if one is given."""
    if core is not None:
        os.sched_setaffinity(0, {core})


def run_fresh(script: str, *arguments: object) -> Record:
    """Run `script --measure *arguments`; return the measurements that it prints, and its wall seconds until `cost`."""
    began = time.time()
    command = [sys.executable, script, "--measure", *map(str, arguments)]
    printed = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return {"finished": True, "wall": round(printed.pop("ended") - began, 3), **printed}


def cost() -> Record:
    """The cost of this process so far: CPU seconds and peak memory; and the time now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = next(line for line in Path("/proc/self/status").read_text("utf-8").splitlines() if line.startswith("VmHWM"))
    spent = {"cpu": round(used.ru_utime + used.ru_stime, 3), "peak_mib": round(int(peak.split()[1]) / 1024)}
    return {"ended": time.time(), **spent}


def print_measurements(cost: Record, **measurements: Any) -> None:
    """Print the cost and further measurements as JSON. Errors are not part of the cost: compute them after it."""
    print(json.dumps({**cost, **measurements}))


def is_recorded(results: Path, row: str, system: str, seed: int) -> bool:
    """Whether this measurement is in the results file."""
    return any(record["seed"] == seed for record in load(results).get((row, system), []))


def append(results: Path, row: str, system: str, seed: int, measurements: Record) -> None:
    """Append a record, with the date and the machine."""
    record = {"row": row, "system": system, "seed": seed, "finished": True, **measurements}
    record |= {"date": time.strftime("%Y-%m-%d"), "machine": machine()}
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def machine(core: int | None = None) -> dict[str, Any]:
    """This machine, and whether the process is pinned (or, with `core`, a child is)."""
    models = [line for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines() if line.startswith("model name")]
    return {
        "cpu": models[0].split(":")[1].strip() if models else platform.processor(),
        "cores": os.cpu_count(),
        "pinned": "not pinned" if core is None and len(os.sched_getaffinity(0)) > 1 else "pinned to one core",
        "python": platform.python_version(),
    }
