"""All of the quality report's numbers at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mwem_core.data.numbers import Rows
from mwem_core.domain.domain import Domain
from mwem_core.evaluation.target import MAX_CLASSES, Target
from mwem_core.quality.columns import Column, by_column
from mwem_core.quality.learned import Learned, learn
from mwem_core.quality.pairs import Pair, by_pair
from mwem_core.quality.rows import independent, uniform

SEED = 0  # of the baselines and of the classifiers' rows, so that a report is the same each time


@dataclass(frozen=True)
class Quality:
    """Synthetic rows beside the original: NOT PRIVATE.

    `records` of the original and `rows` of the synthetic table; `learned` is None where no classifier was trained, and
    `not_learned` then says why.
    """

    records: int
    rows: int
    columns: tuple[Column, ...]
    pairs: tuple[Pair, ...]
    all_pairs: int
    learned: Learned | None
    not_learned: str


def quality(original: Rows, synthetic: Rows) -> Quality:
    """Compare two tables under one schema. No classifier is trained: `with_learned` does that."""
    domain = original.records.domain
    by_chance = uniform(domain, original.records.total, np.random.default_rng(SEED))
    return Quality(
        records=original.records.total,
        rows=synthetic.records.total,
        columns=tuple(by_column(original, synthetic, by_chance)),
        pairs=tuple(by_pair(original, synthetic)),
        all_pairs=len(domain) * (len(domain) - 1) // 2,
        learned=None,
        not_learned="nobody has asked for it",
    )


def with_learned(found: Quality, original: Rows, synthetic: Rows, target: Target | None = None) -> Quality:
    """The same with what a classifier learns of `target`, or else of the attribute of fewest values.

    Raises ValueError for a target that was named and cannot be predicted; else `not_learned` says why there is none.
    """
    rng, domain = np.random.default_rng(SEED), original.records.domain
    by_chance, alone = uniform(domain, original.records.total, rng), independent(original, rng)
    try:
        chosen = target or Target(default_target(domain))
        return replace(found, learned=learn(original, synthetic, alone, by_chance, chosen, rng))
    except ValueError as error:
        if target is not None:
            raise
        return replace(found, not_learned=str(error))


def default_target(domain: Domain) -> str:
    """The last of the attributes with the fewest values. Raises ValueError where all have too many to be classes."""
    a = max(range(len(domain)), key=lambda a: (-domain.shape[a], a))
    if domain.shape[a] > MAX_CLASSES:
        raise ValueError(f"every column has more than {MAX_CLASSES} values: name a target with fewer")
    return domain.names[a]
