"""Words that screens and messages share."""

from collections.abc import Sequence


def named(column: str) -> str:
    """A column of a table in a sentence.

    >>> named("age"), named("")
    ("column 'age'", 'the column without a name')
    """
    return f"column {column!r}" if column else "the column without a name"


def listed(names: Sequence[str], separator: str = ", ") -> str:
    """Names in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{separator.join(names[:-1])} and {names[-1]}"
