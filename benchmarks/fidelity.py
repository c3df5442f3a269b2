"""How well synthetic rows keep numbers: mean, median, 95th percentile and correlations, beside those of the table.

    nice python benchmarks/fidelity.py --data FOLDER

Runs of Automatic on all pairs of some columns, at ε = 1. A figure is the mean absolute error over the seeds:

- equal, even: ten bins of equal width, each filled evenly; what version 0.3 proposed for a number of many values
- equal: the same bins, each filled as its neighbours suggest
- proposed: the bins that are proposed now, each filled as its neighbours suggest
- floor: the rows of `proposed`, with a value drawn from the table's own in each bin (not private): the error that the
  noise and the rounding of counts leave to any way of filling bins

FOLDER may have transfusion.csv (UCI, Blood Transfusion Service Center) and randhie.csv (RAND Health Insurance
Experiment: statsmodels/datasets/randhie/src). Adult is bundled.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rows import SAMPLES

from mwem_core import Attribute, Domain, Records, Seeded, encode, nearest_rows, parse_workload, read_table
from mwem_core.data.proposal import propose
from mwem_core.data.texts import distinct_texts
from mwem_core.domain.inside import Inside
from mwem_core.domain.numbers import Edges, Range, parse_numbers
from mwem_core.domain.public_bins import equal_edges
from mwem_core.release.synthesis import decode, gives_rows
from mwem_core.systems import system

EPSILON = 1.0
MAX_VALUES = 20  # of a number that is no candidate for bins
TABLES = {  # the columns, and those whose numbers are shown
    "adult.parquet": (
        ("age", "education-num", "sex", "capital-gain", "hours-per-week", "income"),
        ("age", "hours-per-week", "capital-gain"),
    ),
    "transfusion.csv": (("recency", "frequency", "monetary", "time", "donated"), ("recency", "frequency", "monetary")),
    "randhie.csv": (("xage", "income", "meddol", "mdvis", "female", "hlthg"), ("income", "meddol", "mdvis")),
}
STATISTICS: dict[str, Callable[[np.ndarray], float]] = {
    "mean": lambda x: float(x.mean()),
    "median": lambda x: float(np.median(x)),
    "95%": lambda x: float(np.quantile(x, 0.95)),
}


class Table(NamedTuple):
    """A table: a schema by name, how to encode it, and the values of its columns of numbers."""

    schemas: dict[str, Domain]
    encode: Callable[[Domain], Records]
    values: dict[str, np.ndarray]


def read(path: Path, columns: Sequence[str]) -> Table:
    """Read these columns of a table, with the schema that is proposed for them and the two with equal bins."""
    table = read_table(path).select(columns)
    proposed, values = propose(table), {}
    for name in proposed.names:
        texts, text_of = distinct_texts(table[name], name)
        if not np.isnan(numbers := parse_numbers(texts)).any():
            values[name] = numbers[text_of]

    def equal(inside: Callable[[Edges | Range], Inside | None]) -> Domain:
        return Domain(tuple(_equal(a, values, inside) for a in proposed.attributes))

    schemas = {"equal, even": equal(lambda _: None), "equal": equal(_declared), "proposed": proposed}
    return Table(schemas, lambda domain: encode(table, domain), values)


def _equal(attribute: Attribute, values: dict[str, np.ndarray], inside: Callable) -> Attribute:
    """The attribute in equal bins, if it is a number of many values."""
    kind = attribute.value_set
    if not isinstance(kind, Edges | Range) or (isinstance(kind, Range) and kind.size <= MAX_VALUES):
        return attribute
    numbers = values[attribute.name]
    return Attribute(attribute.name, Edges(equal_edges(numbers.min(), numbers.max()), inside(kind)))


def _declared(kind: Edges | Range) -> Inside | None:
    return kind.inside if isinstance(kind, Edges) else Inside(0)


def rows_of(B: Records, seed: int) -> tuple[Records, np.random.Generator]:
    """The rows of a seeded run of Automatic on all pairs."""
    Q = parse_workload("marginals:2", B.domain)
    settings = system("automatic").settings(Q, n=B.total, epsilon=EPSILON, delta=0.0)
    model = list(settings.rounds(B, Q, noise=Seeded(seed)))[-1].model
    assert gives_rows(model)
    rng = np.random.default_rng(seed)
    return nearest_rows(Q, model, B.total, rng), rng


def made(rows: Records, names: Sequence[str], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The values of columns of numbers in the rows."""
    columns = decode(rows, rng)
    return {name: np.asarray(columns[name], dtype=float) for name in names}


def from_own_bins(rows: Records, B: Records, values: dict[str, np.ndarray], rng: np.random.Generator) -> dict:
    """The rows, with values drawn from the true ones of each bin, where it has any. Not private."""
    filled = made(rows, list(values), rng)
    for a, name in enumerate(B.domain.names):
        if name in values:
            for code in range(B.domain.shape[a]):
                own, here = values[name][B.codes[a] == code], np.flatnonzero(rows.codes[a] == code)
                if len(own):
                    filled[name][here] = rng.choice(own, len(here))
    return filled


def statistics(columns: dict[str, np.ndarray], shown: Sequence[str]) -> dict[str, float]:
    """The statistics of the columns shown, and the correlations of all pairs of columns."""
    found = {f"{name} {key}": of(columns[name]) for name in shown for key, of in STATISTICS.items()}
    r = np.corrcoef(list(columns.values()))
    pairs = list(combinations(range(len(columns)), 2))
    names = list(columns)
    return found | {f"r({names[i]}, {names[j]})": float(r[i, j]) for i, j in pairs}


def main() -> None:
    """Print a table of errors for each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SAMPLES, help="of the tables that are not bundled")
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    for file, (columns, shown) in TABLES.items():
        path = next((folder / file for folder in (SAMPLES, arguments.data) if (folder / file).exists()), None)
        if path is None:
            print(f"{file} is not in {arguments.data}\n")
            continue
        table = read(path, columns)
        truth = statistics(table.values, shown)
        errors: dict[str, list[np.ndarray]] = {}
        for name, domain in table.schemas.items():
            B = table.encode(domain)
            for seed in range(arguments.seeds):
                rows, rng = rows_of(B, seed)
                ways = {name: made(rows, list(table.values), rng)}
                if name == "proposed":
                    ways["floor"] = from_own_bins(rows, B, table.values, rng)
                for way, filled in ways.items():
                    off = np.array(list(statistics(filled, shown).values())) - list(truth.values())
                    errors.setdefault(way, []).append(np.abs(off))
        means = {way: np.mean(found, axis=0) for way, found in errors.items()}
        print(f"{file}, {B.total:,} records, ε = {EPSILON:g}, {arguments.seeds} seeds: mean absolute error")
        print(f"{'':28}{'table':>12}" + "".join(f"{way:>13}" for way in means))
        numbers = [key for key in truth if not key.startswith("r(")]
        for i, key in enumerate(numbers):
            print(f"{key:28}{truth[key]:12,.2f}" + "".join(f"{mean[i]:13,.2f}" for mean in means.values()))
        for title, of in (("correlations, mean of", np.mean), ("correlations, largest of", np.max)):
            title += f" {len(truth) - len(numbers)}"
            print(f"{title:40}" + "".join(f"{of(mean[len(numbers) :]):13.3f}" for mean in means.values()))
        print(flush=True)


if __name__ == "__main__":
    main()
