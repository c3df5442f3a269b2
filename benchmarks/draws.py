"""The time of a draw of each mechanism, seeded (NumPy) and for a release (OpenDP), at 28, 4,000 and 500,000 values.

    nice python benchmarks/draws.py

CPU milliseconds a draw, the median of three series. Scores are the errors of that many queries, in records: half normal
of 100 records, at ε = 1, where few candidates are near the best. Half a million values take OpenDP seconds, so these
are drawn once.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from mwem_core.privacy.grid import on_grid
from mwem_core.privacy.noise import NoiseSource, Seeded
from mwem_core.privacy.releasing import Releasing

SIZES = (28, 4_000, 500_000)
SERIES, BUSY = 3, 0.2  # seconds of a series, if one draw takes less


def milliseconds(draw: Callable[[], object]) -> float:
    """CPU time of a draw, after one that builds what later ones keep."""
    draw()
    means = []
    while len(means) < SERIES:
        began, draws = time.process_time(), 0
        while not draws or time.process_time() - began < BUSY:
            draw()
            draws += 1
        means.append((time.process_time() - began) / draws)
        if means[-1] > 1:
            break
    return 1000 * float(np.median(means))


def main() -> None:
    """A line for each mechanism."""
    print(f"{'mechanism':<18}" + "".join(f"{size:>12,} seeded{'release':>12}" for size in SIZES))
    sources: list[NoiseSource] = [Seeded(0), Releasing()]
    for name in ("choose", "permute_and_flip", "laplace", "gaussian"):
        line = f"{name:<18}"
        for size in SIZES:
            values = on_grid(np.abs(np.random.default_rng(0).normal(scale=100, size=size)))
            values = values if name in ("choose", "permute_and_flip") else np.rint(values)
            times = [milliseconds(partial(getattr(source, name), values, 1.0, 1)) for source in sources]
            line += f"{times[0]:>19,.3f}{times[1]:>12,.3f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
