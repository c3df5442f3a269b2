"""The workload of an analysis: from the questions that a release will be asked, the tables that it has to measure."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

from mwem_core.ask.question import Question
from mwem_core.domain import Attrs, Domain
from mwem_core.systems import OFFSETS_SHARE

SIGNS = "|,*"  # with a meaning in the text of groups
DECLARED_OFFSETS = 0.05  # of the budget: total variation grows by 3 to 5%


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


def offsets_share(questions: tuple[Question, ...], domain: Domain) -> float:
    """The share of the budget for the means of bins: more where a question reads numbers in bins."""
    reads = any(each.statistic(domain).in_bins for each in questions)
    return DECLARED_OFFSETS if reads else OFFSETS_SHARE


def sets_of(question: Question, domain: Domain) -> list[Attrs]:
    """The attribute sets whose tables a question needs to be answered from what was measured together."""
    if question.kind == "quantile" and question.by:
        question = question.parts(domain)[0]
    asked = question.statistic(domain)
    if question.kind == "logit" and len(asked.attrs) > 1:
        return list(combinations(asked.attrs, 2))
    sets = {block.S for block in asked.blocks if block.S}
    return sorted(S for S in sets if not any(set(S) < set(R) for R in sets))
