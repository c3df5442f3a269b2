"""Propose categories for a column of texts: in their order, where they have one; codes in groups. It reads the data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from mwem_core.forms import from_cell
from mwem_core.values import Codes, Values

CODE = re.compile(r"(?=\S*\d)[\w.\-/]{2,10}")  # of a diagnosis or a place: short, without blanks, with a digit
MAX_CODE = 10  # characters
MAX_PROPOSED_VALUES = 100  # of a category, or groups of codes
MAX_LISTED = 1_000  # values of a category with several rows each
MIN_ROWS_EACH = 3  # rows of each of more than `MAX_PROPOSED_VALUES` values, on average
FREQUENT = 50  # values that stay apart where the others are one
LADDERS = [
    [step.strip() for step in ladder.split(",")]
    for ladder in (
        "strongly disagree, disagree, somewhat disagree, neither agree nor disagree, neutral, undecided,"
        " somewhat agree, agree, strongly agree",
        "very dissatisfied, dissatisfied, somewhat dissatisfied, neutral, somewhat satisfied, satisfied,"
        " very satisfied",
        "never, almost never, rarely, seldom, occasionally, sometimes, often, frequently, usually, very often,"
        " almost always, always",
        "not at all, a little, slightly, somewhat, moderately, quite a bit, very, very much, extremely",
        "not at all important, slightly important, moderately important, important, very important,"
        " extremely important",
        "very unlikely, unlikely, neutral, likely, very likely",
        "very bad, very poor, poor, bad, fair, average, ok, okay, good, very good, premium, ideal, excellent",
        "none, very low, low, medium low, medium, moderate, medium high, high, very high",
        "none, mild, moderate, severe, very severe",
        "xxs, xs, s, m, l, xl, xxl, xxxl",
        "tiny, very small, small, medium, large, very large, huge",
        "monday, tuesday, wednesday, thursday, friday, saturday, sunday",
        "mon, tue, wed, thu, fri, sat, sun",
        "january, february, march, april, may, june, july, august, september, october, november, december",
        "jan, feb, mar, apr, may, jun, jul, aug, sep, oct, nov, dec",
        "first, second, third, fourth, fifth, sixth",
        "less than high school, high school, some college, associate, associate's, associates, bachelor, bachelor's,"
        " bachelors, master, master's, masters, professional, doctorate, phd",
        "preschool, primary, elementary, secondary, high school, some college, college, bachelor, bachelors, tertiary,"
        " university, graduate, master, masters, doctorate, phd",
        "child, teenager, young adult, adult, senior",
    )
]
LEADING_NUMBER = re.compile(
    r"(?:[<>≤≥=$€£~\s]|under|below|over|above|less than|more than|up to|age|from)*(-?\d[\d,]*\.?\d*)", re.IGNORECASE
)
DIGITS = re.compile(r"(\d+)")
LOWER = re.compile(r"^\s*(?:<|≤|under|below|less than|up to)", re.I)
UPPER = re.compile(r"(?:^\s*(?:>|≥|over|above|more than)|\+\s*$|and (?:over|more|above)|or (?:older|more))", re.I)


def in_order(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts in the order that they state: of a ladder of words, or of the numbers that they begin with; or sorted."""
    listed = sorted(set(texts), key=_natural)
    lowered = [text.lower() for text in listed]
    for ladder in LADDERS:
        if len(listed) > 1 and set(lowered) <= set(ladder):
            return tuple(sorted(listed, key=lambda text: ladder.index(text.lower())))
    numbers = [LEADING_NUMBER.match(text) for text in listed]
    if sum(number is not None for number in numbers) > len(listed) / 2:
        return tuple(sorted(listed, key=_place))
    return tuple(listed)


def _natural(text: str) -> list[tuple[int, int, str]]:
    """A text in parts that compare as people count: week 2 before week 10."""
    parts = DIGITS.split(text)
    return [(0, int(part[:300]), "") if i % 2 else (1, 0, part) for i, part in enumerate(parts)]


def _place(text: str) -> tuple[bool, float, int, str]:
    """Where a text stands among others that begin with numbers; one without a number comes last."""
    number = LEADING_NUMBER.match(text)
    if number is None:
        return True, 0.0, 0, text
    side = -1 if LOWER.match(text) else 1 if UPPER.search(text) else 0
    return False, float(number[1].replace(",", "")), side, text


def groups_of(codes: Sequence[str]) -> Codes | None:
    """Codes in groups by as many first characters as give at most a hundred groups; None if none give two or more."""
    for prefix in range(MAX_CODE - 1, 0, -1):
        if 2 <= (groups := Codes(tuple(sorted(codes)), prefix)).size <= MAX_PROPOSED_VALUES and groups.size < len(
            codes
        ):
            return groups
    return None


def most_frequent(rows_of: Mapping[str, int]) -> Values:
    """The most frequent texts as categories, in order."""
    first = sorted(rows_of, key=lambda text: (-rows_of[text], text))[:FREQUENT]
    return Values(in_order(map(from_cell, first)))
