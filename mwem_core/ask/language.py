"""The language of questions to a release: `mean age by sex`, `income == ">50K" where age >= 40`.

    question := asked ["where" condition] ["by" name]  |  ["ols" | "logit"] outcome "~" term {"+" term}
    asked    := ["share" ["of"]] condition
              | ("mean" | "median" | "quantile" p) ["of"] name
              | "difference" ["in"] ("mean" ["of"] name | ["share" ["of"]] condition)
              | "odds ratio" ["of"] condition ["and" condition]
              | "correlation" ["of"] name ["and"] name
              | "table" ["of"] name {"by" name}

A condition is a question of `domain.predicates`, and a formula is one of `regressions`. A name that is a word of this
language, or has blanks, stands in backticks. `examples` makes questions of a domain's attributes."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

from mwem_core.ask.answers import Answer, Of
from mwem_core.ask.conditions import condition, number
from mwem_core.ask.regressions import outcomes, parse_formula
from mwem_core.domain import MAX_QUESTION_LENGTH, Attribute, Attrs, Domain, quoted_name, quoted_text
from mwem_core.values import Codes, Dates, Values

if TYPE_CHECKING:
    from mwem_core.ask.descriptive_statistics import Kind
    from mwem_core.ask.loaded_release import LoadedRelease

KINDS = "share", "mean", "median", "quantile", "difference", "odds", "table", "correlation", "ols", "logit"
FEW = 8  # values of an attribute by which examples compare


def examples(domain: Domain, measured: Collection[Attrs]) -> tuple[str, ...]:
    """A question of each kind that the attributes allow, about pairs of attributes that were `measured`."""
    return tuple(_questions(domain, measured).values())


def example_of(kind: str, domain: Domain) -> str:
    """A question of the kind that begins with this word, or of a share where the attributes allow none."""
    found = _questions(domain, list(combinations(range(len(domain)), 2)))
    return found.get(kind, found["share"])


def _questions(domain: Domain, measured: Collection[Attrs]) -> dict[str, str]:
    """A question of each kind, by its first word, or by ols."""
    each = domain.attributes
    numbers = [a for a in range(len(domain)) if _has_numbers(each[a])]
    few = [a for a in reversed(range(len(domain))) if a not in numbers and each[a].size <= FEW]  # outcomes stand last
    outcome, group = _pair(few, few, measured) or ((few or [len(domain) - 1])[0], None)
    number, number_group = _pair(numbers, few, measured) or ((numbers or [None])[0], None)
    asked, by = condition_on(each[outcome]), "" if group is None else f" by {_name(each[group])}"
    found = {"share": f"{asked}{by}"}
    if group is not None:
        found |= {"odds": f"odds ratio {asked}{by}", "table": f"table {_name(each[outcome])}{by}"}
        found |= {"difference": f"difference in {asked}{by}", "ols": f"{asked} ~ {_name(each[group])}"}
        found |= {"logit": f"logit {asked} ~ {_name(each[group])}"}
    if number is not None:
        name = _name(each[number])
        found |= {"mean": f"mean {name}", "median": f"median {name}", "quantile": f"quantile .9 of {name}"}
        if number_group is not None:
            by = f" by {_name(each[number_group])}"
            found |= {"mean": f"mean {name}{by}", "difference": f"difference in mean {name}{by}"}
            if each[number].size == each[number].value_set.size:  # a number for every record
                found |= {"ols": f"{name} ~ {_name(each[number_group])}"}
    if pair := _pair(numbers, numbers, measured):
        found |= {"correlation": " ".join(["correlation", *(_name(each[a]) for a in pair)])}
    return {kind: found[kind] for kind in KINDS if kind in found}


def _pair(first: Sequence[int], second: Sequence[int], measured: Collection[Attrs]) -> tuple[int, int] | None:
    """The first pair that was measured."""
    pairs = ((a, b) for a in first for b in second if a != b)
    return next(((a, b) for a, b in pairs if (min(a, b), max(a, b)) in measured), None)


def _has_numbers(attribute: Attribute) -> bool:
    """Whether there are more than two numbers: a 0 and a 1 are names."""
    return attribute.number_set is not None and attribute.value_set.size > 2


def condition_on(attribute: Attribute) -> str:
    """`income == ">50K"`, as the first of two values is often a no; `age >= 45` of numbers."""
    kind = attribute.value_set
    if _has_numbers(attribute) and not isinstance(kind, Dates):
        assert not isinstance(kind, Values | Codes)
        return f"{_name(attribute)} >= {kind.written(float(kind.cells()[0][attribute.value_set.size // 2]))}"
    return f"{_name(attribute)} == {quoted_text(attribute.labels[min(1, attribute.size - 1)])}"


def _name(attribute: Attribute) -> str:
    return quoted_name(attribute.name)


TOKEN = re.compile(r"""\s*("[^"]*"|'[^']*'|`[^`]*`|[=!<>]+|[(),~+]|[^\s"'`=!<>(),~+]+|["'`])""")
NAME = re.compile(r"`[^`]+`|[^\W\d][\w.-]*")
NAME_EXPECTED = "the name of an attribute"


@dataclass(frozen=True)
class Question:
    """A question that was read: what `LoadedRelease.ask`, `ols` and `logit` take. `text` is as it was written."""

    text: str
    kind: Kind | Literal["ols", "logit"]
    what: str
    where: str | None = None
    by: str | None = None
    p: float = 0.5

    def ask(self, release: LoadedRelease, of: Of = "population") -> tuple[Answer, ...]:
        """The answers of a release. Raises ValueError, in a sentence, for a question that makes no sense."""
        if self.kind == "ols":
            return release.ols(self.what, of=of)
        if self.kind == "logit":
            return release.logit(self.what, of=of)
        return release.ask(self.kind, self.what, where=self.where, by=self.by, p=self.p, of=of)


def read_question(text: str, domain: Domain) -> Question:
    """Read a question about the attributes of `domain`.

    Raises ValueError where the text does not follow the grammar, with the place of the error and an example.
    """
    text = text.strip()
    if len(text) > MAX_QUESTION_LENGTH:
        raise ValueError(f"a question has {len(text):,} characters, but at most {MAX_QUESTION_LENGTH:,} are allowed")
    reader = _Reader(text, domain)
    try:
        return reader.question()
    except ValueError as error:
        example = example_of(reader.kind, domain)
        raise ValueError(f"{str(error).rstrip('.')}; a question is, for example, {example}") from None


class _Token(NamedTuple):
    """A word, a sign or a quoted text, and where it begins and ends."""

    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text.lower()


class _Reader:
    """Reads a question of one of its `kind`s, which its first word names, from `tokens`."""

    def __init__(self, text: str, domain: Domain):
        self.text, self.domain, self.kind = text, domain, "share"
        self.tokens = [_Token(match[1], *match.span(1)) for match in TOKEN.finditer(text)]
        self.end = _Token("", len(text), len(text))

    def question(self) -> Question:
        for token in self.tokens:
            if token.text in ('"', "'", "`"):
                raise self._error(token, f"another {token.text} after it")
        if any(token.text == "~" for token in self.tokens):
            return self._regression()
        kinds = {
            "share": self._share_or_mean,
            "mean": self._share_or_mean,
            "median": self._quantile,
            "quantile": self._quantile,
            "difference": self._difference,
            "odds": self._odds_ratio,
            "correlation": self._correlation,
            "table": self._table,
        }
        first = self.tokens[0].word if self.tokens else ""
        if first in ("ols", "logit"):
            self.kind = first
            raise self._error(self.end, "an outcome, a ~ and what it depends on")
        if first in kinds:
            self.kind, self.tokens = first, self.tokens[1:]
        asked, clauses = self._clauses(("where",) if self.kind == "table" else ("where", "by"))
        where, by = clauses.get("where"), clauses.get("by")
        return kinds[self.kind](
            asked, None if where is None else self._condition(where), None if by is None else self._name(by)
        )

    def _clauses(self, words: Sequence[str]) -> tuple[list[_Token], dict[str, list[_Token]]]:
        """The tokens before the first of these words, and those after each."""
        parts: list[list[_Token]] = [[]]
        clauses: dict[str, list[_Token]] = {}
        for token, depth in self._with_depths(self.tokens):
            if depth or token.word not in words:
                parts[-1].append(token)
            elif token.word in clauses:
                raise self._error(token, f"one {token.word!r} at most")
            else:
                parts.append([])
                clauses[token.word] = parts[-1]
        return parts[0], clauses

    def _share_or_mean(self, asked: list[_Token], where: str | None, by: str | None) -> Question:
        read = self._number if self.kind == "mean" else self._condition
        return Question(self.text, "mean" if self.kind == "mean" else "share", read(_after(asked, "of")), where, by)

    def _quantile(self, asked: list[_Token], where: str | None, by: str | None) -> Question:
        p = 0.5
        if self.kind == "quantile":
            p, asked = self._probability(asked), asked[1:]
        return Question(self.text, "quantile", self._number(_after(asked, "of")), where, by, p)

    def _difference(self, asked: list[_Token], where: str | None, by: str | None) -> Question:
        asked = _after(asked, "in")
        is_mean = bool(asked) and asked[0].word == "mean"
        read = self._number if is_mean else self._condition
        what = read(_after(_after(asked, "mean" if is_mean else "share"), "of"))
        if by is None:
            raise self._error(self.end, "by, and an attribute whose groups are compared")
        return Question(self.text, "difference", what, where, by)

    def _odds_ratio(self, asked: list[_Token], where: str | None, by: str | None) -> Question:
        if not asked or asked[0].word != "ratio":
            raise self._error((*asked, self.end)[0], "ratio")
        asked = _after(asked[1:], "of")
        if by is None:
            ands = [i for i, (token, depth) in enumerate(self._with_depths(asked)) if token.word == "and" and not depth]
            if len(ands) != 1:
                raise self._error(self.end, "two conditions with one 'and' between them, or 'by' and an attribute")
            asked, by = asked[: ands[0]], self._condition(asked[ands[0] + 1 :])
        return Question(self.text, "odds ratio", self._condition(asked), where, by)

    def _correlation(self, asked: list[_Token], where: str | None, by: str | None) -> Question:
        names = [token for token in _after(asked, "of") if token.word not in ("and", ",")]
        if len(names) != 2:
            raise self._error((*names, self.end)[min(len(names), 2)], "the names of two attributes")
        return Question(self.text, "correlation", ", ".join(self._number([name]) for name in names), where, by)

    def _table(self, asked: list[_Token], where: str | None, by: None) -> Question:
        names = [token for token in _after(asked, "of") if token.word not in ("by", "and", ",")]
        if not names:
            raise self._error(self.end, NAME_EXPECTED)
        return Question(self.text, "table", ", ".join(self._name([name]) for name in names), where, by)

    def _regression(self) -> Question:
        self.kind = kind = "logit" if self.tokens[0].word == "logit" else "ols"
        asked, clauses = self._clauses(("where", "by"))
        if clauses:
            raise ValueError(f"a regression is of all records: leave out {' and '.join(map(repr, clauses))}")
        formula = self._slice(_after(asked, self.kind))
        outcome, _ = parse_formula(formula, self.domain, {})  # refuses what is none
        if kind == "logit":
            outcomes(outcome)
        return Question(self.text, kind, formula)

    def _condition(self, tokens: Sequence[_Token]) -> str:
        return condition(self._slice(tokens), self.domain).name

    def _name(self, tokens: Sequence[_Token]) -> str:
        if len(tokens) > 1:
            raise self._error(tokens[1], "where, by or the end")
        if not tokens or not NAME.fullmatch(tokens[0].text):
            raise self._error((*tokens, self.end)[0], NAME_EXPECTED)
        name = tokens[0].text.strip("`")
        self.domain.attrs(name)  # refuses an unknown one
        return name

    def _number(self, tokens: Sequence[_Token]) -> str:
        name = self._name(tokens)
        number(name, self.domain)  # refuses an attribute without numbers
        return name

    def _probability(self, tokens: Sequence[_Token]) -> float:
        token = (*tokens, self.end)[0]
        try:
            p = float(token.text)
        except ValueError:
            p = 0.0
        if not 0 < p < 1:
            raise self._error(token, "a share above 0 and below 1")
        return p

    def _slice(self, tokens: Sequence[_Token]) -> str:
        return self.text[tokens[0].start : tokens[-1].end] if tokens else ""

    def _error(self, token: _Token, expected: str) -> ValueError:
        where = f"at {token.text!r} (character {token.start + 1})" if token.text else "at its end"
        return ValueError(f"the question {self.text!r} cannot be read {where}: expected {expected}")

    @staticmethod
    def _with_depths(tokens: Sequence[_Token]) -> list[tuple[_Token, int]]:
        """Each token with the number of brackets that are open at it."""
        depth, found = 0, []
        for token in tokens:
            depth += (token.text == "(") - (token.text == ")")
            found.append((token, depth))
        return found


def _after(tokens: list[_Token], word: str) -> list[_Token]:
    """The tokens without this word at their beginning."""
    return tokens[1:] if tokens and tokens[0].word == word else tokens
