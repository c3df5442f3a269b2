"""The statistic that a question of each kind estimates: a function of the schema alone."""

from __future__ import annotations

from typing import Literal, get_args

from mwem_core.asking import questions
from mwem_core.asking.statistic import Statistic
from mwem_core.domain.domain import Domain

Kind = Literal["share", "mean", "quantile", "difference", "odds ratio", "correlation", "table"]
KINDS = {"share": questions.shares, "mean": questions.means, "correlation": questions.correlations}


def statistic(kind: Kind, what: str, domain: Domain, *, where: str | None = None, by: str | None = None) -> Statistic:
    """What a question to `LoadedRelease.ask` estimates, but for a quantile. Raises ValueError, in a sentence."""
    if kind == "table":
        if by is not None:
            raise ValueError("a table has a cell for every value: name the attribute in it instead of by")
        return questions.tables(what, domain, where=where)
    if kind in ("difference", "odds ratio"):
        if by is None:
            raise ValueError(f"{'an' if kind[0] == 'o' else 'a'} {kind} compares groups: name an attribute in by")
        compared = questions.differences if kind == "difference" else questions.odds_ratios
        return compared(what, domain, by=by, where=where)
    if kind not in KINDS:
        raise ValueError(f"nothing is known of a {kind!r}: ask for one of {', '.join(get_args(Kind))}")
    return KINDS[kind](what, domain, where=where, by=by)
