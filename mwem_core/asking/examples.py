"""Questions to a release, made of its own attributes."""

from __future__ import annotations

import re

from mwem_core.data.numbers import numbered
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.dates import Dates
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import Codes, Values

FEW = 6  # values of an attribute by which examples compare


def examples(domain: Domain) -> tuple[str, ...]:
    """A question of each kind that the domain's attributes allow."""
    return tuple(_questions(domain).values())


def example_of(kind: str, domain: Domain) -> str:
    """A question of the kind that begins with this word, or of a share where the attributes allow none."""
    found = _questions(domain)
    return found.get(kind, found["share"])


def _questions(domain: Domain) -> dict[str, str]:
    """A question of each kind, by its first word, or by ols."""
    named = [a for a in domain.attributes if not _has_numbers(a)]
    numbers = [_name(a) for a in domain.attributes if _has_numbers(a)]
    few = [a for a in named if a.size <= FEW]
    outcome = (few or named or domain.attributes)[-1]  # in most tables the outcome stands last
    asked, others = _condition(outcome), [a for a in few if a is not outcome]
    by = f" by {_name(others[-1])}" if others else ""
    found = {"share": f"{asked}{by}"}
    if numbers:
        found |= {"mean": f"mean {numbers[0]}{by}", "median": f"median {numbers[0]}"}
        found |= {"quantile": f"quantile .9 of {numbers[0]}"}
    if by:
        found |= {"odds": f"odds ratio {asked}{by}", "table": f"table {_name(outcome)}{by}"}
        found |= {"difference": f"difference in {f'mean {numbers[0]}' if numbers else asked}{by}"}
    if len(numbers) > 1:
        found |= {"correlation": f"correlation {numbers[0]} {numbers[1]}"}
    whole = [_name(a) for a in domain.attributes if _has_numbers(a) and a.size == a.ordered_size]
    if terms := [*whole[:1], *map(_name, others[-1:])]:
        found |= {"ols": f"{terms[0]} ~ {terms[1]}" if whole and others else f"{asked} ~ {terms[0]}"}
        found |= {"logit": f"logit {asked} ~ {' + '.join(terms)}"}
    return found


def _has_numbers(attribute: Attribute) -> bool:
    """Whether there are more than two numbers: a 0 and a 1 are names."""
    return numbered(attribute) is not None and attribute.ordered_size > 2


def _condition(attribute: Attribute) -> str:
    """`income == ">50K"`, as the first of two values is often a no; `age >= 45` of numbers."""
    kind = attribute.value_set
    if _has_numbers(attribute) and not isinstance(kind, Dates):
        assert not isinstance(kind, Values | Codes)
        return f"{_name(attribute)} >= {kind.cells()[0][attribute.ordered_size // 2]:g}"
    label = attribute.labels[1]
    return f"{_name(attribute)} == " + (f"'{label}'" if '"' in label else f'"{label}"')


def _name(attribute: Attribute) -> str:
    return attribute.name if re.fullmatch(r"[^\W\d][\w.-]*", attribute.name) else f"`{attribute.name}`"
