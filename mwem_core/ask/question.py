"""A question to a release: a statistic, of what, where, and by which groups; said as SQL and in English."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from mwem_core.ask import descriptive_statistics as descriptive, regressions
from mwem_core.ask.conditions import column_name
from mwem_core.ask.statistic import Statistic
from mwem_core.domain import Attribute, Attrs, Domain, quoted_name, quoted_text

Kind = (
    Literal["share", "count", "total", "mean", "quantile", "variance", "deviation"]
    | Literal["difference", "odds ratio", "correlation", "table", "ols", "logit"]
)
NUMERIC: tuple[Kind, ...] = "mean", "total", "quantile", "deviation", "variance"  # of an attribute with numbers
NAMES: dict[Kind, str] = {  # of functions, without underscores
    "mean": "avg average mean",
    "total": "sum total",
    "share": "share proportion percentage percent fraction",
    "count": "count countif",
    "quantile": "median quantile percentile percentilecont percentiledisc approxquantile approxpercentile",
    "deviation": "stddev stddevsamp stddevpop std sd stdev",
    "variance": "variance var varsamp varpop variancepop",
    "correlation": "corr correlation",
    "difference": "difference diff",
    "odds ratio": "oddsratio",
}
FUNCTIONS: dict[str, Kind] = {name: kind for kind, names in NAMES.items() for name in names.split()}
FEW = 16  # values of an attribute by which examples compare
MOST_GROUPED = 2  # attributes or conditions that make groups
FORMS: dict[Kind, tuple[str, str]] = {  # as SQL, or as a formula of R, and in English
    "share": ("avg(case when {what} then 1 else 0 end)", "share where {what}"),
    "count": ("count(*) filter (where {what})", "number of records where {what}"),
    "total": ("sum({what})", "total {what}"),
    "mean": ("avg({what})", "average {what}"),
    "quantile": ("percentile_cont({p:g}) within group (order by {what})", "quantile {p:g} of {what}"),
    "variance": ("variance({what})", "variance of {what}"),
    "deviation": ("stddev({what})", "standard deviation of {what}"),
    "difference": ("difference({what})", "difference in {what}"),
    "odds ratio": ("odds_ratio({what})", "odds ratio of {what}"),
    "correlation": ("corr({what})", "correlation of {what}"),
    "table": ("count(*) * 1.0 / sum(count(*)) over ()", "share of all records"),
    "ols": ("lm({what})", "linear regression of {what}"),
    "logit": ("glm({what}, family = binomial)", "logistic regression of {what}"),
}
EQUALITY = re.compile(r" = '((?:[^']|'')*)'")
ALL = ("count(*)", "number of records")  # of a count without a condition
MEDIAN = ("median({what})", "median {what}")


@dataclass(frozen=True)
class Question:
    """A question that `LoadedRelease.ask` answers. Names and conditions are texts of SQL.

    `what` is a condition of a share, a count ("" of all records), an odds ratio and a difference of shares; an
    attribute with numbers of the others; two of them, `a, b`, of a correlation; a formula of a regression. A table has
    the shares of all cells of `by`. A group is a value of an attribute, or those without and with a condition.
    Differences and odds ratios compare with the first group. `p` is that of a quantile, and `order`, if any, sorts by
    value.
    """

    kind: Kind
    what: str = ""
    where: str | None = None
    by: tuple[str, ...] = ()
    p: float = 0.5
    order: Literal["", "asc", "desc"] = ""

    @property
    def _forms(self) -> tuple[str, str]:
        if self.kind == "quantile" and self.p == 0.5:
            return MEDIAN
        return FORMS[self.kind] if self.what or self.kind == "table" else ALL

    @property
    def function(self) -> str:
        """The statistic as SQL, or as a formula of R."""
        return self._forms[0].format(what=self.what, p=self.p)

    @property
    def text(self) -> str:
        """The question as `read_questions` reads it."""
        where = f" where {self.where}" if self.where else ""
        if self.kind in ("ols", "logit"):
            return f"{self.function}{where}"
        by = f" group by {', '.join(self.by)}" if self.by else ""
        order = f" order by {self.function} {self.order}" if self.order else ""
        return f"select {', '.join([*self.by, self.function])} from release{where}{by}{order}"

    @property
    def sentence(self) -> str:
        """The question in English: "Average age by sex, of those where income is >50K"."""
        said = self._forms[1].format(what=self.what, p=self.p)
        by = f" by {' and '.join(self.by)}" if self.by else ""
        among = f", of those where {self.where}" if self.where else ""
        text = f"{said[:1].upper()}{said[1:]}{by}{among}"
        return text if self.kind in ("ols", "logit") else EQUALITY.sub(r" is \1", text).replace('"', "")

    def statistic(self, domain: Domain, common: Mapping[int, int] | None = None) -> Statistic:
        """What is estimated; of a quantile, how many are in each cell. `common` is as `regressions` takes it.

        Raises ValueError, in a sentence, for a question that makes no sense.
        """
        what, where, by = self.what, self.where, self.by
        if self.kind in ("ols", "logit"):
            make = regressions.ols if self.kind == "ols" else regressions.logit
            return make(what, domain, common or {}, where=where)
        if self.kind == "quantile":
            if not 0 < self.p < 1:
                raise ValueError(f"p is a share, above 0 and below 1, got {self.p!r}")
            return descriptive.up_to_codes(what, self.p, domain, where=where)
        if self.kind == "table":
            return descriptive.tables(by, domain, where=where)
        if self.kind == "correlation":
            return descriptive.correlations(what, domain, where=where, by=by)
        if self.kind in ("difference", "odds ratio"):
            if not by:
                raise ValueError(f"{self.kind} compares groups: say which after group by")
            make = descriptive.differences if self.kind == "difference" else descriptive.odds_ratios
            return make(what, domain, where=where, by=by)
        if self.kind in ("variance", "deviation"):
            return descriptive.variances(what, domain, where=where, by=by, root=self.kind == "deviation")
        if self.kind in ("share", "count"):
            return descriptive.shares(what or None, domain, where=where, by=by, of_records=self.kind == "count")
        return descriptive.means(what, domain, where=where, by=by, of_records=self.kind == "total")

    def labels(self, domain: Domain) -> list[tuple[str, ...]]:
        """The group of each answer, as a label for each of `by`; one empty group without it."""
        each = [[label for _, label in _values(by, domain)] for by in self.by]
        found = list(product(*each))
        return found[1:] if self.kind in ("difference", "odds ratio") else found

    def parts(self, domain: Domain) -> list[Question]:
        """The question of each group by itself."""
        found = []
        for group in product(*(_values(by, domain) for by in self.by)):
            conditions = [f"({self.where})"] * bool(self.where) + [condition for condition, _ in group]
            found.append(replace(self, by=(), where=" and ".join(conditions) or None, order=""))
        return found


def _values(by: str, domain: Domain) -> list[tuple[str, str]]:
    """The condition and the label of each group."""
    if (name := column_name(by)) in domain.names:
        (a,) = domain.attrs(name)
        return [(f"{quoted_name(name)} = {quoted_text(label)}", label) for label in domain.attributes[a].labels]
    return [(f"not ({by})", "no"), (f"({by})", "yes")]


def suggestion(text: str, domain: Domain) -> str:
    """A question about what a text names: its first function, and its attributes, as far as these go together."""
    words = [word.replace("-", "_").lower() for word in re.findall(r"[^\W\d][\w-]*", text)]
    named = [a for word in words for a in domain.attributes if a.name.replace("-", "_").lower() == word]
    numeric = next((a for a in named if _has_numbers(a)), None)
    by = tuple(dict.fromkeys(quoted_name(a.name) for a in named if a is not numeric and a.size <= FEW))[:1]
    names = [name for word in words if FUNCTIONS.get(name := word.replace("_", "")) in NUMERIC]
    if numeric is not None:
        kind = FUNCTIONS[names[0]] if names else "mean"
        return Question(kind, quoted_name(numeric.name), by=by).text
    return Question("count", by=by).text if named else examples(domain, ())[0]


def examples(domain: Domain, measured: Collection[Attrs]) -> tuple[str, ...]:
    """Questions of a few kinds that the attributes allow, by groups that were `measured` together with them."""
    each = domain.attributes
    names = [quoted_name(a.name) for a in each]
    numbers = [a for a in range(len(domain)) if _has_numbers(each[a])]
    few = [a for a in reversed(range(len(domain))) if a not in numbers and each[a].size <= FEW]  # outcomes stand last

    def by(a: int) -> tuple[str, ...]:
        return tuple(names[b] for b in few if a != b and (min(a, b), max(a, b)) in measured)[:1]

    holds = [(f"{names[a]} = {quoted_text(each[a].labels[min(1, each[a].size - 1)])}", by(a)) for a in few[:1]]
    found = [Question("mean", names[a], by=by(a)) for a in numbers[:1]]
    found += [Question("quantile", names[a]) for a in numbers[:1]]
    found += [Question("share", text, by=groups) for text, groups in holds]
    found += [Question("odds ratio", text, by=groups) for text, groups in holds if groups]
    found += [Question("logit", f"{text} ~ {groups[0]}".replace('"', "`")) for text, groups in holds if groups]
    return tuple(question.text for question in [*found, Question("count", by=(names[-1],))])


def _has_numbers(attribute: Attribute) -> bool:
    """Whether there are more than two numbers: a 0 and a 1 are names."""
    return attribute.number_set is not None and attribute.value_set.size > 2
