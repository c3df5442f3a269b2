"""Questions to a release, made of its own attributes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

from mwem_core.domain import Attribute, Attrs, Domain, quoted_name, quoted_text
from mwem_core.values import Codes, Dates, Values

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
            if each[number].size == each[number].ordered_size:  # a number for every record
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
    return attribute.number_set is not None and attribute.ordered_size > 2


def condition_on(attribute: Attribute) -> str:
    """`income == ">50K"`, as the first of two values is often a no; `age >= 45` of numbers."""
    kind = attribute.value_set
    if _has_numbers(attribute) and not isinstance(kind, Dates):
        assert not isinstance(kind, Values | Codes)
        return f"{_name(attribute)} >= {kind.written(float(kind.cells()[0][attribute.ordered_size // 2]))}"
    return f"{_name(attribute)} == {quoted_text(attribute.labels[min(1, attribute.size - 1)])}"


def _name(attribute: Attribute) -> str:
    return quoted_name(attribute.name)
