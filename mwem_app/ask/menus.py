"""Menus for a question: a statistic, of what, by what and among whom; what a release cannot answer is not in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import streamlit as st

from mwem_app.page import plain
from mwem_core.ask import Kind, LoadedRelease, Question, condition
from mwem_core.domain import Attrs, quoted_name, quoted_text
from mwem_core.values import Codes, Dates, Values

STATISTICS: dict[str, Question] = {  # by its name in the menu
    "average": Question("mean"),
    "share": Question("share"),
    "number": Question("count"),
    "total": Question("total"),
    "median": Question("quantile"),
    "lower quartile": Question("quantile", p=0.25),
    "upper quartile": Question("quantile", p=0.75),
    "standard deviation": Question("deviation"),
    "difference": Question("difference"),
    "odds ratio": Question("odds ratio"),
    "correlation": Question("correlation"),
}
OF_CONDITIONS: set[Kind] = {"share", "count", "odds ratio"}
COMPARISONS: set[Kind] = {"difference", "odds ratio"}
REGRESSIONS: dict[Kind, str] = {"ols": "linear regression", "logit": "logistic regression"}  # written in SQL's place
MOST = 40  # values of an attribute that are listed

Choices = dict[str, tuple[str, Attrs]]  # texts of SQL, each with its words and the attributes that it reads


@dataclass(frozen=True, eq=False)
class Menus:
    """What can be chosen of a release."""

    release: LoadedRelease

    @cached_property
    def attributes(self) -> Choices:
        """By which groups can be made."""
        each = enumerate(self.release.domain.attributes)
        return {quoted_name(x.name): (x.name, (a,)) for a, x in each if x.size <= MOST}

    @cached_property
    def numbers(self) -> Choices:
        """The attributes with numbers."""
        each = enumerate(self.release.domain.attributes)
        return {quoted_name(x.name): (x.name, (a,)) for a, x in each if x.number_set and x.value_set.size > 2}

    @cached_property
    def conditions(self) -> Choices:
        """That an attribute has a value, or that it is at least a number; those of few values first."""
        found: Choices = {}
        for a, x in sorted(enumerate(self.release.domain.attributes), key=lambda each: each[1].size):
            name, kind = quoted_name(x.name), x.value_set
            if kind.size > 2 and not isinstance(kind, Values | Codes | Dates):
                ends = [kind.written(float(low)) for low in kind.cells()[0][1 : MOST + 1]]
                found |= {f"{name} >= {end}": (f"{x.name} ≥ {end}", (a,)) for end in ends}
            elif x.size <= MOST:
                found |= {f"{name} = {quoted_text(label)}": (f"{x.name}: {label}", (a,)) for label in x.labels}
        return found

    def subjects(self, kind: Kind) -> Choices:
        """Of what a statistic can be asked."""
        if kind == "correlation":
            pairs = combinations(self.numbers.items(), 2)
            both = {f"{x}, {y}": (f"{a} and {b}", (*i, *j)) for (x, (a, i)), (y, (b, j)) in pairs}
            return {text: words for text, words in both.items() if self.is_measured(words[1])}
        if kind in OF_CONDITIONS:
            return ({"": ("all records", ())} if kind == "count" else {}) | self.conditions
        return self.numbers | (self.conditions if kind == "difference" else {})

    def is_measured(self, attrs: Attrs) -> bool:
        """Whether each of these attributes, and each pair of them, was measured."""
        own = sorted(set(attrs))
        return all(S in self.release.known.residuals for k in (1, 2) for S in combinations(own, k))

    def reads(self, question: Question) -> Attrs:
        """The attributes that a question reads, as far as its parts are in the menus."""
        known = self.subjects(question.kind) | self.attributes
        read = tuple(a for text in (question.what, *question.by) if text in known for a in known[text][1])
        return read + (condition(question.where, self.release.domain).S if question.where else ())

    def groups(self, question: Question) -> Choices:
        """The further attributes by which it can be asked."""
        own, read = self.reads(replace(question, where=None)), self.reads(question)
        free = {text: words for text, words in self.attributes.items() if words[1][0] not in own}
        return {text: words for text, words in free.items() if self.is_measured((*read, *words[1]))}

    def among(self, question: Question) -> Choices:
        """The conditions under which it can be asked."""
        read = self.reads(replace(question, where=None))
        return {text: words for text, words in self.conditions.items() if self.is_measured((*read, *words[1]))}

    def with_groups(self, question: Question) -> Question:
        """The question by groups that can be made, and by some where it compares them."""
        groups = self.groups(replace(question, by=()))
        by = tuple(text for text in question.by if text in groups or text not in self.attributes)
        return replace(question, by=by or (tuple(groups)[:1] if question.kind in COMPARISONS else ()))


def choose_by_menus(menus: Menus, question: Question, *, key: str, text_key: str) -> None:
    """Draw the menus as the question has them; a choice writes the question that it makes into the text, as SQL."""
    names = [name for name, each in STATISTICS.items() if menus.subjects(each.kind)]
    alike = (name for name in names if STATISTICS[name] == Question(question.kind, p=question.p))
    own = next(alike, REGRESSIONS.get(question.kind, question.kind))
    first, second = (*question.by, "", "")[:2]
    # Of each menu: its width, what it is called, its choices and what is chosen.
    parts: dict[str, tuple[float, str, Choices, str]] = {
        "statistic": (1.5, "Statistic", {name: (name, ()) for name in names}, own),
        "what": (2.2, "Of", menus.subjects(question.kind), question.what),
        "by": (1.6, "By", {"": ("all together", ())} | menus.groups(replace(question, by=())), first),
        "and_by": (1.6, "And by", {"": ("nothing else", ())} | menus.groups(replace(question, by=(first,))), second),
        "among": (2.2, "Among", {"": ("everyone", ())} | menus.among(question), question.where or ""),
    }

    def choose() -> None:
        chosen = {part: st.session_state[f"_{key}_{part}"] for part in parts}
        made, what = STATISTICS.get(chosen["statistic"], replace(question, order="")), chosen["what"]
        subjects = menus.subjects(made.kind)
        if chosen["statistic"] != own and what not in subjects:
            what = next(iter(subjects))
        by = tuple(filter(None, (chosen["by"], chosen["and_by"])))
        made = replace(made, what=what, where=chosen["among"] or None, by=by)
        st.session_state[text_key] = menus.with_groups(made).text

    columns = st.columns([width for width, *_ in parts.values()])
    for column, (part, (_, label, choices, chosen)) in zip(columns, parts.items(), strict=True):
        st.session_state[f"_{key}_{part}"] = chosen
        column.selectbox(
            label,
            dict.fromkeys([*choices, chosen]),
            key=f"_{key}_{part}",
            format_func=lambda text, choices=choices: choices[text][0] if text in choices else text,
            disabled=part in ("by", "and_by") and question.kind in REGRESSIONS,
            on_change=choose,
        )
    read = menus.reads(question)
    absent = [x.name for a, x in enumerate(menus.release.domain.attributes) if not menus.is_measured((*read, a))]
    if absent:
        st.caption(plain(f"Not in the menus, as not measured together with what is asked: {', '.join(absent)}."))
