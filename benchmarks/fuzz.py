"""Everything that reads a text or a file from outside, on inputs that are nearly right: `python benchmarks/fuzz.py`.

Each input must be read, or refused by one sentence, within two seconds of CPU time and one GB of memory more. Prints
the number of inputs for each reader, how many were refused, the slowest, and what broke the promise. Needs Hypothesis.
"""

import argparse
import random
import resource
import sys
import time
import traceback
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

from fuzzing import TARGETS, check, inputs, random_address  # noqa: E402

MEMORY = 10**9  # bytes beyond what the process has when it starts
MAX_SHOWN = 5  # distinct findings for each reader


def fuzz(name: str, number: int, start: int) -> int:
    """Give a reader this many inputs; returns how many broke the promise."""
    target, refused, slowest, broken = TARGETS[name], [0, 0], [0.0], dict[str, tuple[str, int]]()

    @seed(start)
    @settings(
        max_examples=number, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck]
    )
    @given(inputs(target))
    def run(made: str | bytes) -> None:
        began = time.thread_time()
        try:
            refused[0] += 1
            refused[1] += check(target, made)
        except AssertionError as problem:
            where = traceback.extract_tb((problem.__cause__ or problem).__traceback__)[-1]
            kind = f"{where.filename.rpartition('/')[2]}:{where.lineno} {str(problem)[:160]}"
            broken[kind[:60]] = kind + f"\n      {made[:200]!r}", broken.get(kind[:60], ("", 0))[1] + 1
        slowest[0] = max(slowest[0], time.thread_time() - began)

    run()
    found = sum(times for _, times in broken.values())
    print(
        f"{name:14} {refused[0]:8,} inputs, {refused[1]:8,} refused, {found:5,} broken, slowest {slowest[0]:.2f} s",
        flush=True,
    )
    for text, times in sorted(broken.values(), key=lambda entry: -entry[1])[:MAX_SHOWN]:
        print(f"  {times:,} × {text}", flush=True)
    return found


def fuzz_pages(number: int, start: int) -> int:
    """Open pages at this many random addresses; returns how many showed an exception or took too long."""
    from app_pages import APP
    from streamlit.testing.v1 import AppTest

    broken, slowest = 0, 0.0
    for i in range(start, start + number):
        rng = random.Random(i)
        page, address = rng.choice(("run", "compare", "trade_off", "learn", "scale")), random_address(rng)
        app = AppTest.from_file(APP, default_timeout=60).switch_page(f"pages/{page}.py")
        for name, value in address.items():
            app.query_params[name] = value
        began = time.process_time()
        app.run()
        slowest = max(slowest, time.process_time() - began)
        if app.exception:
            broken += 1
            print(f"  {page} {address!r}\n      {app.exception[0].message[:300]}", flush=True)
    print(f"{'pages':14} {number:8,} addresses, {broken:5,} with an exception, slowest {slowest:.2f} s", flush=True)
    return broken


def limit_memory() -> None:
    """More memory than that becomes a MemoryError, which is a finding."""
    used = int(Path("/proc/self/statm").read_text("utf-8").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, -1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=12_000, help="for each reader (12,000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pages", type=int, default=0, help="also open pages at so many random addresses (0)")
    parser.add_argument("readers", nargs="*", default=list(TARGETS), help=", ".join(TARGETS))
    arguments = parser.parse_args()
    limit_memory()
    found = sum(fuzz(name, arguments.inputs, arguments.seed) for name in arguments.readers)
    sys.exit(bool(found + fuzz_pages(arguments.pages, arguments.seed)))
