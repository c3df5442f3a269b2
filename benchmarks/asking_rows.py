"""What a measurement of numbers within bins costs the rows of a release, and what they gain.

    python benchmarks/asking_rows.py --tables FOLDER --releases 20 > lines.csv

Releases are those of `asking_coverage.py`, at several shares of the budget for offsets, 0 among them. A line a table, ε
and share: the total variation of pairs between rows and table, and how far means, logarithms of deviations, and means
by the first attribute of two values are off, in deviations of the file's numbers. It reads the truth.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import combinations

import numpy as np
from asking_coverage import UNSEEN, Setting, drawn, mean_of, options_of, population, released, run

from mwem_core import Seeded
from mwem_core.encoding import rows_of_values
from mwem_core.output import decode

SHARES = (0.0, 0.02, 0.05, 0.1)
COLUMNS = ("table", "epsilon", "offsets", "releases", "tv", "mean", "log_deviation", "mean_by")


def errors_of(setting: Setting) -> list[float]:
    """Of one release, each as a mean over pairs or numbers."""
    P, n = population(setting.table, setting.folder)
    B = drawn(P, n, np.random.default_rng(10_000 + setting.seed))
    budget = setting.epsilon, setting.delta, setting.total
    release = released(B, *budget, Seeded(setting.seed), setting.seed, setting.offsets)
    rows = rows_of_values(release.rows, decode(release.rows, np.random.default_rng(setting.seed)))
    tv = [
        np.abs(rows.marginal(S) / rows.total - B.marginal(S) / n).sum() / 2
        for S in combinations(range(len(B.domain)), 2)
    ]
    domain, found = B.domain, []
    group = next(a.name for a in domain.attributes if a.size == 2)
    for name, x in B.numbers.items():
        if domain.sizes(domain.attrs(name)) > (2,):
            off, by = (np.subtract(*(mean_of(of, name, each) for of in (rows, B))) for each in (None, group))
            deviation, of_rows = np.nanstd(x), max(np.nanstd(rows.numbers[name]), 1e-9)
            found.append([abs(off[0]) / deviation, abs(np.log(of_rows / deviation)), np.abs(by).mean() / deviation])
    return [float(np.mean(tv)), *np.nanmean(found, axis=0).tolist()]


def summaries(settings: list[Setting], pool: ProcessPoolExecutor) -> Iterator[list]:
    """A line for each table, ε and share."""
    every = [replace(setting, offsets=share) for setting in settings for share in SHARES]
    lines: dict[tuple, list] = {}
    for setting, found in zip(every, pool.map(errors_of, every), strict=True):
        lines.setdefault((setting.table, setting.epsilon, setting.offsets), []).append(found)
    for key, found in lines.items():
        yield [*key, len(found), *(round(float(part), 5) for part in np.mean(found, axis=0))]


def main() -> None:
    """Run, and print a line for each table, ε and share, every few releases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options_of(parser, list(UNSEEN), [0.3, 1.0, 3.0], 20)
    run(parser.parse_args(), COLUMNS, summaries)


if __name__ == "__main__":
    main()
