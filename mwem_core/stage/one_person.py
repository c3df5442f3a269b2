"""What releases say with and without one person, and how often one guesses from them which it is. NOT PRIVATE."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attrs, Records
from mwem_core.privacy import Seeded, cap
from mwem_core.stage.tables import check_bins, marginals
from mwem_core.systems import MeasuredTotal
from mwem_core.workload import Workload

SEEDS = range(1, 101)
NORMAL = 1.96  # standard deviations of a 95% interval


@dataclass(frozen=True, eq=False)
class Person:
    """One record of a table: its codes, (d,), and the table with it and without it.

    `attrs` are the attributes of the table that is looked at, and `others` is how many other records are in the
    person's cell of it.
    """

    codes: tuple[int, ...]
    attrs: Attrs
    others: int
    present: Records
    absent: Records

    @property
    def cell(self) -> str:
        """The person's cell: "age = 17, sex = Female"."""
        domain = self.present.domain
        return ", ".join(f"{domain.names[a]} = {domain.attributes[a].labels[self.codes[a]]}" for a in self.attrs)


def person(records: Records, workload: Workload, row: int, attrs: Attrs | None = None) -> Person:
    """The person of this row of `records.distinct()`, in the table over `attrs`.

    Without `attrs` it is the table of the workload in which the fewest records share the person's cell, where the
    person matters most. Raises ValueError for a row that there is not, and for bins that a run measures first.
    """
    check_bins(records.domain)
    B = records.distinct()
    rows = len(B.codes[0])
    if not 0 <= row < rows:
        raise ValueError(f"there are {rows:,} different records, numbered from 0: choose one of them, got {row!r}")
    codes = tuple(int(column[row]) for column in B.codes)
    sets = workload.sets if attrs is None else (attrs,)
    sharing = [int(table[tuple(codes[a] for a in S)]) for S, table in zip(sets, B.marginals(sets), strict=True)]
    fewest = int(np.argmin(sharing))
    weights = np.ones(rows, np.int64) if B.weights is None else B.weights.copy()
    weights[row] -= 1
    absent = Records(B.domain, B.codes, weights).rows(weights > 0)
    return Person(codes, sets[fewest], sharing[fewest] - 1, B, absent)


def releases(
    person: Person,
    workload: Workload,
    system: str,
    epsilon: float,
    *,
    delta: float = 0.0,
    seeds: Iterable[int] = SEEDS,
) -> Iterator[tuple[float, float]]:
    """For each seed, how many records a release says are in the person's cell: with the person, and without.

    Each release measures n too, with a share of the ε: a public n would tell the two apart without any guess. Both have
    the same randomness, and each is (ε, δ)-differentially private.
    Raises ValueError where the system refuses the settings or the data, and where it gives no table of the cell.
    """
    settings = MeasuredTotal(epsilon=epsilon, delta=delta, system=system)
    cell = tuple(person.codes[a] for a in person.attrs)
    for seed in seeds:
        models = [
            deque(settings.rounds(B, workload, noise=Seeded(seed)), maxlen=1).pop().model
            for B in (person.present, person.absent)
        ]
        present, absent = (float(marginals(model, [person.attrs])[0][cell]) for model in models)
        yield present, absent


@dataclass(frozen=True)
class Guess:
    """How often a guess is right, from what one release says: a share, its 95% interval, and the most possible.

    `most` is (e^ε + δ) / (1 + e^ε), which no guess from any part of a release exceeds in the mean.
    """

    right: float
    low: float
    high: float
    most: float


def guess(present: np.ndarray, absent: np.ndarray, epsilon: float, delta: float = 0.0) -> Guess:
    """How often the best threshold tells releases with the person, (m,), from those without, (m,), of the same seeds.

    The threshold is chosen on one half of the seeds and judged on the other, then the halves change places: judged on
    the seeds that chose it, a threshold would seem to tell apart what has no difference. The interval (Wilson 1927)
    counts each seed once, as its two releases share their randomness. Raises ValueError for fewer than two seeds.
    """
    m = len(present)
    if m < 2:
        raise ValueError(
            f"a threshold is chosen on one half of the seeds and judged on the other, so two at least; got {m}"
        )
    first = np.arange(m) % 2 == 0
    right = 0
    for chosen in (first, ~first):
        t = _threshold(present[chosen], absent[chosen])
        right += int((present[~chosen] > t).sum() + (absent[~chosen] <= t).sum())
    share = right / (2 * m)
    low, high = _wilson(share, m)
    return Guess(share, low, high, cap(epsilon, delta))


def _threshold(present: np.ndarray, absent: np.ndarray) -> float:
    """The t for which "more than t: with the person" is right most often."""
    values = np.unique(np.concatenate([present, absent]))
    above = len(present) - np.searchsorted(np.sort(present), values, side="right")
    below = np.searchsorted(np.sort(absent), values, side="right")
    return float(values[np.argmax(above + below)])


def _wilson(share: float, m: int) -> tuple[float, float]:
    """The 95% interval of a probability from m guesses of which this share was right."""
    z2 = NORMAL**2 / m
    middle = (share + z2 / 2) / (1 + z2)
    half = NORMAL * math.sqrt(share * (1 - share) / m + z2 / (4 * m)) / (1 + z2)
    return max(0.0, middle - half), min(1.0, middle + half)
