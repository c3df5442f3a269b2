"""How often the other answers of a release hold: quantiles, and bounds of shares.

    python benchmarks/asking_others.py --tables FOLDER --releases 100 > lines.csv

Populations and releases are those of `asking_coverage.py`. A line a table, ε and kind of answer has the share of the
accepted that hold what the file has, of the population and of the table. A quantile's interval ends where cells end,
and bounds are made to hold at least 95%, so both hold more. It reads the truth.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations, islice
from typing import get_args

import numpy as np
from asking_coverage import TABLES, UNSEEN, Setting, drawn, options_of, population, released, run

from mwem_core import Records, Seeded
from mwem_core.ask import Answer, LoadedRelease, Of, Question, bounds_answer, condition
from mwem_core.release import quantiles

FEW = 2  # attributes, or triples of them, of each kind
SHARES = (0.25, 0.5, 0.9)
COLUMNS = ("table", "epsilon", "kind", "asked", "accepted", "population", "of_table")


def answers_of(setting: Setting) -> list[tuple[str, bool, bool, bool]]:
    """Of one release: the kind of each answer, whether it is accepted, and whether it holds of population and table."""
    P, n = population(setting.table, setting.folder)
    B = drawn(P, n, np.random.default_rng(30_000 + setting.seed))
    release = released(B, setting.epsilon, setting.delta, setting.total, Seeded(setting.seed), setting.seed)
    own = {"population": P, "table": B}
    found = []
    for kind, one, truth in asked(release):
        answer = {of: one(of) for of in get_args(Of)}
        yes = not any(each.refused for each in answer.values())
        holds = [yes and answer[of].low <= truth(rows) <= answer[of].high for of, rows in own.items()]
        found.append((kind, yes, *holds))
    return found


def asked(release: LoadedRelease) -> Iterator[tuple]:
    """The kind of each question, its answer by whom it is of, and the truth by the records."""
    domain = release.domain
    numbers = [a.name for a in domain.attributes if a.number_set and a.size > 2]
    for name in numbers[:FEW]:
        for p in SHARES:
            yield (
                "quantile",
                lambda of, name=name, p=p: release.ask(Question("quantile", name, p=p), of=of)[0],
                lambda rows, name=name, p=p: quantile(rows, name, p),
            )
    for names in islice(combinations(domain.names, 3), FEW):
        what = " and ".join(f"`{a}` == '{domain.attributes[domain.attrs(a)[0]].labels[0]}'" for a in names)
        yield (
            "bounded",
            lambda of, what=what: bound(release, what, of),
            lambda rows, what=what: share(rows, what),
        )


def quantile(rows: Records, name: str, p: float) -> float:
    """The p-quantile of the numbers of the file: the smallest number that a share p does not exceed."""
    x = rows.numbers[name]
    known = np.isfinite(x)
    return quantiles(x[known], rows.times[known], (p,))[0]


def share(records: Records, what: str) -> float:
    """The share of records that satisfy a condition."""
    cells = condition(what, records.domain)
    return float((records.marginal(cells.S) * cells.table).sum() / records.total)


def bound(release: LoadedRelease, what: str, of: Of) -> Answer:
    """The bounds of a share, also where more than bounds is known."""
    return bounds_answer(release.known, release.laplace, release.rows, what, of)


def summaries(settings: list[Setting], pool: ProcessPoolExecutor) -> Iterator[list]:
    """A line for each table, ε and kind."""
    lines: dict[tuple, list] = {}
    for setting, found in zip(settings, pool.map(answers_of, settings), strict=True):
        for kind, *came in found:
            lines.setdefault((setting.table, setting.epsilon, kind), []).append(came)
    for key, came in lines.items():
        every = np.array(came, bool)
        accepted = every[every[:, 0]]
        held = accepted[:, 1:].mean(axis=0) if len(accepted) else np.full(2, np.nan)
        yield [*key, len(every), len(accepted), *(round(float(part), 4) for part in held)]


def main() -> None:
    """Run, and print a line for each table, ε and kind, every few releases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options_of(parser, ["czech", "rochdale", *TABLES, *UNSEEN], [0.3, 1.0, 3.0], 100)
    run(parser.parse_args(), COLUMNS, summaries)


if __name__ == "__main__":
    main()
