"""Groups of attributes, as text: `health_* | work_*, salary | age, sex`. They read names alone, which are public."""

import re
from collections import defaultdict
from collections.abc import Sequence

from mwem_core.base import hint

FIRST_WORD = re.compile(r"[^\W\d_]+(?=[\W\d_])")  # of a name: its letters before anything else
SIGNS = "|,*"  # of the text, which names of proposed groups may not have


def named_groups(text: str, names: Sequence[str]) -> list[list[str]]:
    """The names in each group, in their own order. Groups stand between bars, names between commas; * is any text.

    Raises ValueError for a name or a pattern that no attribute has, and for a text without any group.

    >>> named_groups("a_* | b, c", ["a_1", "b", "a_2", "c", "d"])
    [['a_1', 'a_2'], ['b', 'c']]
    """
    groups = [_matching(group, names) for group in text.split("|") if group.strip()]
    if not groups:
        raise ValueError("no group is named: write names or patterns between bars, as in health_* | work_*")
    return groups


def proposed_groups(names: Sequence[str]) -> str:
    """Groups of two or more names that begin with the same word; empty if there are not at least two such groups.

    >>> proposed_groups(["health_1", "health_2", "work_a", "work_b", "age"])
    'health* | work*'
    """
    by_word: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if found := FIRST_WORD.match(name):
            by_word[found[0]].append(name)
    words = [word for word, members in by_word.items() if len(members) > 1]
    longer = {word: [name for name in names if name.startswith(word) and name not in by_word[word]] for word in words}
    patterns = [f"{word}*" if not longer[word] else ", ".join(by_word[word]) for word in words]
    patterns = [
        each for each, word in zip(patterns, words, strict=True) if not set(SIGNS) & set("".join(by_word[word]))
    ]
    return " | ".join(patterns) if len(patterns) > 1 else ""


def _matching(group: str, names: Sequence[str]) -> list[str]:
    found: set[str] = set()
    for pattern in (each.strip() for each in group.split(",")):
        like = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
        matching = {name for name in names if name == pattern or like.fullmatch(name)}
        if not matching:
            raise ValueError(
                f"no attribute is named {pattern!r}{hint(pattern, names)}: write names or patterns, as in health_*"
            )
        found |= matching
    return [name for name in names if name in found]
