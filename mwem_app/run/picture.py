"""The marginal that the player draws: a fixed one, or the one that each round measured."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mwem_app.charts import merge_starts, merged_labels, sum_merged, widths
from mwem_app.stage import View
from mwem_core.algorithm import Round
from mwem_core.domain import Attribute, Attrs, Domain, Source
from mwem_core.workload import Workload

MAX_PICTURE_CELLS = 1_000  # all of them are sent to the browser in every round
GOOD_PICTURE_CELLS = 64  # enough to show a shape, few enough to tell the cells apart
MAX_NAMES = 12  # along an axis that is easily read
MAX_PLAYER_BARS, MAX_SIDE = 200, 31  # an ordered attribute with more values is drawn with neighbouring values merged


@dataclass(frozen=True, eq=False)
class Picture:
    """A marginal to draw, of one or two attributes, the larger along x. Ordered values are merged if there are many."""

    domain: Domain
    attrs: Attrs  # sorted, as in every marginal
    starts: tuple[np.ndarray, ...]  # per attribute: the first code of each cell
    whole: Attrs = ()  # the larger marginal that it is a part of, if any

    @classmethod
    def of(cls, domain: Domain, attrs: Sequence[int], whole: Attrs = ()) -> "Picture":
        """Merge ordered values if needed. Categories cannot merge; raises ValueError if they have too many cells."""
        attrs = tuple(sorted(set(attrs)))
        if len(attrs) == 1:
            max_values = MAX_PLAYER_BARS
        else:
            max_values = MAX_SIDE if domain.cells(attrs) > MAX_PICTURE_CELLS else MAX_PICTURE_CELLS
        starts = tuple(_starts(domain.attributes[a], max_values) for a in attrs)
        if (cells := math.prod(map(len, starts))) > MAX_PICTURE_CELLS:
            raise ValueError(
                f"{domain.label(attrs)} has {cells:,} cells, but at most {MAX_PICTURE_CELLS:,} can be drawn: "
                "choose attributes with fewer values"
            )
        return cls(domain, attrs, starts, whole)

    @property
    def title(self) -> str:
        """ "education × sex", or "education × sex, summed over race", where they are a part of `whole`."""
        drawn, rest = self.domain.label(self.attrs[i] for i in self.axes), set(self.whole) - set(self.attrs)
        return f"{drawn}, summed over {self.domain.label(sorted(rest))}" if rest else drawn

    @property
    def is_readable(self) -> bool:
        """Whether each axis has few enough names to be read at once."""
        return max(map(len, self.starts)) <= MAX_NAMES

    @property
    def axes(self) -> list[int]:
        """Positions in `attrs` of the attribute along y, if there are two, and of the attribute along x."""
        return sorted(range(len(self.attrs)), key=lambda i: len(self.starts[i]))

    def shares(self, source: Source, total: float) -> np.ndarray:
        """Return the share of records in each cell, flattened row by row: (cells,)."""
        table = sum_merged(source.marginals([self.attrs])[0], self.starts)
        return table.transpose(self.axes).ravel() / total

    def view(self, truth: np.ndarray | None) -> View:
        """Return the player's view, with the truth if it is given."""
        *y, x = self.axes
        return View(
            id=self.title,
            title=self.title,
            kind="heat" if y else "bars",
            x=self._labels(x),
            y=self._labels(y[0]) if y else None,
            widths=None if y else widths(self.domain.attributes[self.attrs[x]], self.starts[x]).tolist(),
            truth=truth,
            x_title=self.domain.names[self.attrs[x]],
            y_title=self.domain.names[self.attrs[y[0]]] if y else "",
        )

    def _labels(self, i: int) -> list[str]:
        return merged_labels(self.domain.attributes[self.attrs[i]].labels, self.starts[i])


def _starts(attribute: Attribute, max_values: int) -> np.ndarray:
    """The first code of each cell; only the ordered values are merged, not categories such as missing."""
    ordered = attribute.value_set.size
    return np.append(
        merge_starts(ordered, max_values if attribute.ordered else ordered), np.arange(ordered, attribute.size)
    )


def suggested_attrs(workload: Workload) -> Attrs:
    """Return the attributes drawn by default: one or two from the workload, readable, with about 64 cells.

    If none of these can be drawn, the attribute with the fewest values.
    """
    domain = workload.domain
    picture = _nearest_order(domain, dict.fromkeys(S[:2] for S in workload.sets))
    return picture.attrs if picture else (min(range(len(domain)), key=domain.shape.__getitem__),)


def first_measured(domain: Domain, rounds: Iterable[Round]) -> Picture | None:
    """The first readable marginal that a round measured; None where there is none, as in a planned run."""
    measured = dict.fromkeys(round_.measurement.attrs for round_ in rounds if round_.measurement is not None)
    pictures = (measured_picture(domain, attrs) for attrs in measured)
    return next((picture for picture in pictures if picture and picture.is_readable), None)


def measured_picture(domain: Domain, attrs: Attrs) -> Picture | None:
    """The marginal of `attrs`; if it cannot be drawn, the pair or the attribute of it with nearest to 64 cells."""
    for size in (2, 1):
        parts = [attrs] if len(attrs) <= size else list(combinations(attrs, size))
        if picture := _nearest_order(domain, parts, whole=attrs):
            return picture
    return None


def _nearest_order(domain: Domain, candidates: Iterable[Attrs], whole: Attrs = ()) -> Picture | None:
    """The readable candidate that has the number of cells nearest to 64; without one, the nearest that can be drawn."""
    first = None
    for attrs in sorted(candidates, key=lambda S: abs(math.log(domain.cells(S) / GOOD_PICTURE_CELLS))):
        try:
            picture = Picture.of(domain, attrs, whole if whole != attrs else ())
        except ValueError:
            continue
        if picture.is_readable:
            return picture
        first = first or picture
    return first
