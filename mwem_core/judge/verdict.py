"""Rank systems by one metric on the same task, with confidence intervals over seeds. NOT PRIVATE.

Errors are positive and vary by factors, so all statistics are of their logarithms. A system is summarised by the
geometric mean of its errors over seeds, and two systems are compared by the ratio of their geometric means. Seeds of
different systems are independent, so the interval of a ratio is Welch's, which allows unequal variances.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mwem_core.base import join_names
from mwem_core.systems import SYSTEMS

CONFIDENCE = 0.95
T_QUANTILES = (  # of Student's t at (1 + CONFIDENCE) / 2, for 1 to 9 degrees of freedom
    *(12.706204736174694, 4.302652729749462, 3.1824463052837078, 2.7764451051977934, 2.5705818356363146),
    *(2.4469118511449786, 2.364624251592784, 2.306004135204166, 2.262157162798205),
)
UNIFORM, MWEM_NAMES = "uniform", ("mwem", "automatic", "mwem-paper", "figure-1")


@dataclass(frozen=True)
class Interval:
    """A geometric mean, or a ratio of two, with the ends of its t interval at level `CONFIDENCE`."""

    middle: float
    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Verdict:
    """Systems ordered by error, smallest first, each with the ratio of its error to the leader's."""

    min_seeds: int  # the smallest number of seeds of any system
    ratios: dict[str, Interval]

    @property
    def leader(self) -> str:
        """The system with the smallest error."""
        return next(iter(self.ratios))

    @property
    def tied(self) -> list[str]:
        """The systems tied with the leader: the interval of their ratio contains 1."""
        return [name for name, ratio in self.ratios.items() if name != self.leader and 1 in ratio]


def geometric_mean(errors: Sequence[float]) -> Interval:
    """Geometric mean of errors over seeds. From one seed the interval is 0 to infinity.

    Raises ValueError for a negative error.
    """
    return _interval(*_log_mean(errors))


def ratio_of_geometric_means(numerator: Sequence[float], denominator: Sequence[float]) -> Interval:
    """Ratio of two systems' geometric means, with Welch's interval.

    Where both have several seeds and no variance, as systems that read no data, the interval is a single point. Raises
    ValueError for a negative error.
    """
    a, b = _log_mean(numerator), _log_mean(denominator)
    variance = a.variance + b.variance
    if variance == 0 or not a.freedom or not b.freedom:
        freedom = min(a.freedom, b.freedom)
    else:  # Welch-Satterthwaite
        freedom = variance**2 / (a.variance**2 / a.freedom + b.variance**2 / b.freedom)
    return _interval(0.0 if a.mean == b.mean == -math.inf else a.mean - b.mean, variance, freedom)


def verdict(errors: Mapping[str, Sequence[float]]) -> Verdict:
    """Rank systems by their errors over seeds. Leave out systems without privacy: they do not compete.

    A false win is a leader that is no better than the others, yet tied with none. The false-win rate is at most one
    interval's error rate, however many systems compete, because the leader must differ from its closest rival too.
    Raises ValueError where `errors` is empty, or a system has no seed.
    """
    if not errors:
        raise ValueError("there is nothing to compare: at least one system must have finished")
    if missing := [name for name, values in errors.items() if not len(values)]:
        raise ValueError(f"there is nothing to compare for {missing[0]}: it needs at least one seed")
    order = sorted(errors, key=lambda name: _log_mean(errors[name]).mean)
    smallest = errors[order[0]]
    ratios = {name: ratio_of_geometric_means(errors[name], smallest) for name in order[1:]}
    return Verdict(min(map(len, errors.values())), {order[0]: Interval(1.0, 1.0, 1.0), **ratios})


def verdict_sentences(
    errors: Mapping[str, Sequence[float]], *, metric: str, titles: Mapping[str, str] | None = None
) -> list[str]:
    """The verdict in sentences, the ranking first. `metric` is a noun, such as "mean total variation".

    `errors` maps names of systems to their errors over seeds. `titles` name systems where they are first named, such as
    "MWEM (19 rounds)"; later, and without such a title, a system has its own. Systems without privacy are left out;
    systems with one seed are listed but not ranked. MWEM's ratio to the leader is always given, and so are systems
    worse than uniform.
    """
    private = {name: values for name, values in errors.items() if SYSTEMS[name].privacy != "none"}
    if len(private) < 2:
        return ["Nothing to compare yet: choose two private systems, or one private system and uniform."]
    ranked = {name: values for name, values in private.items() if len(values) > 1}
    if len(ranked) < 2:
        return ["One seed cannot rank systems: run at least two. Five give a useful interval."]
    sentences = _ranking(verdict(ranked), metric, {name: _title(name) for name in SYSTEMS} | dict(titles or {}))
    if unranked := [name for name in private if name not in ranked]:
        sentences.append(f"Not ranked, with one seed only: {_titles(unranked)}.")
    return sentences


def _ranking(result: Verdict, metric: str, titles: Mapping[str, str]) -> list[str]:
    if result.leader == UNIFORM:
        return _uniform_leads(result, metric, titles)
    runner_up = list(result.ratios)[1]
    win = f"{titles[result.leader]} is best by {metric}: {_ratio(result, runner_up, titles[runner_up])}."
    sentences = _tie(result, metric, titles) if result.tied else [win]
    others = [name for name in result.ratios if name != result.leader]
    mwem = next((name for name in MWEM_NAMES if name in result.ratios), result.leader)
    if mwem not in (result.leader, *(result.tied or others[:1])):
        clause = _ratio(result, mwem, titles[mwem])
        sentences.append(f"{clause[0].upper()}{clause[1:]}.")
    if UNIFORM in others and (worse := others[others.index(UNIFORM) + 1 :]):
        sentences.append(f"Worse than uniform, which reads no data: {_titles(worse)}.")
    return sentences


def _uniform_leads(result: Verdict, metric: str, titles: Mapping[str, str]) -> list[str]:
    if result.tied:
        verb = "is" if len(result.tied) == 1 else "are"
        names = _listed(titles, result.tied)
        first = f"No system beats uniform, which reads no data: by {metric}, {names} {verb} tied with it"
        first += f"; {_ratio(result, result.tied[0])}."
    else:
        runner_up = list(result.ratios)[1]
        first = f"Uniform, which reads no data, is best by {metric}: {_ratio(result, runner_up, titles[runner_up])}."
    return [first, "The noise is larger than the signal: use more records, a larger ε or fewer queries."]


def _tie(result: Verdict, metric: str, titles: Mapping[str, str]) -> list[str]:
    names = _listed(titles, [result.leader, *result.tied])
    sentences = [f"{names} are tied by {metric}: {_ratio(result, result.tied[0])}."]
    if UNIFORM in result.tied:
        sentences.append("Uniform, which reads no data, is among them: run more seeds to see whether any beats it.")
    return sentences


def _ratio(result: Verdict, name: str, title: str = "") -> str:
    """A clause: the error of AIM is 1.39 times that of MWEM (95% interval 1.30 to 1.48, 5 seeds)."""
    ratio, leader = result.ratios[name], _title(result.leader)
    interval = f"{CONFIDENCE:.0%} interval {_factor(ratio.low)} to {_factor(ratio.high)}, {result.min_seeds} seeds"
    factor = _factor(ratio.middle)
    relation = f"equals that of {leader}" if factor == "1" else f"is {factor} times that of {leader}"
    return f"the error of {title or _title(name)} {relation} ({interval})"


def _title(name: str) -> str:
    return SYSTEMS[name].title


def _titles(names: Sequence[str]) -> str:
    return _listed({name: _title(name) for name in names}, names)


def _listed(titles: Mapping[str, str], names: Sequence[str]) -> str:
    chosen = [titles[name] for name in names]
    return join_names(chosen, "; " if any("," in title for title in chosen) else ", ")


def _factor(ratio: float) -> str:
    """Two decimals, up to four where fewer would read as 1, and none from 10 up."""
    if ratio >= 10:
        return f"{ratio:,.0f}"
    return next((text for digits in (2, 3, 4) if (text := f"{ratio:.{digits}f}").strip("0") != "1."), "1")


class _LogMean(NamedTuple):
    """Mean of the errors' logarithms, the variance of that mean, and its degrees of freedom."""

    mean: float
    variance: float
    freedom: int


def _log_mean(errors: Sequence[float]) -> _LogMean:
    if min(errors) < 0:
        raise ValueError(f"an error cannot be negative, got {min(errors):g}")
    freedom = len(errors) - 1
    if min(errors) == 0:  # an exact system: its ratio to any other is 0
        return _LogMean(-math.inf, 0.0, freedom)
    logs = np.log(errors)
    variance = float(logs.var(ddof=1)) if freedom else 0.0
    return _LogMean(float(logs.mean()), variance / len(logs), freedom)


def _interval(log_mean: float, variance: float, freedom: float) -> Interval:
    if freedom == 0:
        return Interval(math.exp(log_mean), 0.0, math.inf)
    reach = _t_quantile(freedom) * math.sqrt(variance)
    return Interval(math.exp(log_mean), math.exp(log_mean - reach), math.exp(log_mean + reach))


def _t_quantile(freedom: float) -> float:
    """The quantile of Student's t. A first screen with up to ten seeds waits for no import."""
    if freedom in range(1, len(T_QUANTILES) + 1):
        return T_QUANTILES[int(freedom) - 1]
    from scipy.special import stdtrit  # imported late: it takes a quarter of a second

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))
