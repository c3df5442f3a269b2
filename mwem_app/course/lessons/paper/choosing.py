"""The lesson Choosing, on paper: the chances of five candidates, computed by hand."""

import numpy as np

from mwem_app.base import percent
from mwem_app.course.lessons.choosing import LOW, QUESTIONS
from mwem_app.course.lessons.paper.figures import bars
from mwem_app.course.lessons.paper.sheet import Data, Figure, Sheet, Task
from mwem_app.course.numbers.choosing import law, surprises
from mwem_app.inputs import load_sample


def sheet(_seed: int) -> Sheet:
    """The five guesses of the lesson. Nothing here is drawn."""
    scores = surprises(load_sample("Class survey"), list(QUESTIONS.values()))
    chances, double = law(scores, epsilon=LOW), law(scores, epsilon=2 * LOW)
    weights = np.exp(LOW * (scores - scores.max()) / 2)
    names = list(QUESTIONS)
    best = int(scores.argmax())

    def each(values) -> str:
        return ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))

    return Sheet(
        question="How does one name the worst of five guesses, without giving any student away?",
        parts=(
            Figure(
                "By how many students each guess is off: its score",
                bars(
                    [name.replace(" ", "\n", 1) for name in names],
                    {"score": scores},
                    label="The scores of five guesses",
                    height=190,
                ),
            ),
            Data(
                f"Chances at ε = {LOW:g}, with Δ = 1",
                ("", "score s", "s − best", "e^(ε (s − best)/2)", "chance", "the same at 2ε"),
                [(name, f"{score:.0f}", "", "", "", "") for name, score in zip(names, scores, strict=True)],
            ),
        ),
        tasks=(
            Task(
                "Fill in the table. The chances are the fourth column, divided by its sum.",
                f"e^(…): {each(f'{w:.2f}' for w in weights)}. Chances: {each(map(percent, chances))}. At 2ε: "
                f"{each(map(percent, double))}.",
            ),
            Task(
                "How much larger must a score be to make a candidate e = 2.7 times as likely?",
                f"2Δ/ε = {2 / LOW:g} students.",
            ),
            Task(
                "One student more can raise one score by 1 and lower all others by 1. By which factor does the chance "
                f"of “{names[best]}” change at most? What would it be without the 2 in the formula?",
                f"By at most e^ε = {np.exp(LOW):.3f}; without the 2, up to e^2ε = {np.exp(2 * LOW):.3f}.",
                lines=2,
            ),
        ),
    )
