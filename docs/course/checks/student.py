"""A student's function is called, and what it gives is judged in one sentence."""

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

MARGIN = 5  # standard errors
LINE = 95  # characters that a cell shows in a row, in a window of 1300 pixels
ROUNDING = 1e-9  # relative; what floating-point arithmetic in another order may change


class NotYet(Exception):
    """Why an exercise is not solved yet. Jupyter shows the sentence alone, and stops there when it runs all cells."""

    def _render_traceback_(self) -> list[str]:
        return textwrap.wrap(f"Not yet: {self}", LINE)


def right(sentence: str) -> None:
    """Say that an exercise is solved, and what was found."""
    print(f"Right: {sentence}")


def require(condition: object, sentence: str) -> None:
    """Raise NotYet with the sentence unless the condition holds."""
    if not condition:
        raise NotYet(sentence)


def call(function: Callable, *arguments: object) -> Any:
    """What a student's function gives. NotYet if it is not written, stops, or changes the arrays it is given."""
    name = getattr(function, "__name__", "the function")
    given = [np.copy(each) for each in arguments if isinstance(each, np.ndarray)]
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            result = function(*arguments)
    except Exception as error:
        cause = f"{type(error).__name__}: {error}".rstrip(": .")
        raise NotYet(
            f"{name} stops with {cause}. Call it in a cell of its own, with small numbers, and follow it line by line."
        ) from None
    require(
        result is not None and result is not ...,
        f"{name} gives nothing back. Replace its ... by your code, and end with return.",
    )
    kept = (each for each in arguments if isinstance(each, np.ndarray))
    require(
        all(np.array_equal(before, now) for before, now in zip(given, kept, strict=True)),
        f"{name} changes an array that it was given, which the caller still needs. Compute a new array instead.",
    )
    return result


def call_for_array(function: Callable, *arguments: object, shape: tuple[int, ...]) -> np.ndarray:
    """`call` the function; its result must be an array of this shape, of finite numbers."""
    name, result = getattr(function, "__name__", "the function"), call(function, *arguments)
    try:
        numbers = np.asarray(result, float)
    except (TypeError, ValueError):
        raise NotYet(
            f"{name} should give numbers, and gives {type(result).__name__}. Look at what it returns."
        ) from None
    require(
        numbers.shape == shape,
        f"{name} should give {_size(shape)}, and gives {_size(numbers.shape)}. Look at what it returns.",
    )
    require(
        np.isfinite(numbers).all(), f"{name} gives numbers that are infinite or not a number. Is something too large?"
    )
    return numbers


def call_for_index(function: Callable, *arguments: object, count: int) -> int:
    """`call` the function; its result must be the index of one of `count` candidates."""
    name, result = getattr(function, "__name__", "the function"), call(function, *arguments)
    whole = isinstance(result, int | np.integer) and not isinstance(result, bool)
    require(
        whole and 0 <= result < count,
        f"{name} should give the index of a candidate, 0 to {count - 1}, and gives {result!r}. Return the index.",
    )
    return int(result)


def close(measured: ArrayLike, expected: ArrayLike) -> bool:
    """Whether numbers are equal but for rounding."""
    return bool(np.allclose(measured, expected, rtol=ROUNDING, atol=ROUNDING))


def _size(shape: tuple[int, ...]) -> str:
    return "one number" if not shape else f"an array of shape {shape}"
