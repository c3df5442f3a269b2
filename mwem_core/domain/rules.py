"""Rules: combinations of values that no record has, whatever the data. They are public facts, as the schema is.

A rule is a question in the language of `domain.predicates`, as in `age < 15 and marital-status == "Married"`. The cells
that satisfy it are impossible, so a model gives them no weight and no row is made there. Reads no data, costs nothing.

Records that break a rule are changed as little as possible before they are counted (Fellegi & Holt 1976): a model that
keeps the rules cannot have them, and a fit to them would not settle. Each counts as the possible record that differs in
the fewest attributes. That is a public function of the record alone: tables that differ in one record still do, n stays
as it is, and no sensitivity changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mwem_core.domain.predicates import Predicate, parse_question
from mwem_core.domain.source import Attrs, Source

CHANGE_NOTE = "A record that breaks a rule counts as the possible record that differs from it in the fewest attributes."
MAX_RULE_CELLS = 10**6  # of the marginal that one rule reads, and of the cliques that all rules link


def parse_rules(texts: Iterable[str], domain: Any) -> tuple[Predicate, ...]:
    """The rules that these texts state of a Domain.

    Raises ValueError, with the number of the rule, for one that makes no sense. It must be decided in every cell of
    the schema: a threshold inside a bin is refused.
    """
    rules = []
    for number, text in enumerate(texts, start=1):
        try:
            rule = parse_question(text, domain, max_cells=MAX_RULE_CELLS)
        except ValueError as error:
            raise ValueError(f"rule {number} of the schema: {error}") from None
        if rule.mask.all():
            raise ValueError(f"rule {number} of the schema: {rule.text!r} holds for every record, so none is possible")
        rules.append(rule)
    return tuple(rules)


def possible_cells(rules: Iterable[Predicate]) -> dict[Attrs, np.ndarray]:
    """The attribute sets of rules, each with the cells of its marginal that no rule on just this set forbids."""
    possible: dict[Attrs, np.ndarray] = {}
    for rule in rules:
        possible[rule.attrs] = possible.get(rule.attrs, True) & ~rule.mask
    return possible


def are_possible(codes: Sequence[np.ndarray], possible: Mapping[Attrs, np.ndarray]) -> np.ndarray:
    """Which records are possible: one (m,) array of codes for each attribute -> (m,)."""
    kept = np.ones(len(codes[0]), bool)
    for S, table in possible.items():
        kept &= table[tuple(codes[a] for a in S)]
    return kept


def count_broken(rules: Sequence[Predicate], B: Source) -> tuple[int, ...]:
    """How many records break each rule. NOT private: it counts the private table."""
    tables = B.marginals([rule.attrs for rule in rules]) if rules else []
    return tuple(round(float(table[rule.mask].sum())) for rule, table in zip(rules, tables, strict=True))


def broken_in_words(counts: Sequence[int]) -> str:
    """What the private table says about the rules, for exploring: NOT private. Empty without rules."""
    if not counts:
        return ""
    rules = "1 rule" if len(counts) == 1 else f"{len(counts)} rules"
    if not any(counts):
        return f"{rules}, and no record breaks one; not private."
    each = ", ".join(f"rule {i} ({count:,})" for i, count in enumerate(counts, start=1) if count)
    return f"{rules}; records break {each}; not private."


def nearest_possible(
    codes: Sequence[np.ndarray], sizes: Sequence[int], possible: Mapping[Attrs, np.ndarray]
) -> tuple[np.ndarray, ...]:
    """The records, one (m,) array of codes for each attribute, with those that break a rule changed.

    Of several changes of as few attributes, those late in the schema are made, to the values nearest in its order.
    Raises ValueError if the rules leave no possible record.
    """
    wrong = np.flatnonzero(~are_possible(codes, possible))
    if not len(wrong):
        return tuple(codes)
    linked = sorted({a for S in possible for a in S})
    distinct, place = np.unique(np.array([codes[a][wrong] for a in linked]), axis=1, return_inverse=True)
    changed = np.array([_nearest_record(row, linked, sizes, possible) for row in distinct.T.tolist()]).T[
        :, place.ravel()
    ]
    corrected = list(codes)
    for a, column in zip(linked, changed, strict=True):
        corrected[a] = codes[a].copy()
        corrected[a][wrong] = column
    return tuple(corrected)


def _nearest_record(
    row: Sequence[int], linked: Sequence[int], sizes: Sequence[int], possible: Mapping[Attrs, np.ndarray]
) -> list[int]:
    """The codes of the linked attributes in the nearest possible record."""
    number = {a: i for i, a in enumerate(linked)}
    rules = [([number[a] for a in S], table) for S, table in possible.items()]
    closing = [[(places, table) for places, table in rules if max(places) == i] for i in range(len(linked))]
    values = [sorted(range(sizes[a]), key=lambda x, own=own: abs(x - own)) for a, own in zip(linked, row, strict=True)]

    def search(chosen: list[int], changes: int) -> list[int] | None:
        i = len(chosen)
        if i == len(row):
            return chosen
        for x in values[i] if changes else [row[i]]:
            longer = [*chosen, x]
            if all(table[tuple(longer[j] for j in places)] for places, table in closing[i]):
                found = search(longer, changes - (x != row[i]))
                if found:
                    return found
        return None

    for changes in range(1, len(row) + 1):
        if found := search([], changes):
            return found
    raise ValueError("the rules of the schema leave no possible record: remove one of them")
