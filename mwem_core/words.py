"""Words that screens and messages share."""

from collections.abc import Sequence


def listed(names: Sequence[str], separator: str = ", ") -> str:
    """Names in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{separator.join(names[:-1])} and {names[-1]}"
