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
from asking_coverage import UNSEEN, Setting, drawn, options_of, population, released, run

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
    release = released(B.records, *budget, Seeded(setting.seed), setting.seed, setting.offsets)
    rows = rows_of_values(release.rows, decode(release.rows, np.random.default_rng(setting.seed)))
    tv = [
        np.abs(rows.records.marginal(S) / rows.records.total - B.records.marginal(S) / n).sum() / 2
        for S in combinations(range(len(B.records.domain)), 2)
    ]
    group = next(a for a, size in enumerate(B.records.domain.shape) if size == 2)
    found = []
    for a, x in B.numbers.items():
        if B.records.domain.shape[a] == 2:
            continue
        y, deviation = rows.numbers[a], np.nanstd(x)
        means = [
            [np.nanmean(values[codes == value]) if (codes == value).any() else np.nan for value in (0, 1)]
            for values, codes in ((x, B.records.codes[group]), (y, rows.records.codes[group]))
        ]
        by_group = np.nanmean(np.abs(np.subtract(*means))) / deviation
        spread = abs(np.log(max(np.nanstd(y), 1e-9) / deviation))
        found.append([abs(np.nanmean(y) - np.nanmean(x)) / deviation, spread, by_group])
    return [float(np.mean(tv)), *np.mean(found, axis=0).tolist()]


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
