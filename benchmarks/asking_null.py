"""How often answers of a release find an effect that is not there.

    python benchmarks/asking_null.py --tables FOLDER --releases 200 > lines.csv

The first attribute of each release's table is drawn by itself, so that nothing depends on it. Of the differences, odds
ratios and coefficients on it, and the differences of means by it, each line has the share whose interval leaves out no
effect: of those that we answer, of the synthetic rows as if they were data, and of the private records. It reads the
truth.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from asking_coverage import Setting, drawn, every_question, half_naive, options_of, population, released, run

from mwem_core import Records, Seeded
from mwem_core.ask import Statistic, half_widths

COLUMNS = ("table", "epsilon", "asked", "accepted", "ours", "naive", "ideal")


def effects_of(setting: Setting) -> list[list[float]]:
    """Of one release of a table whose first attribute is drawn by itself: whether effects on it are found that are not.

    By us (NaN where refused), by who takes the synthetic rows for data, and in the private records.
    """
    P, n = population(setting.table, setting.folder)
    rng = np.random.default_rng(20_000 + setting.seed)
    B = drawn(P, n, rng)
    first = rng.choice(len(P.times), n, p=P.times / P.times.sum())
    B = Records(B.domain, (P.codes[0][first], *B.codes[1:]), numbers=B.numbers)
    release = released(B, setting.epsilon, setting.delta, setting.total, Seeded(setting.seed), setting.seed)
    found = []
    name, other = f"`{B.domain.names[0]}` ==", f"of {B.domain.names[0]} = "
    for kind, statistic in ((question.kind, question.statistic) for question in every_question(release.domain)):
        outcome = kind in ("difference", "odds ratio") and name in statistic.names[0]
        outcome |= kind == "difference of means" and f"where {B.domain.names[0]} =" in statistic.names[0]
        regressed = kind in ("ols", "logit") and statistic.attrs[0] == 0 and other not in "".join(statistic.names)
        if not outcome and not regressed:
            continue
        estimate = release.estimator.estimate(statistic)
        half = half_widths(estimate, "population")
        for i in range(0 if outcome else 1, len(statistic.names)):  # the constant is an effect
            ours = np.nan if estimate.refused[i] else abs(estimate.values[i]) > half[i]
            others = [abs(value(statistic, of)[i]) > half_naive(statistic, of)[i] for of in (release.rows, B)]
            found.append([ours, *others])
    return found


def value(statistic: Statistic, B: Records) -> np.ndarray:
    """The statistic of records, on the scale of its intervals: 0 without an effect, whatever is in a bin."""
    with np.errstate(all="ignore"):
        return statistic.function(statistic.answers(B.marginal))


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
