"""The lesson Noise, on paper: guess from published counts who was in the table."""

from mwem_app.base import percent
from mwem_app.course.lessons.paper.figures import strips
from mwem_app.course.lessons.paper.sheet import Data, Figure, Sheet, Task
from mwem_app.course.numbers.noise import bets, chance, dots
from mwem_app.inputs import load_sample
from mwem_core.privacy import cap

EPSILON, SHOWN, BETS = 1.0, 60, 10


def sheet(seed: int) -> Sheet:
    """Counts of coffee drinkers, with draws of its own."""
    survey = load_sample("Class survey")
    truth = int(survey.marginal((survey.domain.names.index("drink"),))[1]) - 1
    without, with_you = dots("laplace", truth, [EPSILON], count=SHOWN, seed=seed)[0]
    sides, values = bets("laplace", truth, [EPSILON], count=BETS, seed=seed + 100)
    nearer = values[0] > truth + 0.5
    answers = ", ".join("with" if side else "without" for side in sides)
    strip = {f"without you: {truth}": without, f"with you: {truth + 1}": with_you}
    return Sheet(
        question="How much does one noisy count tell about you?",
        parts=(
            Figure(
                f"{SHOWN} counts that may be published with you in the class, and {SHOWN} without you, at ε = "
                f"{EPSILON:g}",
                strips(
                    strip, truth - 6, truth + 7, title="published count", label="Noisy counts with you and without you"
                ),
            ),
            Data(
                f"A coin decided each time whether you were in the class. At ε = {EPSILON:g} these were published",
                ("", *(f"{k}" for k in range(1, BETS + 1))),
                [
                    ("published", *(f"{value:.1f}" for value in values[0])),
                    ("with or without?", *[""] * BETS),
                ],
            ),
        ),
        tasks=(
            Task(
                "Guess for each of the ten whether you were in the class. Your teacher has the answers: how many did "
                "you get right?",
                f"{answers}. The nearer of {truth} and {truth + 1} is right {int((nearer == sides).sum())} times; in "
                f"the long run {percent(chance('laplace', EPSILON))}, and nobody beats {percent(cap(EPSILON))}.",
            ),
            Task(
                "The mean size of Laplace noise is Δ/ε. Give it for this count at ε = 0.1, 1 and 5.",
                "10, 1 and 0.2: one student moves the count by Δ = 1.",
            ),
            Task(
                "Give Δ for: the number of coffee drinkers; the table of drink by year; the sum of the ages, of people "
                "up to 120 years.",
                "1; 1, since a student is in one cell; 120.",
            ),
            Task(
                "The count is published again each day at ε = 0.1. On which day may a guesser be right in 73%?",
                f"On the tenth: the costs add up to 1, and e^1/(1 + e^1) = {percent(cap(1.0))}.",
            ),
        ),
    )
