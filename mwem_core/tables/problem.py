"""What is wrong with a private table: in full for its owner who explores, and without its values in a release."""

from collections.abc import Callable
from typing import TypeVar

X = TypeVar("X")
UNREADABLE = "the table cannot be read as a table of this schema: explore it first, where the reason is shown in full"


class TableProblem(ValueError):
    """A table that does not fit its schema. The message may show values and counts; `public` names a column alone."""

    def __init__(self, message: str, *, public: str):
        super().__init__(message)
        self.public = public


def without_values(read: Callable[[], X]) -> X:
    """What `read` returns; if it fails, a ValueError that shows no value and no count of the table.

    A message that is not known to show none is replaced, and the error that had it does not go along. That a table was
    refused is a fact about its records too: it is told to the owner of the table, before anything is drawn or spent.
    """
    try:
        return read()
    except TableProblem as problem:
        message = problem.public
    except Exception:  # whatever it is, its message may hold a value
        message = UNREADABLE
    raise ValueError(message)
