"""The lesson How many rounds?: too few leave most unasked, too many ask with too much noise."""

from collections.abc import Iterator, Mapping

import numpy as np

from mwem_app.base import percent
from mwem_app.course.blocks import Block, Drawing, Exercise, Formula, Heading, PredictDrawn, Reveal, Text
from mwem_app.course.exercises import Condition, Setting, SettingsExercise
from mwem_app.course.lesson import stored_trials
from mwem_app.course.rounds import rounds_numbers as numbers
from mwem_app.course.sheet import Data, Figure, Task, curve_grid
from mwem_app.inputs import load_sample
from mwem_core.domain import Records
from mwem_core.mwem import BETA, NAME, theorem_bound
from mwem_core.workload import Workload, parse_workload

START, MORE = 0.08, 8  # the ε to draw for; how many times as many students the exercise has
COLLEGE, LARGEST, PURSE = 2000, 85, 2  # students, the largest error that they allow, and their ε
QUESTION = f"Draw the largest error after T rounds, at ε = {START:g}. At which T is your curve lowest?"


def blocks(_seed: int) -> Iterator[Block]:
    """The lesson, from committed runs: nothing here is drawn."""
    B, Q = _university()
    measured = stored_trials("rounds", numbers.Trial)
    curves = {epsilon: numbers.curve(measured, Q, B.total, epsilon) for epsilon in numbers.EPSILONS}

    yield Text(
        f"A university of **{B.total:,} students** has the answers of the class survey, a hundred times over. MWEM "
        f"measures each of the {Q.size} cells once at most. Every round takes two slices of the budget: more rounds "
        "ask more, and hear each answer less clearly. **Drag T.**"
    )
    budget = {"n": B.total, "queries": Q.size, "rounds": numbers.ROUNDS, "uniform": numbers.uniform_error(B, Q)}
    yield Drawing("rounds_slices", {**budget, "epsilon": START, "noise": numbers.noise(START)}, key="slices")

    yield Text(
        "The **uniform** table spreads everyone evenly. It reads nothing and costs nothing, so whoever errs more has "
        "wasted ε; on Run it is the dotted line. **Draw how large the largest error will be.**"
    )
    curve_to_draw = Drawing(
        "rounds",
        {
            **budget,
            "epsilons": numbers.EPSILONS,
            "start": numbers.EPSILONS.index(START),
            "seeds": numbers.SEEDS,
            "theorem": NAME,
            "curves": [curves[epsilon].as_data for epsilon in numbers.EPSILONS],
        },
        key="rounds",
        until={"curves": None},
    )
    yield PredictDrawn(QUESTION, curve_to_draw, numbers.ROUNDS)

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
    largest = curves[numbers.EPSILONS[-1]]
    promising = next(epsilon for epsilon in numbers.EPSILONS if curves[epsilon].promise < 1)
    yield Text(
        f"It holds for every table, even the worst one, with a probability of {1 - BETA:.0%} or more, for Figure 1 to "
        "the letter: one update a round, and the average of all tables as output. Why the average? Large errors must "
        "end, so the largest errors of the tables are small in the mean. Which table is the good one, nobody can tell "
        "without looking; their average errs no more than that mean."
    )
    yield Text(
        f"The theorem promises little for so few students: below ε = {promising:g} the bound is above 100% of them at "
        f"every T, and says nothing. At ε = {largest.epsilon:g} it is least at T = {largest.theorem}, with "
        f"{percent(largest.promise)}."
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
    yield Reveal([_college(curves, B.total)])


def _college(curves: Mapping[float, numbers.Curve], n: int) -> SettingsExercise:
    """T and ε to choose for a college with the same shares: its errors are those of n students at the same εn."""
    epsilons = np.array(numbers.EPSILONS) * n / COLLEGE
    errors = COLLEGE * np.array([curves[epsilon].mean for epsilon in numbers.EPSILONS]).T
    return SettingsExercise(
        question=f"A college has {COLLEGE:,} students, with the same shares in every cell. Choose T and ε so that the "
        f"largest error is at most {LARGEST} students on average, and ε at most {PURSE}.",
        settings=[
            Setting("Rounds T", [f"{T}" for T in numbers.ROUNDS]),
            Setting("Budget ε", [f"{epsilon:g}" for epsilon in epsilons], start=len(epsilons) - 1),
        ],
        conditions=[
            Condition("The largest error", errors, LARGEST, f" students on average over {numbers.SEEDS} runs"),
            Condition("ε", np.broadcast_to(epsilons, errors.shape), PURSE),
        ],
        why="Fewer rounds leave cells with large errors, and more rounds measure with more noise. As only εn counts, "
        f"these are the errors, as shares, of {n:,} students at ε/{n // COLLEGE}.",
        key="college",
    )


SMALL, HIGH = 0.01, 0.25


def _university() -> tuple[Records, Workload]:
    """The answers of the class survey, a hundred times over, and its workload."""
    survey = load_sample("Class survey")
    return numbers.copies(survey, numbers.COPIES), parse_workload("marginals:2", survey.domain)


def sheet(_seed: int) -> Iterator[Data | Figure | Task]:
    """The lesson on paper: a university with the answers of the class. Nothing here is drawn."""
    B, Q = _university()
    noise, uniform = numbers.noise(START), numbers.uniform_error(B, Q)
    within = [T for T, each in zip(numbers.ROUNDS, numbers.noise(SMALL), strict=True) if each < uniform * B.total]
    public = {"n": B.total, "domain_size": Q.domain.size, "queries": Q.size, "epsilon": 1.0}
    bounds = {T: theorem_bound(rounds=T, **public) / B.total for T in (4, 16)}
    yield Data(
        f"{B.total:,} students, {Q.size} cells, ε = {START:g}. Mean size of the noise of one measurement",
        ("rounds T", *(f"{T}" for T in numbers.ROUNDS)),
        [
            ("noise, in students", *(f"{each:.0f}" for each in noise)),
            ("in % of all", *[""] * len(numbers.ROUNDS)),
            ("cells not asked", *[""] * len(numbers.ROUNDS)),
        ],
    )
    yield Figure(
        "Draw your curve: the largest error after T rounds",
        curve_grid(
            [f"{T}" for T in numbers.ROUNDS],
            {"uniform table, no rounds": [100 * uniform] * len(numbers.ROUNDS)},
            high=100 * HIGH,
            x="rounds T",
            y="largest error, in % of the students",
            label="A grid for a curve, with the error of the uniform table as a line",
            height=300,
        ),
    )
    yield Task(
        "Fill in the two empty rows of the table.",
        f"{', '.join(f'{100 * each / B.total:.2g}' for each in noise)}; and "
        f"{', '.join(f'{Q.size - T}' for T in numbers.ROUNDS)}.",
    )
    yield Task(
        f"At ε = {SMALL:g} all noise is {START / SMALL:g} times as large. Up to which of these T is it "
        f"smaller than the error of the uniform table, {percent(uniform)}?",
        f"Up to T = {within[-1]}.",
    )
    yield Task("Draw your curve into the figure. At which T is it lowest, and why?", "See the prediction above.")
    yield Task(
        f"The theorem's bound at ε = 1 is {percent(bounds[4])} of all students at T = 4 and "
        f"{percent(bounds[16])} at T = 16. What does each say?",
        "The bound holds for every table. Above 100% it says nothing; below, it promises that no answer is off "
        "by more, with the theorem's probability.",
    )
