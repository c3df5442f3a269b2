"""Shares, means, quantiles, differences, odds ratios, correlations and tables, as functions of linear queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mwem_core.ask.conditions import By, Feature, column_name, condition, groups, note, number, possible, product
from mwem_core.ask.statistic import Block, Scale, Statistic
from mwem_core.domain import Attrs, Domain
from mwem_core.encoding import spans
from mwem_core.model import align

MAX_NUMBERS = 2 * 10**7  # of all features of a question


def of_features(
    names: Sequence[str],
    features: Sequence[Feature],
    function: Callable[[np.ndarray], np.ndarray],
    scale: Scale = "plain",
    **more: Any,
) -> Statistic:
    """The statistic that a function makes of the sums of features over the records, in their order: (..., k).

    `more` are further fields of it. Raises ValueError where they would not fit in memory.
    """
    if (numbers := sum(feature.table.size for feature in features)) > MAX_NUMBERS:
        raise ValueError(
            f"{names[0]} and {len(names) - 1:,} more would read {numbers:,} numbers, and at most {MAX_NUMBERS:,} fit in"
            " memory: ask about an attribute of fewer values"
        )
    by_set: dict[Attrs, list[int]] = {}
    for i, feature in enumerate(features):
        by_set.setdefault(feature.S, []).append(i)
    blocks = tuple(_block(S, [features[i] for i in own]) for S, own in by_set.items())
    place = np.argsort([i for own in by_set.values() for i in own])
    if doubt := more.pop("doubt", None):
        more["doubt"] = lambda answers: doubt(answers[..., place])
    return Statistic(tuple(names), blocks, lambda answers: function(answers[..., place]), scale, **more)


def _block(S: Attrs, features: Sequence[Feature]) -> Block:
    nothing = np.zeros_like(features[0].table)
    binned = sorted({a for each in features for a in each.slopes})
    slopes = {a: np.array([each.slopes.get(a, nothing) for each in features]) for a in binned}
    doubts = [nothing if each.doubts is None else each.doubts for each in features]
    uncertain = any(each.doubts is not None for each in features)
    return Block(S, np.array([each.table for each in features]), slopes, np.array(doubts) if uncertain else None)


def shares(
    what: str | None, domain: Domain, *, where: str | None = None, by: By = None, of_records: bool = False
) -> Statistic:
    """The share of records that satisfy `what`, or their number, in each group."""
    asked, kind = condition(what, domain), "number" if of_records else "share"
    groups = _Groups.of(f"{kind} of {(what or 'records').strip()}", condition(where, domain), where, by, domain)
    known = note(domain, (), asked.S)
    return _ratios(groups, asked, (asked.table, asked.table), domain, known, of_records)


def means(what: str, domain: Domain, *, where: str | None = None, by: By = None, of_records: bool = False) -> Statistic:
    """The mean of an attribute's numbers, or their total, in each group, within the bounds of its bins."""
    values, has = number(what, domain)
    title = f"{'total' if of_records else 'mean'} of {values.name}"
    groups = _Groups.of(title, has.times(condition(where, domain)), where, by, domain)
    _, *ends = np.nan_to_num(spans(domain.attributes[has.S[0]]))
    return _ratios(groups, values, ends, domain, note(domain, has.S, groups=bool(where or by)), of_records)


def variances(what: str, domain: Domain, *, where: str | None = None, by: By = None, root: bool = False) -> Statistic:
    """The logarithm of the variance of an attribute's numbers, or of its `root`, in each group."""
    x, has = number(what, domain)
    title = f"{'standard deviation' if root else 'variance'} of {x.name}"
    groups = _Groups.of(title, has.times(condition(where, domain)), where, by, domain)

    def logs(sums: np.ndarray) -> np.ndarray:
        mean, square = np.moveaxis(_over_first(sums), -1, 0)
        spread = square - mean**2
        return np.log(np.where(spread > 0, spread, np.nan)) * (0.5 if root else 1.0)

    return groups.statistic([x, x.times(x)], logs, "log", note=note(domain, x.S, groups=bool(where or by)))


def differences(what: str, domain: Domain, *, by: By, where: str | None = None) -> Statistic:
    """A share, or a mean where `what` names an attribute, of each group but the first less that of the first."""
    is_mean = column_name(what) in domain.names
    each = (means if is_mean else shares)(what, domain, where=where, by=by)
    least, most = np.asarray(each.least), np.asarray(each.most)
    return replace(
        each,
        names=_against_first(each.names),
        function=lambda counts: _from_first(each.function(counts)),
        least=least[1:] - most[0],
        most=most[1:] - least[0],
        needs=tuple((*each.needs[0], *own) for own in each.needs[1:]),
    )


def odds_ratios(what: str, domain: Domain, *, by: By, where: str | None = None) -> Statistic:
    """The logarithm of the odds of `what` in each group but the first, over those in the first."""
    each, asked = shares(what, domain, where=where, by=by), condition(what, domain)
    sides = asked, Feature(f"not ({asked.name})", asked.S, 1 - asked.table)

    def logs(counts: np.ndarray) -> np.ndarray:
        share = each.function(counts)
        odds = np.where((share > 0) & (share < 1), share / (1 - share), np.nan)
        return _from_first(np.log(odds))

    names = [name.replace("share of", "odds ratio of") for name in _against_first(each.names)]
    needs = [tuple(side.times(own) for (own,) in (each.needs[0], group) for side in sides) for group in each.needs[1:]]
    return Statistic(tuple(names), each.blocks, logs, "log", needs=tuple(needs), note=each.note)


def correlations(what: str, domain: Domain, *, where: str | None = None, by: By = None) -> Statistic:
    """Fisher's z of the correlation of two attributes with numbers, `a, b`, in each group."""
    names = what.split(",")
    if len(names) != 2:
        raise ValueError(f"a correlation is of two attributes, such as age, hours; got {what!r}")
    (x, has_x), (y, has_y) = (number(name, domain) for name in names)
    among = product([has_x, has_y, condition(where, domain)])
    groups = _Groups.of(f"correlation of {x.name} and {y.name}", among, where, by, domain)
    means_x, means_y = replace(x, square=None), replace(y, square=None)  # without what numbers vary within bins
    parts = x, y, x.times(x), y.times(y), x.times(y), means_x.times(means_x), means_y.times(means_y)

    def r_of_bins(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The correlation, and which share of it the means of bins show, if y is about linear in x within them."""
        n = sums[..., 0]
        x, y, xx, yy, xy, mx, my = np.moveaxis(sums[..., 1:] / sums[..., :1], -1, 0)
        spread, of_means = (xx - x**2) * (yy - y**2), (mx - x**2) * (my - y**2)
        shown = np.where((n > 0) & (mx > x**2) & (my > y**2), of_means, np.nan) / spread
        r = (xy - x * y) / np.sqrt(spread) / shown
        return np.where(np.abs(r) < 1, r, np.nan), shown

    def doubt(sums: np.ndarray) -> np.ndarray:
        r, shown = r_of_bins(sums)
        return np.abs(r) * (1 - shown) / (1 - r**2) / 2

    known = note(domain, {*x.S, *y.S}, groups=True)
    return groups.statistic(parts, lambda sums: np.arctanh(r_of_bins(sums)[0]), "atanh", note=known, doubt=doubt)


def tables(by: By, domain: Domain, *, where: str | None = None) -> Statistic:
    """The share of records in every cell of a contingency table."""
    cells, among = groups(by, domain), condition(where, domain)
    features = [among, *(cell.times(among) for cell in cells)]
    names = [among_those(f"share of {cell.name}", where) for cell in cells]
    most = np.array([float((cell.table * possible(domain, cell.S)).any()) for cell in features[1:]])
    return of_features(names, features, _over_first, least=0.0, most=most, whole=True, needs=((among,),) * len(names))


def up_to_codes(what: str, share: float, domain: Domain, *, where: str | None = None) -> Statistic:
    """By how much the share of records with a number in each cell of `what`, or a lower one, exceeds `share`."""
    _, has = number(what, domain)
    (a,) = has.S
    size, among = domain.attributes[a].value_set.size, condition(where, domain)
    codes = np.arange(domain.attributes[a].size)
    below = [Feature(f"up to {code}", (a,), (codes <= code).astype(float)).times(among) for code in range(size - 1)]
    names = [f"{what} up to {code}" for code in range(size - 1)]
    features = [has.times(among), *below]
    needs, known = ((features[0],),) * len(names), note(domain, has.S)
    return of_features(names, features, lambda sums: _over_first(sums) - share, needs=needs, note=known)


def quantile_of_cells(
    values: np.ndarray, deviations: np.ndarray, share: float, what: str, domain: Domain
) -> tuple[float, float, float]:
    """The quantile and its interval, from how far the shares up to each cell exceed `share`, and z deviations of it.

    The interval reaches from the start of the first cell that may have the quantile to the end of the last.
    """
    (a,) = domain.attrs(column_name(what))
    _, low, high = spans(domain.attributes[a])[:, : domain.attributes[a].value_set.size]
    cumulative = np.concatenate([[0.0], np.maximum.accumulate(np.clip(values + share, 0, 1)), [1.0]])
    cell = min(int(np.searchsorted(cumulative[1:], share)), len(low) - 1)
    within = (share - cumulative[cell]) / max(cumulative[cell + 1] - cumulative[cell], 1e-12)
    surely_below = np.flatnonzero(values + deviations < 0)  # up to these cells there are too few
    surely_above = np.flatnonzero(values - deviations > 0)  # up to these cells there are more than enough
    first = min(int(surely_below[-1]) + 1 if len(surely_below) else 0, cell)
    last = max(int(surely_above[0]) if len(surely_above) else len(low) - 1, cell)
    return float(low[cell] + within * (high[cell] - low[cell])), float(low[first]), float(high[last])


@dataclass(frozen=True)
class _Groups:
    """The records of each group that are among those asked about, `owns`, and what a statistic of each is called."""

    names: tuple[str, ...]
    owns: tuple[Feature, ...]

    @classmethod
    def of(cls, title: str, among: Feature, where: str | None, by: By, domain: Domain) -> _Groups:
        title, each = among_those(title, where), groups(by, domain)
        names = (f"{title} where {group.name}" if group.S else title for group in each)
        return cls(tuple(names), tuple(among.times(group) for group in each))

    def statistic(
        self,
        parts: Sequence[Feature],
        function: Callable[[np.ndarray], np.ndarray],
        scale: Scale = "plain",
        *,
        doubt: Callable[[np.ndarray], np.ndarray] | None = None,
        **more: Any,
    ) -> Statistic:
        """What functions make of each group's number of records and sums of parts: (..., groups, 1 + parts)."""
        features = [feature for own in self.owns for feature in (own, *(part.times(own) for part in parts))]
        shape = len(self.owns), 1 + len(parts)

        def by_group(of: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
            return lambda sums: of(sums.reshape(*sums.shape[:-1], *shape))

        more = {"needs": tuple((own,) for own in self.owns), "doubt": doubt and by_group(doubt)} | more
        return of_features(self.names, features, by_group(function), scale, **more)


def _ratios(
    groups: _Groups, what: Feature, ends: Sequence[np.ndarray], domain: Domain, note: str, of_records: bool
) -> Statistic:
    """Σ what / Σ 1 over the records of each group; `of_records`, it is Σ what alone.

    `ends` are the least and the most that a record may have of `what`, by its cells.
    """
    least, most = np.array([_ends(own, what.S, ends, domain) for own in groups.owns]).T
    if of_records:  # a total of numbers has the sign that all of them have
        least, most = np.where(least >= 0, 0.0, -np.inf), np.where(most <= 0, 0.0, np.inf)
        return groups.statistic(
            [what], lambda sums: sums[..., 1], least=least, most=most, note=note, needs=(), of_records=True
        )
    return groups.statistic([what], lambda sums: _over_first(sums)[..., 0], least=least, most=most, note=note)


def _ends(own: Feature, R: Attrs, ends: Sequence[np.ndarray], domain: Domain) -> tuple[float, float]:
    """The least and the most in possible cells of a group, of tables over R; any number without such a cell."""
    S = tuple(sorted({*own.S, *R}))
    cells = np.broadcast_to(align(own.table, own.S, S) > 0, domain.sizes(S)) & possible(domain, S)
    least, most = (np.broadcast_to(align(end, R, S), cells.shape)[cells] for end in ends)
    return (float(least.min()), float(most.max())) if cells.any() else (-np.inf, np.inf)


def _over_first(sums: np.ndarray) -> np.ndarray:
    """The ratios; NaN where noise leaves no records to divide by."""
    return sums[..., 1:] / np.where(sums[..., :1] > 0, sums[..., :1], np.nan)


def _from_first(values: np.ndarray) -> np.ndarray:
    return values[..., 1:] - values[..., :1]


def among_those(title: str, where: str | None) -> str:
    """A statistic's title with the condition that limits its records."""
    return title if where is None else f"{title} among {where.strip()}"


def _against_first(names: Sequence[str]) -> tuple[str, ...]:
    first = names[0].partition(" where ")[2]
    return tuple(f"{name}, against {first}" for name in names[1:])
