"""All that is said of a run before it starts, on random questions: `python benchmarks/forecasts.py`.

Each of 20,000 random combinations of workload, n, ε, δ, unit, public start and rules goes through every check and
forecast. Each must end well, or be refused by one sentence; and what a release checked before it is charged must run
whatever its noisy n is. Prints how many were asked, and what broke the promise.
"""

import argparse
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

from random_questions import forecasts, question  # noqa: E402


def broken(first: int, number: int) -> int:
    """How many of these questions break the promise; prints each, and how far it is."""
    found = 0
    for i in range(first, first + number):
        if i > first and i % 1000 == 0:
            print(f"{i - first:,} asked", flush=True)
        try:
            forecasts(question(i))
        except AssertionError as problem:
            found += 1
            print(f"question {i}: {problem}", flush=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=20_000, help="how many (20,000)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one (0)")
    arguments = parser.parse_args()
    warnings.simplefilter("error")
    found = broken(arguments.first, arguments.questions)
    print(f"{arguments.questions:,} questions, {found:,} broken")
    sys.exit(bool(found))
