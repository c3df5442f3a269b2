"""Propose categories for a column of texts: in their order, where they have one; codes in groups. It reads the data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from mwem_core.encoding import PAIR
from mwem_core.forms import CURRENCIES, from_cell
from mwem_core.values import Codes, Values

CODE = re.compile(r"(?=\S*\d)[\w.\-/]{2,10}")  # of a diagnosis or a place: short, without blanks, with a digit
MAX_CODE = 10  # characters
MAX_PROPOSED_VALUES = 100  # of a category, or groups of codes
MAX_LISTED = 1_000  # values of a category with several rows each
MIN_ROWS_EACH = 3  # rows of each of more than `MAX_PROPOSED_VALUES` values, on average
FREQUENT = 50  # values that stay apart where the others are one
SAMPLE = 500  # texts, by which a column is told
MOST = 0.7  # of the texts, of which a cause must hold
SCALE_SHARE = 0.75  # of the words, that a scale must have
NO_LEVEL = "left out of the scale"  # words that stand last, such as "don't know"
LEADING_NUMBER = re.compile(
    r"(?:[<>≤≥=$€£~\s]|under|below|over|above|less than|more than|up to|age|from|grade|level|stage|class|q)*"
    r"(-?\d[\d,]*\.?\d*)",
    re.IGNORECASE,
)
DIGITS = re.compile(r"(\d+)")
LOWER = re.compile(r"^\s*(?:<|≤|under|below|less than|up to)", re.I)
UPPER = re.compile(r"(?:^\s*(?:>|≥|over|above|more than)|\+\s*$|and (?:over|more|above)|or (?:older|more))", re.I)
BETWEEN, WHAT = re.compile(r"(?<=\w)[-_/](?=\w)"), re.compile(r" (?:degree|graduate|level|pain)$")
QUARTER = re.compile(r"(Q[1-4]|[1-4]Q|H[12])[ /-]?(\d{4})")
ONE_NUMBER = re.compile(
    rf"[^\w\s]?(?:{CURRENCIES})?[^\w\s]?\s?[^\w\s]?\d[\d.,'’\x20\xa0\u202f]*(?:[^\d\s]{{1,4}})?[^\w]{{0,3}}"
)
DATE = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}")
ADDRESS = re.compile(r"\S+@\S+\.\w+|(?:https?://|www\.)\S+|(?:\d{1,3}\.){3}\d{1,3}")
NAME = re.compile(r"(?:[^\W\d_][\w.'’-]*,? ){1,3}[^\W\d_][\w.'’-]*")
LISTS = ("; ", ";", "|", ", ", ",", " + ", "/", " ")


@cache
def scales() -> dict[str, list[str]]:
    """Scales of words from low to high, by their first word; and the words that stand beside any."""
    lines = Path(__file__).with_name("scales.txt").read_text(encoding="utf-8").splitlines()
    return {line.partition(":")[0]: line.rpartition(": ")[2].split(", ") for line in lines}


def in_order(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts in the order that they state: of a scale of words, or of the numbers that they begin with; or sorted."""
    listed = sorted(set(texts), key=_natural)
    beside = scales()[NO_LEVEL]
    last = [text for text in listed if _word(text) in beside]
    first = [text for text in listed if text not in last]
    words = {_word(text) for text in first}
    scale = max(scales().values(), key=lambda scale: len(words & {*scale}))
    if len(first) > 1 and len(on_scale := words & {*scale}) >= max(2, SCALE_SHARE * len(words)):
        steps = sorted((text for text in first if _word(text) in on_scale), key=lambda text: scale.index(_word(text)))
        return (*steps, *(text for text in first if text not in steps), *last)
    if first and all(map(QUARTER.fullmatch, first)):
        return (*sorted(first, key=lambda text: QUARTER.sub(r"\2\1", text)), *last)
    numbers = [LEADING_NUMBER.match(text) for text in first]
    if sum(number is not None for number in numbers) > len(first) / 2:
        return (*sorted(first, key=_place), *last)
    return tuple(listed)


def _word(text: str) -> str:
    """A text as scales have it: in small letters, without marks between words and words that say what it is."""
    word = text.lower().replace("’", "'")
    return WHAT.sub("", BETWEEN.sub(" ", word)) if len(word) > 2 else word


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
    """The most frequent texts as categories, in order: at most `FREQUENT`, and none that fills a single row."""
    first = sorted((text for text in rows_of if rows_of[text] > 1), key=lambda text: (-rows_of[text], text))[:FREQUENT]
    return Values(in_order(map(from_cell, first)))


def cause_of(texts: Sequence[str]) -> str:
    """What texts are that are neither numbers nor dates nor categories, and the way to use them; one cause each."""
    sample = texts[:: max(1, len(texts) // SAMPLE)]

    def most(holds: Iterable[object]) -> bool:
        return sum(map(bool, holds)) >= MOST * len(sample)

    if most(map(ADDRESS.fullmatch, sample)):
        return "addresses, which name persons or machines"
    if most(map(PAIR.fullmatch, sample)):
        return "pairs of numbers: give each number a column of its own"
    skeletons = Counter(DIGITS.sub("0", text) for text in sample)
    with_words = sum(
        times for skeleton, times in skeletons.items() if times > 1 and re.search(r"0\W*[^\W\d_]", skeleton)
    )
    is_measure = with_words >= MOST * len(sample) and most(" " in text or text[:1].isdigit() for text in sample)
    mark = _list_mark(sample)
    if mark and not (mark == " " and is_measure):
        return f"several values in a cell, divided by {mark!r}: give each value a column of its own, with 0 or 1"
    if is_measure:
        return "numbers with words: write them as numbers of one unit"
    if most(len(text.split()) > 3 or len(text) > 60 for text in sample):
        return "remarks, which may tell of persons"
    if most(map(DATE.search, sample)):
        return "dates beside other text: write the dates alone"
    if most(map(ONE_NUMBER.fullmatch, sample)) and not most(map(str.isdecimal, sample)):
        return "numbers in several forms: write all in one"
    if most(any(map(str.isdigit, text)) for text in sample):
        return "an identifier"
    return "names" if most(map(NAME.fullmatch, sample)) else "names or free text"


def _list_mark(sample: Sequence[str]) -> str:
    """What divides the values of cells that hold several out of few; empty if none does."""
    for mark in LISTS:
        items = Counter(item.strip() for text in sample for item in text.split(mark))
        several, digits = sum(mark in text for text in sample), all(map(str.isdecimal, items))
        short = max(map(len, items)) <= 2 if mark == " " else mark not in "/," or not digits
        if 2 * several >= len(sample) and 3 * len(items) < len(sample) and short:
            return mark
    return ""
