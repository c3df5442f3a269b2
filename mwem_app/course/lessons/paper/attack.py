"""The lesson on reconstruction, on paper: find eight answers from a few exact counts."""

import numpy as np

from mwem_app.course.lessons.attack import NAMES
from mwem_app.course.lessons.paper.figures import bars
from mwem_app.course.lessons.paper.sheet import Data, Figure, Sheet, Task
from mwem_app.course.numbers.attack.reconstruction import GROUPS, SECRETS, SMALLEST, answer, consistent, secret

FIRST = [np.ones(len(NAMES), int), np.array([0] + [1] * (len(NAMES) - 1))]  # everyone, and everyone but Ada


def sheet(seed: int) -> Sheet:
    """A class of its own, so that the screen does not show its answers."""
    bits = secret(np.random.default_rng([seed, 1]))
    groups, left = list(FIRST), [len(SECRETS)]
    while left[-1] > 1:
        answers = [answer(bits, group) for group in groups]
        left = [len(SECRETS), *(len(consistent(groups[: k + 1], answers[: k + 1])) for k in range(len(groups)))]
        if left[-1] > 1:
            groups.append(_next(consistent(groups, answers)))
    answers = [answer(bits, group) for group in groups]
    rows = [
        (f"{k}", *("●" if member else "" for member in group), f"{found}")
        for k, (group, found) in enumerate(zip(groups, answers, strict=True), 1)
    ]
    cheated = ", ".join(name for name, bit in zip(NAMES, bits, strict=True) if bit)
    names = ["before", *(f"question {k + 1}" for k in range(len(groups)))]
    return Sheet(
        question="Can a class answer exact questions about its groups, and still keep each student's secret?",
        parts=(
            Data(
                f"How many of this group (●) said yes to “I have cheated”? A group has {SMALLEST} students or more.",
                ("", *NAMES, "yes"),
                [*rows, ("who?", *[""] * len(NAMES), "")],
            ),
            Figure(
                f"Of {len(SECRETS)} possible classes, so many still fit after each question",
                bars(names, {"classes": left}, label="The number of possible classes falls to one", height=170),
            ),
        ),
        tasks=(
            Task("What does the difference of questions 1 and 2 say?", f"What Ada said: {'yes' if bits[0] else 'no'}."),
            Task("Find who said yes. Write yes or no in the last row.", f"Yes: {cheated}."),
            Task(
                "Somebody proposes to answer only for groups of 50 or more, in a school of 500. Does it help?",
                "No. Groups of 51 and 50 that differ by one student tell this student's answer.",
            ),
            Task(
                "Each answer now has Laplace noise of mean size 4. Which of your steps fails first?",
                "The difference of two answers: its noise is larger than the 1 that it should show.",
            ),
        ),
    )


def _next(left: np.ndarray) -> np.ndarray:
    """The group whose answer leaves the fewest of these secrets in the worst case."""
    return GROUPS[int(np.argmin([np.bincount(left @ group).max() for group in GROUPS]))]
