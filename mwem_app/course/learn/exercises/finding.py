"""What is found of an answer."""

from typing import NamedTuple

DRAWING = "exercise"  # which asks, and shows what is found


class Finding(NamedTuple):
    """What is found of an answer or of a part of it: whether it is right, and a sentence."""

    right: bool
    text: str
