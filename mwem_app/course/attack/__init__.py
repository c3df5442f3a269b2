"""The lesson Attack it: exact answers give everybody away, and noise stops the attack only as long as it is large."""

from collections.abc import Iterator, Sequence

import numpy as np
import streamlit as st

from mwem_app.base import percent
from mwem_app.course.attack import attack_numbers as numbers
from mwem_app.course.blocks import Block, Drawing, Exercise, Heading, PredictChoice, Reveal, Text
from mwem_app.course.sheet import Data, Figure, Task, bars
from mwem_core.privacy import Seeded

NAMES = "Ada", "Ben", "Cem", "Dua", "Eva", "Finn", "Gia", "Hugo"
EVERYONE = (1,) * len(NAMES)
FIRST = [EVERYONE, (0, *EVERYONE[1:])]  # at first
TARGET, OPTIONS = 0.9, (1, 4, 16, 64)  # the share of secrets, and values of ε, of the prediction
START = 1.0  # ε of the drawing at first


def left_by(groups: Sequence[tuple[int, ...]], secret: numbers.Bits) -> np.ndarray:
    """The secrets that give the same exact answers for these groups."""
    answers = [numbers.answer(secret, np.array(group)) for group in groups]
    return numbers.consistent([np.array(group) for group in groups], answers)


@st.cache_data(max_entries=8, show_spinner=False)
def cached_recovery(seed: int) -> numbers.Recovery:
    """The attack on noisy counts, at each ε."""
    return numbers.recovery(rng=np.random.default_rng(seed), noise=Seeded(seed))


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the draws of a seed."""
    secret = numbers.secret(np.random.default_rng(seed))
    greedy = len(FIRST) + numbers.fewest(secret, left_by(FIRST, secret))

    yield Text(
        "Eight students said whether they had cheated. A curator answers *how many of this group said yes?* "
        f"exactly, but only for {numbers.SMALLEST} students or more. That does not help: the counts of "
        "everyone, and of everyone but Ada, give Ada away. **Find the other seven with as few questions as you "
        "can.** Tap a group, and ask."
    )
    questions = {"smallest": numbers.SMALLEST, "greedy": greedy, "secret": secret, "first": FIRST}
    yield Drawing("attack", {"scene": "exact", "names": NAMES, **questions}, key="exact")

    yield Heading("Noisy answers")
    counts = 2 * numbers.HALVES
    yield Text(
        "Now the curator adds random noise to every answer. A number **ε** sets how much: the smaller ε, the larger "
        f"the noise. The attacker gets {counts} counts over halves of a class, each off by {numbers.HALVES}/ε "
        "students on average: at ε = 1, as many as there are in the class. The attacker weighs all "
        f"{len(numbers.SECRETS)} ways in which the class can have answered, and takes the more probable answer "
        "of each student. A coin would find 50% of them."
    )

    found = cached_recovery(seed)
    yield PredictChoice(
        f"How large must ε be before this attack finds {percent(TARGET)} of the answers?",
        [f"about {epsilon}" for epsilon in OPTIONS],
    )
    needed, at_one = found.least_epsilon(TARGET), numbers.EPSILONS.index(START)
    answer = Text(
        f"**About {needed:g}.** Then a count is off by half a student, and many noisy counts together are as good as "
        f"exact ones. At ε = 1 the attack finds {percent(found.share[at_one])}, and no attack of any kind can find "
        f"more than {percent(found.cap[at_one])}. The lesson Noise shows why. **Drag ε.**"
    )
    curves = {"share": found.share, "cap": found.cap, "scale": found.scale, "bits": found.bits, "guess": found.guess}
    position = {"epsilons": numbers.EPSILONS, "start": at_one}
    yield Reveal([answer, Drawing("attack", {"scene": "noisy", "names": NAMES, **curves, **position}, key="noisy")])

    right = "Add noise to every answer, and stop answering when a budget is spent."
    yield Exercise(
        "A school wants to answer questions about its students' secrets. Which of these repairs stops the attack, "
        "however clever and patient the attacker is?",
        {
            "Answer only for groups of 50 students or more.": "Two groups of 51 and 50 that differ in one student give "
            "this student away, however large they are.",
            "Refuse a question whose answer, with those before it, would give someone away.": "Whether it is refused "
            "depends on the secrets, so a refusal tells something too. And two attackers can share their answers.",
            "Add fresh noise to every answer, for as long as anyone asks.": "The same question again has fresh "
            "noise, and the mean of many noisy answers is as good as an exact one.",
            right: "Too many answers that are too accurate always give nearly everyone away. So each must have "
            "noise, and together they must have an end: ε is the size of that budget.",
        },
        right=right,
    )


def sheet(seed: int) -> Iterator[Data | Figure | Task]:
    """The lesson on paper, with a class of its own, so that the screen does not show its answers."""
    bits = numbers.secret(np.random.default_rng([seed, 1]))
    groups, left = [np.array(group) for group in FIRST], [len(numbers.SECRETS)]
    while left[-1] > 1:
        answers = [numbers.answer(bits, group) for group in groups]
        left = [
            len(numbers.SECRETS),
            *(len(numbers.consistent(groups[: k + 1], answers[: k + 1])) for k in range(len(groups))),
        ]
        if left[-1] > 1:
            groups.append(_best_group(numbers.consistent(groups, answers)))
    answers = [numbers.answer(bits, group) for group in groups]
    rows = [
        (f"{k}", *("●" if member else "" for member in group), f"{found}")
        for k, (group, found) in enumerate(zip(groups, answers, strict=True), 1)
    ]
    cheated = ", ".join(name for name, bit in zip(NAMES, bits, strict=True) if bit)
    names = ["before", *(f"question {k + 1}" for k in range(len(groups)))]
    yield Data(
        f"How many of this group (●) said yes to “I have cheated”? A group has {numbers.SMALLEST} students or more.",
        ("", *NAMES, "yes"),
        [*rows, ("who?", *[""] * len(NAMES), "")],
    )
    yield Figure(
        f"Of {len(numbers.SECRETS)} possible classes, so many still fit after each question",
        bars(names, {"classes": left}, label="The number of possible classes falls to one", height=170),
    )
    yield Task("What does the difference of questions 1 and 2 say?", f"What Ada said: {'yes' if bits[0] else 'no'}.")
    yield Task("Find who said yes. Write yes or no in the last row.", f"Yes: {cheated}.")
    yield Task(
        "Somebody proposes to answer only for groups of 50 or more, in a school of 500. Does it help?",
        "No. Groups of 51 and 50 that differ by one student tell this student's answer.",
    )
    yield Task(
        "Each answer now has Laplace noise of mean size 4. Which of your steps fails first?",
        "The difference of two answers: its noise is larger than the 1 that it should show.",
    )


def _best_group(left: np.ndarray) -> np.ndarray:
    """The group whose answer leaves the fewest of these secrets in the worst case."""
    return numbers.GROUPS[int(np.argmin([np.bincount(left @ group).max() for group in numbers.GROUPS]))]
