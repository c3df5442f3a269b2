"""A table outside of memory, seen through a schema: what comes back from its database, as codes and weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from mwem_core.data.encoding import check_columns, check_total, is_weight, no_weights, outside_schema
from mwem_core.data.files import COUNT, as_text, distinct_texts
from mwem_core.database.sql import Column, grouped, read_as
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import EXACT

KEPT_TEXTS = 1000  # outside the schema, to choose examples from
Ask = Callable[[str, dict[str, pa.DataType]], Iterator[pa.RecordBatch]]


@dataclass(frozen=True, eq=False)
class Stored:
    """A table outside of memory, seen through a schema: its columns, the weights last, and how to ask in SQL.

    `ask(select, types)` answers a query on a table `source` of columns c0, c1, ... in batches.
    """

    domain: Domain
    columns: tuple[Column, ...]
    ask: Ask

    @property
    def weighted(self) -> bool:
        """Whether a column `count` says how many records a row stands for."""
        return len(self.columns) > len(self.domain)

    def rows(self, sets: Sequence[Sequence[int]]) -> Iterator[tuple[int, tuple[np.ndarray, ...], np.ndarray]]:
        """Batches of (which set, codes of its attributes, records in each row); rows of a set may repeat.

        Raises ValueError, at the end, for values outside the schema and for weights that are none.
        """
        weights = [len(self.domain)] if self.weighted else []
        asked = [(*S, *weights) for S in sets]
        used = sorted({index for S in asked for index in S})
        types = {f"c{index}": self.columns[index].type for index in used}
        if len(sets) > 1:
            types |= {f"g{index}": pa.int64() for index in used}
        seen = _Seen(self.domain)
        for batch in self.ask(grouped(self.columns, asked), types | {"n": pa.int64()}):
            for which, part in _apart(batch, asked, used):
                rows = part["n"].to_numpy()
                codes = tuple(seen.codes(part[f"c{index}"], index, rows) for index in sets[which])
                yield which, codes, seen.weights(part[f"c{weights[0]}"], rows) if weights else rows
        seen.refuse(self.weighted, len(sets))


def seen_through(columns: Sequence[tuple[str, pa.DataType]], domain: Domain, ask: Callable[[list[int]], Ask]) -> Stored:
    """A stored table of these columns under a schema; `ask` is given the places of c0, c1, ... among them."""
    names = [name for name, _ in columns]
    check_columns(names, domain)
    used = [*domain.names, *([COUNT] if COUNT in names and COUNT not in domain.names else [])]
    places = [names.index(name) for name in used]
    for name, place in zip(used, places, strict=True):
        distinct_texts(as_text(pa.chunked_array([pa.nulls(1, columns[place][1])])), name)  # refuses lists and such
    read = [read_as(f"c{i}", columns[place][1], domain.attributes[i]) for i, place in enumerate(places[: len(domain)])]
    return Stored(
        domain, (*read, *(Column(columns[p][1], f"c{len(domain)}") for p in places[len(domain) :])), ask(places)
    )


def _apart(
    batch: pa.RecordBatch, sets: Sequence[tuple[int, ...]], used: Sequence[int]
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of each set that was grouped by."""
    if len(sets) == 1:
        yield 0, batch
        return
    absent = np.stack([batch[f"g{index}"].to_numpy() for index in used]) > 0
    for which, S in enumerate(sets):
        rows = (absent == np.array([[index not in S] for index in used])).all(axis=0)
        if rows.any():
            yield which, batch.filter(pa.array(rows))


class _Seen:
    """Codes and weights of one answer's columns, and what in them the schema has no place for."""

    def __init__(self, domain: Domain):
        self.domain = domain
        self.outside = [_Bad() for _ in domain.attributes]
        self.no_weights = _Bad()
        self.total = 0

    def codes(self, column: pa.Array, index: int, rows: np.ndarray) -> np.ndarray:
        attribute = self.domain.attributes[index]
        texts, which = distinct_texts(as_text(pa.chunked_array([column])), attribute.name)
        codes = attribute.encode(texts)
        self.outside[index].add(texts, which, codes < 0, rows)
        return np.maximum(codes, 0).astype(np.min_scalar_type(attribute.size - 1))[which]

    def weights(self, column: pa.Array, rows: np.ndarray) -> np.ndarray:
        texts, which = distinct_texts(as_text(pa.chunked_array([column])), COUNT)
        bad = np.array([not is_weight(text) for text in texts], dtype=bool)
        self.no_weights.add(texts, which, bad, rows)
        number = [0 if no else int(text) for text, no in zip(texts, bad, strict=True)]
        times = np.zeros(len(texts), dtype=np.int64)
        np.add.at(times, which, rows)
        total = sum(weight * int(several) for weight, several in zip(number, times, strict=True))
        self.total += total
        return np.array(number, dtype=np.int64)[which] * rows if total <= EXACT else np.ones_like(rows)

    def refuse(self, weighted: bool, sets: int) -> None:
        """Raises what `encode` raises, its examples the most frequent."""
        for attribute, bad in zip(self.domain.attributes, self.outside, strict=True):
            if bad.rows:
                raise ValueError(outside_schema(attribute, bad.rows, bad.frequent()))
        if self.no_weights.rows:
            raise ValueError(no_weights(self.no_weights.frequent()))
        if weighted:
            check_total(self.total // sets)


class _Bad:
    """Rows of texts that will not do, and the first of those texts."""

    def __init__(self):
        self.rows = 0
        self.texts: Counter[str] = Counter()

    def add(self, texts: list[str], which: np.ndarray, bad: np.ndarray, rows: np.ndarray) -> None:
        if not bad.any():
            return
        times = np.bincount(which, rows, minlength=len(texts)).astype(np.int64)
        for place in np.flatnonzero(bad & (times > 0)).tolist():
            self.rows += int(times[place])
            if texts[place] in self.texts or len(self.texts) < KEPT_TEXTS:
                self.texts[texts[place]] += int(times[place])

    def frequent(self) -> list[str]:
        return sorted(self.texts, key=lambda text: (-self.texts[text], text))[:3]
