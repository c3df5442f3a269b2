"""Numbers in synthetic rows, by where their bins come from: public rules, or a share of the budget.

    python benchmarks/measured_bins.py [--data FOLDER] [--seeds 10] [--shares]

FOLDER holds transfusion.csv (UCI Blood Transfusion Service Center), which is not bundled. Each number is released with
two categories, all pairs of them, by Automatic. Rows have a density that is continuous over the bins. The same
16 bins are equally wide, of equal mass by the exponential mechanism on ranks, or measured (`mwem_core.measured_bins`);
logarithmic ones are those of `domain.public_bins`. Bins that read the data pay for it with a tenth of ε.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from frequencies import count_of

from mwem_core import Attribute, Domain, MeasuredBins, Records, Seeded, encode, nearest_rows, parse_workload, read_table
from mwem_core.automatic.default import default
from mwem_core.domain.inside import Inside
from mwem_core.domain.numbers import Edges, Range
from mwem_core.domain.public_bins import public_edges
from mwem_core.domain.unbinned import Unbinned
from mwem_core.domain.values import Values
from mwem_core.measured_bins import SHARE
from mwem_core.privacy.mechanisms import permute_and_flip
from mwem_core.privacy.noise import NoiseSource

ADULT = Path(__file__).parents[1] / "sample_data" / "adult.parquet"
ADULT_CATEGORIES = {"sex": ("Female", "Male"), "income": ("<=50K", ">50K")}
NUMBERS = [  # of a table: the number, its public range, and the categories
    (ADULT, "capital-gain", 0, 99_999, ADULT_CATEGORIES),
    (ADULT, "capital-loss", 0, 4_999, ADULT_CATEGORIES),
    (ADULT, "age", 0, 119, ADULT_CATEGORIES),
    (ADULT, "hours-per-week", 0, 168, ADULT_CATEGORIES),
    (Path("transfusion.csv"), "monetary", 0, 19_999, {"donated": ("0", "1")}),
    (Path("transfusion.csv"), "frequency", 0, 99, {"donated": ("0", "1")}),
]
EPSILONS = (0.1, 1.0, 10.0)
BINS = 16
FINE = 1000  # cells, at most, of the grid on which total variation is measured
WAYS = {"equal width": "equal", "logarithmic": "log", "equal mass, by ranks": "ranks", "measured": SHARE}
SHARES = {f"measured with {share:.0%}": share for share in (0.02, 0.05, 0.1, 0.2, 0.4)}
METRICS = ("mean", "median", "95th percentile", "TV")


def quantiles(counts: np.ndarray, bins: int, epsilon: float, noise: NoiseSource) -> np.ndarray:
    """The first value of each bin of equal mass, by halving ranks: at most (bins,), fewer where a half is one value.

    Kaplan, Schnapp & Stemmer, "Differentially Private Approximate Quantiles", ICML 2022. One record moves the rank of a
    value within an interval by at most 1, and is in one interval of each level: a level costs what one choice does.
    """
    levels, running, firsts = int(np.log2(bins)), np.concatenate([[0], np.cumsum(counts)]), [0]

    def halve(first: int, end: int, level: int) -> None:
        if level == levels or end - first < 2:
            return
        ranks = running[first + 1 : end] - running[first]
        scores = -np.abs(ranks - (running[end] - running[first]) / 2)
        cut = first + 1 + permute_and_flip(scores, epsilon=epsilon / levels, sensitivity=1.0, noise=noise)
        firsts.append(cut)
        halve(first, cut, level + 1)
        halve(cut, end, level + 1)

    halve(0, len(counts), 0)
    return np.unique(firsts)


def released(B: Records, epsilon: float, way: str | float, seed: int) -> np.ndarray:
    """The number in synthetic rows, (n,), in bins of this way, or in bins measured with this share of ε."""
    number, noise = B.domain.attributes[0], Seeded(seed)
    assert isinstance(number.value_set, Unbinned)
    Q = parse_workload("marginals:2", B.domain)
    if isinstance(way, float):
        settings = MeasuredBins.of(
            lambda epsilon, delta: default(Q, n=B.total, epsilon=epsilon, delta=delta), epsilon=epsilon, share=way
        )
        *_, last = settings.rounds(B, Q, noise=noise)
        domain = last.domain
    else:
        left, grid = epsilon, number.value_set.grid
        if way == "equal":
            edges = number.value_set.equal
        elif way == "log":
            edges = Edges(public_edges(f"{grid.low}..{grid.high} log", 0), Inside())
        else:
            counts = B.fine_counts(number.name)
            counts = np.append(counts[:-2], counts[-2:].sum())  # the last bin is closed, and of two values
            firsts = quantiles(counts, BINS, epsilon * SHARE, noise)
            edges, left = Edges((*firsts.tolist(), grid.high), Inside()), epsilon * (1 - SHARE)
        domain = B.domain.binned({number.name: edges})
        Q = parse_workload("marginals:2", domain)
        *_, last = default(Q, n=B.total, epsilon=left).rounds(B.binned(domain), Q, noise=noise)
    rng = np.random.default_rng(seed)
    rows = nearest_rows(parse_workload("marginals:2", domain), last.model, B.total, rng)
    return domain.attributes[0].decode(rows.codes[0], rng)


def errors(made: np.ndarray, true: np.ndarray, low: int, high: int) -> np.ndarray:
    """|mean|, |median| and |95th percentile| off, in units of the number, and total variation on a fine grid: (4,)."""
    facts = [[x.mean(), np.median(x), np.quantile(x, 0.95)] for x in (made, true)]
    grid = np.linspace(low, high + 1, min(FINE, high - low + 1) + 1)
    shares = [np.histogram(x, grid)[0] / len(x) for x in (made, true)]
    return np.append(np.abs(np.subtract(*facts)), np.abs(np.subtract(*shares)).sum() / 2)


def table(
    name: str, ways: dict[str, str | float], found: Callable[[float, str | float], np.ndarray], true: np.ndarray
) -> None:
    """Print the mean errors of a number as a Markdown table."""
    facts = f"mean {true.mean():,.1f}, median {np.median(true):,.0f}, 95th percentile {np.quantile(true, 0.95):,.0f}"
    print(f"\n**{name}**, n = {len(true):,}: {facts}\n")
    print(f"| ε | bins | {' | '.join(METRICS)} |\n|---|---|{'---|' * len(METRICS)}")
    for epsilon in EPSILONS:
        for title, way in ways.items():
            *numbers, tv = found(epsilon, way)
            print(f"| {epsilon:g} | {title} | {' | '.join(f'{x:,.1f}' for x in numbers)} | {tv:.3f} |", flush=True)


def main() -> None:
    """Print a table for each number of the tables that are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with transfusion.csv")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--shares", action="store_true", help="try shares of the budget in place of ways")
    arguments = parser.parse_args()
    for file, name, low, high, categories in NUMBERS:
        path = file if file.is_absolute() else (arguments.data or Path()) / file
        if not path.exists():
            continue
        number = Attribute(name, Unbinned(Range(low, high), BINS))
        domain = Domain((number, *(Attribute(each, Values(texts)) for each, texts in categories.items())))
        B = encode(read_table(path), domain, count=count_of(path))
        true = np.repeat(np.arange(low, high + 1), B.fine_counts(name).astype(int))

        def found(epsilon: float, way: str | float, B=B, true=true, low=low, high=high) -> np.ndarray:
            runs = [errors(released(B, epsilon, way, seed), true, low, high) for seed in range(arguments.seeds)]
            return np.mean(runs, axis=0)

        table(name, SHARES if arguments.shares else WAYS, found, true)


if __name__ == "__main__":
    main()
