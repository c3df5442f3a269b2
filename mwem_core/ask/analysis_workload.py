"""The workload of an analysis: from the questions that a release will be asked, the tables that it has to measure."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

from mwem_core.ask import regressions
from mwem_core.ask.descriptive_statistics import statistic, up_to_codes
from mwem_core.ask.language import Question, read_question
from mwem_core.domain import Attrs, Domain, split_questions

SIGNS = "|,*"  # with a meaning in the text of groups


def read_questions(text: str, domain: Domain) -> tuple[Question, ...]:
    """The questions between semicolons. `income by sex and age` is a table of these attributes.

    Raises ValueError for one that cannot be read.
    """
    return tuple(_read(each.strip(), domain) for each in split_questions(text))


def workload_of(questions: tuple[Question, ...], domain: Domain) -> str:
    """The text of a workload with every table that the questions need, weighted by how many questions need it.

    A question on several attributes needs their table together, a regression that of each pair. A table within another
    one is measured with it. Raises ValueError for a name that the text of a workload cannot have.
    """
    needs = [sets_of(question, domain) for question in questions]
    largest = {S for sets in needs for S in sets if not any(set(S) < set(R) for others in needs for R in others)}
    weights = {S: sum(any(set(R) <= set(S) for R in sets) for sets in needs) for S in largest}
    terms: dict[tuple[int, int], list[str]] = defaultdict(list)
    for S in sorted(largest):
        names = [domain.names[a] for a in S]
        if signs := {sign for name in names for sign in name if sign in SIGNS}:
            raise ValueError(
                f"{domain.label(S)} cannot be named in a workload, as {' and '.join(sorted(signs))} has a meaning"
                " there: rename the column, or choose the questions by hand"
            )
        terms[weights[S], len(S)].append(", ".join(names))
    texts = {key: f"marginals:{key[1]}:{' | '.join(groups)}" for key, groups in sorted(terms.items(), reverse=True)}
    return " + ".join(
        f"{weight}*{text}" if weight > 1 and len(texts) > 1 else text for (weight, _), text in texts.items()
    )


def asked_domain(questions: tuple[Question, ...], domain: Domain) -> Domain:
    """The attributes that the questions read; the others would be in the rows without having been measured."""
    read = {a for question in questions for S in sets_of(question, domain) for a in S}
    return domain.project([domain.names[a] for a in sorted(read)])


def sets_of(question: Question, domain: Domain) -> list[Attrs]:
    """The attribute sets whose tables a question needs to be answered from what was measured together."""
    if question.kind == "quantile":
        asked = up_to_codes(question.what, question.p, domain, where=question.where)
    elif question.kind in ("ols", "logit"):
        asked = getattr(regressions, question.kind)(question.what, domain, {})
        if len(asked.attrs) > 1 and question.kind == "logit":
            return list(combinations(asked.attrs, 2))
    else:
        asked = statistic(question.kind, question.what, domain, where=question.where, by=question.by)
    sets = {block.S for block in asked.blocks if block.S}
    return sorted(S for S in sets if not any(set(S) < set(R) for R in sets))


def _read(text: str, domain: Domain) -> Question:
    try:
        return read_question(text, domain)
    except ValueError:
        try:
            return read_question(f"table {text}", domain)
        except ValueError:
            pass
        raise
