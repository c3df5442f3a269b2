"""How often answers of a release find an effect that is not there.

    python benchmarks/asking_null.py --tables FOLDER --releases 200 > lines.csv

The first attribute of each release's table is drawn by itself, so that nothing depends on it. Of the differences, odds
ratios and coefficients on it, each line has the share whose interval leaves out no effect: of those that we answer, of
the synthetic rows as if they were data, and of the private records. It reads the truth.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from asking_coverage import Setting, drawn, every_question, naive, options_of, population, released, run

from mwem_core import Records, Seeded
from mwem_core.asking.release import half_widths

COLUMNS = ("table", "epsilon", "asked", "accepted", "ours", "naive", "ideal")


def effects_of(setting: Setting) -> list[list[float]]:
    """Of one release of a table whose first attribute is drawn by itself: whether effects on it are found that are not.

    By us (NaN where refused), by who takes the synthetic rows for data, and in the private records.
    """
    P, n = population(setting.table, setting.folder)
    rng = np.random.default_rng(20_000 + setting.seed)
    B = drawn(P, n, rng)
    first = rng.choice(len(P.codes[0]), n, p=P.weights / P.weights.sum() if P.weights is not None else None)
    B = Records(B.domain, (P.codes[0][first], *B.codes[1:]))
    release = released(B, setting.epsilon, setting.delta, setting.total, Seeded(setting.seed), setting.seed)
    found = []
    name, other = f"`{P.domain.names[0]}` ==", f"of {P.domain.names[0]} = "
    for kind, statistic in every_question(P.domain):
        outcome = kind in ("difference", "odds ratio") and name in statistic.names[0]
        regressed = kind in ("ols", "logit") and statistic.attrs[0] == 0 and other not in "".join(statistic.names)
        if not outcome and not regressed:
            continue
        estimate = release.estimator.estimate(statistic)
        half = half_widths(estimate, "population")
        (rows, rows_half), (own, own_half) = naive(statistic, release.rows), naive(statistic, B)
        for i in range(0 if outcome else 1, len(statistic.names)):  # the constant is an effect
            ours = np.nan if estimate.refused[i] else abs(estimate.values[i]) > half[i]
            found.append([ours, abs(rows[i]) > rows_half[i], abs(own[i]) > own_half[i]])
    return found


def summaries(settings: list[Setting], pool: ProcessPoolExecutor) -> Iterator[list]:
    """A line for each table and ε."""
    every = list(pool.map(effects_of, settings))
    for key in dict.fromkeys((setting.table, setting.epsilon) for setting in settings):
        own = [x for x, setting in zip(every, settings, strict=True) if (setting.table, setting.epsilon) == key]
        effects = np.array([line for lines in own for line in lines], float)
        accepted = effects[~np.isnan(effects[:, 0])]
        found = accepted.mean(axis=0) if len(accepted) else np.full(3, np.nan)
        yield [*key, len(effects), len(accepted), *(round(float(share), 4) for share in found)]


def main() -> None:
    """Run, and print a line for each table and ε, every few releases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options_of(parser, ["czech", "rochdale", "arrests", "smoke-ban"], [1.0], 200)
    run(parser.parse_args(), COLUMNS, summaries)


if __name__ == "__main__":
    main()
