"""The lesson How many rounds?: too few leave most unasked, too many ask with too much noise."""

from collections.abc import Iterator, Mapping

import numpy as np

from mwem_app.base import percent
from mwem_app.course.learn.blocks import Block, Drawing, Exercise, Formula, Heading, Once, PredictDrawn, Text
from mwem_app.course.learn.exercises.settings import Condition, Setting, SettingsExercise
from mwem_app.course.lessons.watched import example
from mwem_app.course.numbers import rounds
from mwem_app.course.numbers.committed import from_csv
from mwem_app.course.numbers.rounds import COPIES, EPSILONS, ROUNDS, SEEDS, Curve, Trial, curve
from mwem_core.base import SAMPLES
from mwem_core.mwem import BETA, NAME

START, MORE = 0.08, 8  # the ε to draw for; how many times as many students the exercise has
COLLEGE, LARGEST, PURSE = 2000, 85, 2  # students, the largest error that they allow, and their ε
QUESTION = f"Draw the largest error after T rounds, at ε = {START:g}. At which T is your curve lowest?"


def blocks(_seed: int) -> Iterator[Block]:
    """The lesson, from committed runs: nothing here is drawn."""
    survey, Q = example("Class survey")
    B = rounds.copies(survey, COPIES)
    measured = from_csv((SAMPLES / "lessons" / "rounds.csv").read_text(encoding="utf-8"), Trial)
    curves = {epsilon: curve(measured, Q, B.total, epsilon) for epsilon in EPSILONS}

    yield Text(
        f"A university of **{B.total:,} students** has the answers of the class survey, a hundred times over. MWEM "
        f"measures each of the {Q.size} cells once at most. Every round takes two slices of the budget: more rounds "
        "ask more, and hear each answer less clearly. **Drag T.**"
    )
    budget = {"n": B.total, "queries": Q.size, "rounds": ROUNDS, "uniform": rounds.uniform_error(B, Q)}
    yield Drawing("rounds_slices", {**budget, "epsilon": START, "noise": rounds.noise(START)}, key="slices")

    yield Text(
        "The **uniform** table spreads everyone evenly. It reads nothing and costs nothing, so whoever errs more has "
        "wasted ε; on Run it is the dotted line. **Draw how large the largest error will be.**"
    )
    curve_to_draw = Drawing(
        "rounds",
        {
            **budget,
            "epsilons": EPSILONS,
            "start": EPSILONS.index(START),
            "seeds": SEEDS,
            "theorem": NAME,
            "curves": [curves[epsilon].shown for epsilon in EPSILONS],
        },
        key="rounds",
        until={"curves": None},
    )
    yield PredictDrawn(QUESTION, curve_to_draw, ROUNDS)

    yield Heading("What the theorem promises")
    yield Formula(
        "max error ≤ 2{n} √(ln |{D}| / {T}) + 2{T} (2 ln |{Q}| + 3 ln(2{T}/{β})) / {ε}",
        {
            "n": f"the number of students, {B.total:,}.",
            "D": f"all combinations of answers. There are |D| = {Q.domain.size}.",
            "T": "the number of rounds. The first term falls with it: A has learnt more.",
            "Q": f"the queries. There are |Q| = {Q.size}. The second term is the noise, which grows with T.",
            "β": f"the chance that the error is larger: {BETA:.0%} here. The paper prints it for β = 2T/|Q|, where "
            f"the second term is 10 T ln |Q| / ε. From T = {Q.size // 2 + 1} on that β is above 1, and nothing is "
            "promised.",
            "ε": "the budget of the whole run.",
        },
        key="theorem",
    )
    promising = next(epsilon for epsilon in EPSILONS if curves[epsilon].promise < 1)
    yield Text(
        f"It holds for every table, even the worst one, with a probability of {1 - BETA:.0%} or more, for Figure 1 to "
        "the letter: one update a round, and the average of all tables as output. Why the average? Large errors must "
        "end, so the largest errors of the tables are small in the mean. Which table is the good one, nobody can tell "
        "without looking; their average errs no more than that mean."
    )
    yield Text(
        f"The theorem promises little for so few students: below ε = {promising:g} the bound is above 100% of them at "
        f"every T, and says nothing. At ε = {EPSILONS[-1]:g} it is least at T = {curves[EPSILONS[-1]].theorem}, with "
        f"{percent(curves[EPSILONS[-1]].promise)}."
    )
    yield Text(
        "MWEM can also look for T itself: **adaptive T** doubles T until a measured answer is no further from the "
        "model than its noise. Its first runs get 1/64 of the budget, and here noise stops them early. The theorem "
        "reads only public numbers; the search, only noisy answers."
    )

    then = curves[START * MORE]
    right = f"More: as many as for {B.total:,} students at ε = {START * MORE:g}."
    yield Exercise(
        f"The university grows from {B.total:,} to {MORE * B.total:,} students, with the same shares in every cell. ε "
        f"stays {START:g}. Which number of rounds is best then?",
        {
            "The same: the queries and ε are the same.": "The mean noise stays 2T/ε students, but each student is "
            "now a smaller share of all. So the noise matters less, and more rounds pay.",
            "Fewer: with more students, each answer says more.": "Each answer is clearer, so more of them are worth "
            "asking. The cells that are not asked stay as wrong as before.",
            right: "A mean noise of 2T/ε students is the share 2T/(εn) of all, so only εn counts.",
            "Eight times as many: eight times the students pay for eight times the rounds.": f"There are only {Q.size} "
            "cells to ask, and the last ones hardly lower the error.",
        },
        right=right,
        once={
            right: f" The curve is lowest at T = {curves[START].best} at ε = {START:g}, and at T = {then.best} at "
            f"ε = {START * MORE:g}."
        },
    )
    yield Once([_college(curves, B.total)])


def _college(curves: Mapping[float, Curve], n: int) -> SettingsExercise:
    """T and ε to choose for a college with the same shares: its errors are those of n students at the same εn."""
    epsilons = np.array(EPSILONS) * n / COLLEGE
    errors = COLLEGE * np.array([curves[epsilon].mean for epsilon in EPSILONS]).T
    return SettingsExercise(
        question=f"A college has {COLLEGE:,} students, with the same shares in every cell. Choose T and ε so that the "
        f"largest error is at most {LARGEST} students on average, and ε at most {PURSE}.",
        settings=[
            Setting("Rounds T", [f"{T}" for T in ROUNDS]),
            Setting("Budget ε", [f"{epsilon:g}" for epsilon in epsilons], start=len(epsilons) - 1),
        ],
        conditions=[
            Condition("The largest error", errors, LARGEST, f" students on average over {SEEDS} runs"),
            Condition("ε", np.broadcast_to(epsilons, errors.shape), PURSE),
        ],
        why="Fewer rounds leave cells with large errors, and more rounds measure with more noise. As only εn counts, "
        f"these are the errors, as shares, of {n:,} students at ε/{n // COLLEGE}.",
        key="college",
    )
