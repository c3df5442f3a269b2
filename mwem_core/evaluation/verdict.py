"""Who wins, by how much, and whether the seeds can tell: one metric of several systems on the same task.

Errors are positive and vary by a factor rather than by an amount, so all is reckoned in logarithms: what is typical of
a system is its geometric mean over seeds, and two systems are compared by the ratio of theirs. Seeds of different
systems share nothing, so the interval is Welch's, of independent samples with variances of their own. NOT PRIVATE.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.systems import SYSTEMS

LEVEL = 0.95
UNIFORM, OURS = "uniform", ("mwem", "mwem-paper")


@dataclass(frozen=True)
class Interval:
    """A geometric mean, or the ratio of two, and the ends between which it lies by the t interval of `LEVEL`."""

    middle: float
    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Verdict:
    """Systems from the least error up, each one's error over that of the first with the interval of that ratio."""

    seeds: int  # the fewest that any of them has
    behind: dict[str, Interval]

    @property
    def leader(self) -> str:
        """Which has the least error."""
        return next(iter(self.behind))

    @property
    def tied(self) -> list[str]:
        """The others that cannot be told apart from it: the interval of their ratio holds 1."""
        return [name for name, ratio in self.behind.items() if name != self.leader and 1 in ratio]


def typical(errors: Sequence[float]) -> Interval:
    """The geometric mean of errors over seeds. One seed says nothing of the spread: its interval is all there is."""
    middle, variance, freedom = _logs(errors)
    return _interval(middle, variance, freedom)


def ratio(over: Sequence[float], under: Sequence[float]) -> Interval:
    """The first's geometric mean over the second's, with Welch's interval.

    Where neither varies and both have several seeds it is a point: what reads no data errs alike whatever the seed.
    """
    (one, of_one, few), (other, of_other, more) = _logs(over), _logs(under)
    variance = of_one + of_other
    freedom = (
        min(few, more) if variance == 0 or not few or not more else variance**2 / (of_one**2 / few + of_other**2 / more)
    )
    middle = 0.0 if one == other == -math.inf else one - other
    return _interval(middle, variance, freedom)


def verdict(errors: Mapping[str, Sequence[float]]) -> Verdict:
    """Compare by the errors each has over its seeds. What has no privacy does not compete: leave it out.

    That a leader who is really no better than the rest is told apart from all of them happens at most as often as one
    interval fails, however many compete: the second best lies nearer to the best than another drawn blindly would.
    Raises ValueError where nobody competes, or one has no seed.
    """
    if not errors:
        raise ValueError("there is nothing to compare: at least one system must have finished")
    if empty := [name for name, some in errors.items() if not len(some)]:
        raise ValueError(f"there is nothing to compare of {empty[0]}: it needs at least one seed")
    order = sorted(errors, key=lambda name: _logs(errors[name])[0])
    first = errors[order[0]]
    behind = {name: ratio(errors[name], first) for name in order[1:]}
    return Verdict(min(map(len, errors.values())), {order[0]: Interval(1.0, 1.0, 1.0), **behind})


def told(errors: Mapping[str, Sequence[float]], *, what: str) -> list[str]:
    """The verdict in sentences, the one on who wins first; `what` names the metric, as in "mean total variation".

    `errors` go by the names of systems; those without privacy are passed over, and uniform is what to beat. Where
    MWEM is neither first nor next, how it stands to the first is said as well, and who has but one seed.
    """
    private = {name: some for name, some in errors.items() if SYSTEMS[name].privacy != "none"}
    if len(private) < 2:
        return ["Nothing can be compared yet: it takes two systems that keep privacy, or one and uniform."]
    several = {name: some for name, some in private.items() if len(some) > 1}
    if len(several) < 2:
        return ["One seed tells nobody apart: it takes two, and five give a fair interval."]
    said = _told(verdict(several), what)
    if few := [name for name in private if name not in several]:
        said.append(f"Not judged, by one seed: {_list(few)}.")
    return said


def _told(found: Verdict, what: str) -> list[str]:
    if found.leader == UNIFORM:
        return _nobody(found, what)
    said = _level(found, what) if found.tied else [_wins(found, what)]
    others = [name for name in found.behind if name != found.leader]
    ours = next((name for name in OURS if name in found.behind), found.leader)
    if ours not in (found.leader, *(found.tied or others[:1])):
        said.append(f"{_much(found, ours)}.")
    if UNIFORM in others and (worse := others[others.index(UNIFORM) + 1 :]):
        said.append(f"Worse than knowing nothing: {_list(worse)}.")
    return said


def _nobody(found: Verdict, what: str) -> list[str]:
    """Uniform has the least error."""
    others = [name for name in found.behind if name != UNIFORM]
    if found.tied:
        verb = "does" if len(found.tied) == 1 else "do"
        said = f"Nobody beats uniform here: in {what}, {_list(found.tied)} {verb} no better than knowing nothing"
        said += f"; {_much(found, found.tied[0])}."
    else:
        said = f"Uniform wins here: in {what}, knowing nothing errs least; {_much(found, others[0])}."
    return [said, "The noise outweighs what was learned: more records, a larger ε or fewer questions would help."]


def _wins(found: Verdict, what: str) -> str:
    """One is told apart from all others."""
    return f"{_title(found.leader)} wins here: in {what}, {_much(found, list(found.behind)[1])}."


def _level(found: Verdict, what: str) -> list[str]:
    """Several systems share the first place."""
    level = _list([found.leader, *found.tied])
    said = [f"{level} cannot be told apart here: in {what}, {_much(found, found.tied[0])}."]
    if UNIFORM in found.tied:
        said.append("Uniform is among them: whether what was learned is worth its ε, more seeds would tell.")
    return said


def _much(found: Verdict, name: str) -> str:
    """AIM errs 1.39 times as much as MWEM (95% interval 1.30 to 1.48)."""
    by, first = found.behind[name], _title(found.leader)
    interval = f"{LEVEL:.0%} interval {_factor(by.low)} to {_factor(by.high)}, {found.seeds} seeds"
    times = "" if (factor := _factor(by.middle)) == "1" else f"{factor} times "
    return f"{_title(name)} errs {times}as much as {first} ({interval})"


def _title(name: str) -> str:
    return SYSTEMS[name].title


def _list(names: Sequence[str]) -> str:
    titles = [_title(name) for name in names]
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"


def _factor(ratio: float) -> str:
    """Two digits behind the point, and as many as tell it from 1."""
    if ratio >= 10:
        return f"{ratio:,.0f}"
    return next((text for digits in (2, 3, 4) if (text := f"{ratio:.{digits}f}").strip("0") != "1."), "1")


def _logs(errors: Sequence[float]) -> tuple[float, float, int]:
    """Mean of the logarithms, the variance of that mean, and its degrees of freedom."""
    if min(errors) < 0:
        raise ValueError(f"an error cannot be negative, got {min(errors):g}")
    if min(errors) == 0:  # somebody errs by nothing at all: no factor leads from there to anywhere
        return -math.inf, 0.0, len(errors) - 1
    logs = np.log(errors)
    spread = float(logs.var(ddof=1)) if len(logs) > 1 else 0.0
    return float(logs.mean()), spread / len(logs), len(logs) - 1


def _interval(middle: float, variance: float, freedom: float) -> Interval:
    if freedom == 0:
        return Interval(math.exp(middle), 0.0, math.inf)
    from scipy.special import stdtrit  # half a second that not every user of the core wants to pay

    reach = float(stdtrit(freedom, (1 + LEVEL) / 2)) * math.sqrt(variance)
    return Interval(math.exp(middle), math.exp(middle - reach), math.exp(middle + reach))
