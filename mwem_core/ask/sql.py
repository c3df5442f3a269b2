"""Questions in SQL, read by sqlglot, and regressions as formulas of R: what each becomes, or why it is none.

    select avg(age), count(*) from release where income = '>50K' group by sex, race order by 1 desc
    age ~ sex + income where "hours-per-week" >= 40

`docs/sql.md` has the functions. Nothing is run: a query is a way to say what a `Question` is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from mwem_core.ask.conditions import MAX_CELLS, condition, number, with_quoted_names
from mwem_core.ask.question import FUNCTIONS, MOST_GROUPED, NUMERIC, Kind, Question, suggestion
from mwem_core.ask.regressions import outcomes, parse_formula
from mwem_core.domain import (
    Attribute,
    Domain,
    parse_question,
    predicates,
    quoted_name,
    split_questions,
)

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

OUTSIDE = r"""(?=(?:[^"'`]|"[^"]*"|'[^']*'|`[^`]*`)*$)"""  # what stands before it is outside of quotes
TILDE, WHERE = (re.compile(sign + OUTSIDE, re.IGNORECASE) for sign in ("~", r"\bwhere\b"))
MODEL = re.compile(r"\s*(lm|ols|glm|logit)\b\s*", re.IGNORECASE)
ONLY_BY = re.compile(r"(\b(?:group|order|partition)\s+)?\bby\b" + OUTSIDE, re.IGNORECASE)  # which stands for group by
CONDITIONS = {"eq", "neq", "lt", "lte", "gt", "gte", "and", "or", "not", "between", "in", "is", "like", "ilike"}
OF_CONDITION: dict[Kind, Kind] = {"mean": "share", "total": "count"}
ONE_RECORD = "a release answers statistics of many records, not values of single ones"
NOT_ANSWERED = {  # by sqlglot's name of a clause or a function
    "with_": "WITH: a release has one table: put the condition into where",
    "joins": "FROM: a release is one table, and nothing is joined to it",
    "having": "HAVING: answers have intervals: leave it out, and compare them",
    "limit": "LIMIT: every group is answered: leave it out",
    "distinct": "SELECT: the schema has all values: count(*) with group by says how many records have each",
    "min": "the smallest is one record's value: ask percentile_cont(0.05)",
    "max": "the largest is one record's value: ask percentile_cont(0.95)",
    "mode": "ask count(*) with group by, and take the largest",
    "window": "leave over (…) out, and put its attributes into group by",
    "star": f"{ONE_RECORD}; synthetic rows are in rows.csv",
}


def read_questions(text: str, domain: Domain) -> tuple[Question, ...]:
    """The questions of a text: SQL or formulas, between semicolons; a query may select several statistics.

    Raises ValueError, with the clause and a question to ask instead, for what cannot be read or answered.
    """
    found: list[Question] = []
    for each in split_questions(text):
        try:
            found += [_regression(each, domain)] if TILDE.search(each) else _Query(each, domain).questions()
        except ValueError as error:
            remedy = "" if str(error).startswith("WHERE") else f"; ask, for example, {suggestion(each, domain)}"
            raise ValueError(f"{str(error).rstrip('.')}{remedy}") from None
    return tuple(found)


def _regression(text: str, domain: Domain) -> Question:
    """`y ~ a + b`, or `lm(y ~ a + b)`, or `glm(y ~ a + b, family = binomial)`, perhaps with `where` and a condition."""
    formula, *wheres = WHERE.split(text)
    if len(wheres) > 1:
        raise ValueError("WHERE: there is more than one: join the conditions by and")
    where = _clause("WHERE", lambda: _possible(wheres[0], domain)) if wheres else None
    model, options = MODEL.match(formula), ""
    formula = formula[model.end() if model else 0 :].strip()
    if model and formula[:1] + formula[-1:] == "()":
        formula, *more = re.split(r",\s*(?=family|data)", formula[1:-1])
        options = " ".join(more)
    kind = "logit" if "binomial" in options or (model and model[1].lower() == "logit") else "ols"
    if model and model[1].lower() == "glm" and kind == "ols":
        raise ValueError("FORMULA: glm is answered with family = binomial, and lm without one")
    outcome, _ = _clause("FORMULA", lambda: parse_formula(formula, domain, {}))
    if kind == "logit":
        outcomes(outcome)
    return Question(kind, formula.strip(), where)


def _clause(name: str, read: Callable[[], Any]) -> Any:
    """What is read, or a refusal that names the clause."""
    try:
        return read()
    except ValueError as error:
        raise ValueError(str(error) if str(error).startswith(name) else f"{name}: {error}") from None


def _possible(text: str, domain: Domain) -> str:
    """The condition in the schema's names. Raises ValueError for one that no record satisfies."""
    condition(text, domain)
    return parse_question(text, domain, max_cells=MAX_CELLS).sql


class _Query:
    """A `select`, clause by clause."""

    def __init__(self, text: str, domain: Domain):
        self.domain = domain
        self.node = _parsed(ONLY_BY.sub(lambda by: by[0] if by[1] else "group by", text), domain)
        self.items = [item.this if item.key == "alias" else item for item in self.node.expressions]
        self.aliases = [item.alias.lower() for item in self.node.expressions]

    def questions(self) -> list[Question]:
        args = {key: value for key, value in self.node.args.items() if value}
        if self.node.key != "select":
            raise ValueError("SELECT: a question is one select")
        if refused := next((NOT_ANSWERED[key] for key in args if key in NOT_ANSWERED), ""):
            raise ValueError(refused)
        if set(args) - {"expressions", "from_", "where", "group", "order"}:
            raise ValueError("SELECT: a question is a select with from, where, group by and order by")
        if "from_" in args and args["from_"].this.key != "table":
            raise ValueError("FROM: a release has one table: put the condition of the inner query into where")
        where = _clause("WHERE", lambda: self.condition(args["where"].this)) if "where" in args else None
        by = _clause("GROUP BY", lambda: self.groups(args["group"])) if "group" in args else ()
        found = _clause("SELECT", lambda: [q for item in self.items if (q := self.item(item, by))])
        if not found:
            raise ValueError(f"SELECT: no statistic is named, and {ONE_RECORD}: add count(*) or avg(…)")
        found = [self.placed(question, where, by) for question in found]
        return _clause("ORDER BY", lambda: self.ordered(found, args["order"])) if "order" in args else found

    def condition(self, node: Expr) -> str:
        plain = node.transform(lambda part: part.this if part.key == "cast" else part)
        return _possible(plain.sql(dialect=_dialect()), self.domain)

    def name(self, node: Expr) -> str | None:
        """The attribute that is named, as SQL; None for what names none."""
        known = predicates.known_as(node.name, self.domain) if node.key == "column" else None
        return quoted_name(known) if known else None

    def attribute(self, node: Expr) -> Attribute:
        """The attribute that is named. Raises ValueError for what names none."""
        if node.key != "column":
            raise ValueError(f"expected the name of an attribute, got {node.sql()}")
        (a,) = self.domain.attrs(predicates.known_as(node.name, self.domain) or node.name)
        return self.domain.attributes[a]

    def groups(self, group: Expr) -> tuple[str, ...]:
        if any(value for key, value in group.args.items() if key != "expressions"):
            raise ValueError("name attributes or conditions, without rollup, cube or sets")
        return tuple(self.name(node) or self.condition(node) for node in map(self.referred, group.expressions))

    def referred(self, node: Expr) -> Expr:
        """What a number or an alias stands for."""
        if node.key == "literal" and node.name.isdigit() and 0 < int(node.name) <= len(self.items):
            return self.items[int(node.name) - 1]
        alias = node.key == "column" and not self.name(node) and node.name.lower() in self.aliases
        return self.items[self.aliases.index(node.name.lower())] if alias else node

    def item(self, item: Expr, by: tuple[str, ...]) -> Question | None:
        """A statistic that is selected; None for what makes groups."""
        if name := self.name(item):
            if name not in by:
                raise ValueError(f"{name} is selected and not in group by, and {ONE_RECORD}: add group by {name}")
            return None
        return None if item.key in CONDITIONS and self.condition(item) in by else self.statistic(item)

    def placed(self, question: Question, where: str | None, by: tuple[str, ...]) -> Question:
        """With the clauses of the query."""
        if question.by and by:
            raise ValueError("GROUP BY: the statistic compares two groups already: leave group by out")
        if question.kind in ("difference", "odds ratio", "table") and not (question.by or by):
            raise ValueError(f"GROUP BY: {question.function} compares groups: add group by and an attribute")
        if len(by) > MOST_GROUPED and question.kind not in ("count", "table"):
            raise ValueError(f"GROUP BY: {question.function} is answered by at most {MOST_GROUPED}: leave some out")
        return replace(question, where=_and(where, question.where), by=question.by or by)

    def ordered(self, questions: list[Question], order: Expr) -> list[Question]:
        for each in order.expressions:
            node, desc = self.referred(each.this), bool(each.args.get("desc"))
            if self.name(node) and not desc:
                continue  # the order of the schema
            asked = None if self.name(node) else self.statistic(node)
            same = [i for i, q in enumerate(questions) if asked and (asked.kind, asked.what) == (q.kind, q.what)]
            if not same:
                raise ValueError(f"{node.sql()} is no statistic that is selected: select it, or leave it out")
            questions[same[0]] = replace(questions[same[0]], order="desc" if desc else "asc")
        return questions

    def statistic(self, node: Expr) -> Question:
        """A statistic without the clauses of the query. Raises ValueError for what is none."""
        node, factor = _without_factors(node)
        if node.key == "filter":
            found = self.limited(self.statistic(node.this), self.condition(node.expression.this))
        elif node.key == "div":
            found = self.ratio(node.this, node.expression)
        elif node.key == "sub":
            found = self.difference(node.this, node.expression)
        elif node.key == "withingroup":
            found = self.quantile([node.expression.expressions[0].this, node.this.this])
        elif node.key in CONDITIONS:
            found = Question("share", self.condition(node))
        else:
            found = self.function(node)
        if factor != 1 and found.kind not in ("share", "table"):
            raise ValueError(f"{node.sql()} is multiplied by {factor:g}: ask for it alone")
        return found

    def function(self, node: Expr) -> Question:
        name = (node.name if node.key == "anonymous" else node.key).replace("_", "").lower()
        kind, parts = FUNCTIONS.get(name), list(node.iter_expressions())
        why = NOT_ANSWERED.get(parts[0].key if parts and parts[0].key == "distinct" else name)
        if kind is None or why or not parts:
            known = "avg, count(*), sum, median, percentile_cont, stddev, variance, corr, difference and odds_ratio"
            raise ValueError(f"{node.sql()} is not answered: {why or f'there are {known}'}")
        if kind == "quantile":
            return self.quantile(parts)
        if kind == "correlation" and len(parts) == 2:
            return Question(kind, ", ".join(map(self.number, parts)))
        if kind == "odds ratio":
            return Question(kind, self.condition(parts[0]), by=tuple(map(self.condition, parts[1:])))
        if kind == "difference":
            inner = self.function(parts[0]) if parts[0].key in FUNCTIONS else self.of_one(parts[0], "mean")
            return replace(inner, kind=kind)
        if len(parts) > 1 or kind == "correlation":
            raise ValueError(f"{node.sql()} takes {'two attributes' if kind == 'correlation' else 'one attribute'}")
        return self.of_one(parts[0], kind)

    def of_one(self, part: Expr, kind: Kind) -> Question:
        """A statistic of an attribute, of a condition, or of a `case` that is one of these."""
        part, _ = _without_factors(part)
        if part.key in ("case", "if"):
            return self.case(part, kind)
        if kind in ("count", "share") and (part.key == "star" or _number(part) is not None):
            return Question("table" if kind == "share" else "count")
        if name := self.name(part):
            attribute = self.attribute(part)
            if kind == "count":
                return Question(kind, f"{name} is not null" if attribute.missing_texts else "")
            if kind in NUMERIC and (attribute.number_set or not predicates.is_yes_or_no(attribute)):
                return Question(kind, self.number(part))
        elif part.key not in CONDITIONS:
            self.attribute(part)  # says what it is not
        return Question(OF_CONDITION.get(kind, kind), self.condition(part))

    def case(self, case: Expr, kind: Kind) -> Question:
        whens, otherwise = case.args.get("ifs") or [case], case.args.get("default") or case.args.get("false")
        then, zero = whens[0].args["true"], otherwise is not None and _number(otherwise) == 0
        if len(whens) != 1 or not (zero or otherwise is None or otherwise.key == "null"):
            raise ValueError(f"{case.sql()}: write case when … then 1 else 0 end, with one condition")
        holds = whens[0].this if case.key == "if" or case.this is None else _equality(case.this, whens[0].this)
        if _number(then) == 1 and (zero or kind != "mean"):
            return Question(OF_CONDITION.get(kind, kind), self.condition(holds))
        if zero and kind != "total":
            raise ValueError(f"{case.sql()} counts others as 0: leave else 0 out")
        return self.limited(self.of_one(then, kind), self.condition(holds))

    def number(self, node: Expr) -> str:
        name = quoted_name(self.attribute(node).name)
        number(name, self.domain)  # refuses an attribute without numbers
        return name

    def quantile(self, parts: list[Expr]) -> Question:
        shares = [p for part in parts if (p := _number(part)) is not None]
        names = [part for part in parts if _number(part) is None]
        p = shares[0] / (100 if shares[0] > 1 else 1) if shares else 0.5
        if len(names) != 1 or len(shares) > 1 or not 0 < p < 1:
            raise ValueError("a percentile is of one attribute at a share between 0 and 1, as in quantile(age, 0.9)")
        return Question("quantile", self.number(names[0]), p=p)

    def limited(self, question: Question, where: str) -> Question:
        """Of records that satisfy a condition too."""
        if question.kind == "count":
            return replace(question, what=_and(question.what, where) or "")
        return replace(question, where=_and(question.where, where))

    def ratio(self, above: Expr, below: Expr) -> Question:
        top, (below, _) = self.statistic(_without_factors(above)[0]), _without_factors(below)
        if below.key == "count" and below.this.key in ("star", "literal"):
            if top.kind == "total" or (top.kind == "count" and top.what):
                return replace(top, kind="mean" if top.kind == "total" else "share")
        elif below.key in ("window", "subquery") and (top.kind, top.what) == ("count", ""):
            return replace(top, kind="table")
        raise ValueError("a ratio is of count(*) filter (where …) or sum(…) over count(*): ask for its parts")

    def difference(self, left: Expr, right: Expr) -> Question:
        of, less = self.statistic(left), self.statistic(right)
        if of != replace(less, where=of.where) or of.kind not in ("mean", "share") or not (of.where and less.where):
            raise ValueError("a difference is of the same avg(…) in two groups, each with filter (where …)")
        both, any_of = (
            parse_question(f"({of.where}) {word} ({less.where})", self.domain, max_cells=MAX_CELLS)
            for word in ("and", "or")
        )
        if both.mask.any():
            raise ValueError(f"records may be in both groups, {of.where} and {less.where}: name groups without overlap")
        return Question("difference", of.what, None if any_of.mask.all() else any_of.sql, (of.where,))


def _parsed(text: str, domain: Domain) -> Expr:
    """A query as sqlglot reads it; `select` need not be written. Raises ValueError for what is no SQL, or several."""
    from sqlglot import parse
    from sqlglot.errors import ParseError, TokenError

    prepared = with_quoted_names(text, domain)
    if not re.match(r"\s*(select|with)\b", prepared, re.IGNORECASE):
        prepared = f"select {prepared}"
    try:
        statements = [each for each in parse(prepared, dialect=_dialect()) if each is not None]
    except ParseError as error:
        at = str(error.errors[0].get("highlight")).strip("`")
        raise ValueError(f"{text[:80]!r} cannot be read at {at!r}") from None
    except TokenError:
        raise ValueError(f"{text[:80]!r} cannot be read, as a quote in it is not closed") from None
    except RecursionError:
        raise ValueError(f"{text[:40]!r}… nests too much to be read") from None
    if len(statements) != 1:
        raise ValueError(f"{text[:80]!r} is more than one question") from None
    return statements[0]


@cache
def _dialect() -> Any:
    """Standard SQL, in which texts may stand in double quotes too; names of the schema stand in backticks."""
    from sqlglot import tokens
    from sqlglot.dialects.dialect import Dialect

    class Questions(Dialect):
        class Tokenizer(tokens.Tokenizer):
            QUOTES = ["'", '"']  # noqa: RUF012 - as sqlglot declares it
            IDENTIFIERS = ["`"]  # noqa: RUF012

    return Questions


def _without_factors(node: Expr) -> tuple[Expr, float]:
    """A statistic without brackets, rounding, casts and factors, and the product of these."""
    factor = 1.0
    while node.key in ("paren", "round", "cast", "trycast", "mul"):
        if node.key == "mul":
            first = _number(node.this)
            by = first if first is not None else _number(node.expression)
            if by is None:
                break
            node, factor = node.expression if first is not None else node.this, factor * by
        else:
            node = node.this
    return node, factor


def _number(node: Expr) -> float | None:
    """A number that is written."""
    return float(node.name) if node.key == "literal" and not node.is_string else None


def _equality(left: Expr, right: Expr) -> Expr:
    from sqlglot.expressions import EQ

    return EQ(this=left.copy(), expression=right.copy())


def _and(*conditions: str | None) -> str | None:
    """All of these conditions; None of none."""
    given = [each for each in conditions if each]
    return " and ".join(f"({each})" if len(given) > 1 and " or " in each else each for each in given) or None
