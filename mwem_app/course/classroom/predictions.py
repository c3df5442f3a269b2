"""What a lesson asks to predict, for a phone that does not open the lesson."""

import threading
from collections.abc import Iterable
from functools import cache

from mwem_app.course.learn.blocks import Beside, Block, PredictChoice, PredictDrawn, PredictNumber
from mwem_app.course.learn.lessons import Lesson
from mwem_app.course.lessons.written import blocks_of

SEED = 1  # of a lesson that the address gives no seed, as a phone opens it

Asked = PredictChoice | PredictNumber
_ONE_AT_A_TIME = threading.Lock()


def asked_in(lesson: Lesson) -> Asked | None:
    """The prediction of a lesson; None if it is a curve to draw, or if there is none.

    It is computed once, while all phones that were sent to the lesson wait.
    """
    with _ONE_AT_A_TIME:
        return _asked_in(lesson)


@cache
def _asked_in(lesson: Lesson) -> Asked | None:
    return _first(blocks_of(lesson, SEED))


def fits(asked: Asked, value: object) -> bool:
    """Whether a value is one that a learner can choose.

    >>> [fits(PredictNumber("How many?", 0, 8), value) for value in (8, 9, True, "8")]
    [True, False, False, False]
    """
    if isinstance(asked, PredictChoice):
        return value in asked.options
    return type(value) is int and asked.low <= value <= asked.high


def _first(blocks: Iterable[Block]) -> Asked | None:
    """The first prediction. Blocks after it are not made."""
    for block in blocks:
        if isinstance(block, PredictDrawn):
            return None
        if isinstance(block, Asked):
            return block
        if isinstance(block, Beside) and (asked := _first([*block.left, *block.right])):
            return asked
    return None
