"""The lesson Choosing: the exponential mechanism, its factor of two, and a better chooser at the same price."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import streamlit as st

from mwem_app.base import percent
from mwem_app.course.blocks import Block, Caption, Drawing, Exercise, Formula, Heading, PredictNumber, Reveal, Text
from mwem_app.course.exercises import CurveExercise, Part
from mwem_app.course.sheet import Data, Figure, Task, bars
from mwem_app.inputs import load_sample
from mwem_core.domain import Records
from mwem_core.model import LogLinear
from mwem_core.privacy import NoiseSource, Seeded, Witness, mechanisms
from mwem_core.workload import predicates

SPINS = 200


def surprises(survey: Records, questions: Sequence[str]) -> np.ndarray:
    """|q(B) - q(A_0)| of each question, (questions,), in whole records: how wrong the uniform table A_0 is.

    q(A_0) is rounded to a whole number, so one record moves each score by at most 1.
    """
    Q = predicates(survey.domain, questions)
    guesses = np.rint(Q.answers(LogLinear.uniform(survey.domain.shape, survey.total)))
    return np.abs(Q.answers(survey) - guesses)


def law(scores: np.ndarray, *, epsilon: float, select: Callable[..., int] = mechanisms.exponential) -> np.ndarray:
    """The probability of each candidate under a selection mechanism with Δ = 1: (candidates,) -> (candidates,)."""
    witness = Witness(Seeded(0))
    select(scores, epsilon=epsilon, sensitivity=1.0, noise=witness)
    return witness.probabilities()


def gap_odds(gap: float, *, epsilon: float, sensitivity: float) -> float:
    """How many times as likely the exponential mechanism takes a candidate as one whose score is `gap` lower."""
    witness = Witness(Seeded(0))
    mechanisms.exponential(np.array([gap, 0.0]), epsilon=epsilon, sensitivity=sensitivity, noise=witness)
    leader, other = witness.probabilities()
    return float(leader / other)


def uniforms(count: int, noise: NoiseSource) -> np.ndarray:
    """Independent uniform draws on (0, 1): Laplace draws put through their distribution function."""
    z = noise.laplace(np.zeros(count), 1.0, 1.0)
    tail = np.exp(-np.abs(z)) / 2
    return np.where(z < 0, tail, 1 - tail)


def wins(probabilities: np.ndarray, spins: np.ndarray) -> np.ndarray:
    """How often each candidate is chosen if each spin, a uniform draw, inverts the cumulative law: (candidates,)."""
    cumulative = np.cumsum(probabilities)
    chosen = np.searchsorted(cumulative / cumulative[-1], spins, side="right")
    return np.bincount(chosen, minlength=len(probabilities))


QUESTIONS = {
    "sleep 6 to 8 h": 'sleep == "6 to 8 h"',
    "sleep under 6 h": 'sleep == "under 6 h"',
    "third year": 'year == "third"',
    "drink coffee": 'drink == "coffee"',
    "drink neither": 'drink == "neither"',
}
EPSILONS = 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0
LOW, DOUBLE, HIGH = 0.1, 0.2, 1.0
SETS = 10  # of spins, one for each press of the button
CLOSE = 12, 10, 10, 9, 9  # scores of a close race
OFF = 30, 10, 10, 10, 10  # scores of the exercise in which a curve is drawn
CURVE_EPSILONS = tuple(round(0.05 * i, 2) for i in range(1, 11))  # its ε


@st.cache_data(max_entries=100, show_spinner=False)
def points(seed: int) -> np.ndarray:
    """The points of the spins at this seed, a row for each press of the button."""
    return uniforms(SETS * SPINS, Seeded(seed)).reshape(SETS, SPINS)


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the draws of a seed."""
    survey = load_sample("Class survey")
    scores = surprises(survey, list(QUESTIONS.values()))
    spins = points(seed)
    bench = {"names": list(QUESTIONS), "scores": scores, "high": 60, "epsilon": LOW, "epsilons": EPSILONS}
    best = int(scores.argmax())
    leader = list(QUESTIONS)[best]

    yield Text(
        f"Before we see the answers of a class of {survey.total}, we guess that all answers to a question are "
        "equally common. **Which guess is furthest off?** To name it without giving anyone away, draw it at random: "
        "the larger its score, the likelier. **Drag a score.**"
    )
    yield Drawing("choosing", {**bench, "scene": "start"}, key="start")
    yield Formula(
        "Pr[{j}] ∝ exp({ε} {s}ⱼ / 2{Δ})",
        {
            "j": "a candidate: here, a guess.",
            "ε": f"the privacy budget of this choice: {LOW} above.",
            "s": "the score: here, how many students the guess is off by.",
            "Δ": "the most by which one student can move a score: here 1, for some candidates up and for others down.",
        },
        key="exponential",
    )
    yield Text(
        "This is the **exponential mechanism**. Only the gap between two scores counts: each extra "
        f"{2 / LOW:g} students (2Δ/ε) make a candidate e = 2.7 times as likely."
    )

    yield PredictNumber(
        f"Now ε doubles, from {LOW} to {DOUBLE}, and the mechanism chooses {SPINS} times, with the scores "
        f"as they were at first. How often does it choose “{leader}”?",
        0,
        SPINS,
    )
    doubled = law(scores, epsilon=DOUBLE)
    answer = Text(
        f"Its probability grows from {percent(law(scores, epsilon=LOW)[best])} to {percent(doubled[best])}, not "
        f"to twice as much: every ratio is squared. In the first {SPINS} spins it is chosen "
        f"**{wins(doubled, spins[0])[best]}** times. A spin is a random point on the strip. **Spin, then drag ε.**"
    )
    spin = {**bench, "scene": "spin", "epsilon": DOUBLE, "spins": spins.round(5)}
    close = {**bench, "scores": CLOSE, "high": 30, "epsilon": HIGH}
    slip = [
        Heading("Why divide by two?"),
        Text(
            "Knowing only Δ, we must expect a person who raises one score by Δ and lowers all others by Δ: a gap "
            "changes by 2Δ. Whoever forgets the 2 spends twice the ε that they promise. Below is a close race. "
            "**Switch, then try to turn the lamp red with the right formula.**"
        ),
        Drawing("choosing", {**close, "scene": "slip"}, key="slip"),
    ]
    flip = [
        Heading("A better chooser at the same price"),
        Text(
            "**Permute-and-flip** visits the candidates in random order and takes one with probability "
            "exp(ε (s − best score) / 2Δ); otherwise it goes on. It is as private, and never worse on average. "
            "**Drag ε** until the two agree."
        ),
        Drawing("choosing", {**close, "scene": "flip"}, key="flip"),
    ]
    closed = Caption("Two more scenes, on the 2 in the formula and on a better chooser, open with your prediction.")
    yield Reveal([answer, Drawing("choosing", spin, key="spin"), *slip, *flip], before=[closed])

    right, slipped = (gap_odds(20, epsilon=0.1, sensitivity=delta) for delta in (1, 0.5))
    yield Exercise(
        "Two candidates score 30 and 10. ε = 0.1 and Δ = 1. How many times as likely is the first, by the exponential "
        "mechanism?",
        {
            "3 times": "That is the ratio of the scores. Only their gap counts: 130 and 110 have the same odds.",
            f"{right:.1f} times": "The gap is 20, and exp(0.1 · 20 / 2) = e: one e for every 2Δ/ε = 20 students.",
            f"{slipped:.1f} times": "That is exp(0.1 · 20) = e², without the 2. It spends ε = 0.2, not 0.1.",
            "It is always chosen": "Then one student who changes the order would change the choice for sure. The "
            "promise allows only a factor of e^0.1 = 1.1.",
        },
        right=f"{right:.1f} times",
    )
    yield Reveal([_chance_of_the_worst()])


def _chance_of_the_worst() -> CurveExercise:
    """The probability of the guess that is furthest off, against ε, in per cent."""

    def curve(speed: float = 1.0) -> np.ndarray:
        laws = [law(np.array(OFF, float), epsilon=speed * epsilon) for epsilon in CURVE_EPSILONS]
        return np.round([100 * law[0] for law in laws], 1)

    gap, blind = OFF[0] - OFF[1], 100 // len(OFF)
    odds = gap_odds(gap, epsilon=CURVE_EPSILONS[0], sensitivity=1)
    return CurveExercise(
        question=f"Five guesses: one is off by {OFF[0]} students, the other four by {OFF[1]} each. Δ = 1. Draw the "
        "probability that the exponential mechanism names the worst guess, against ε.",
        x="ε",
        y="Probability of the worst guess",
        positions=[f"{epsilon:g}" for epsilon in CURVE_EPSILONS],
        high=100,
        step=2,
        unit="%",
        curve=curve(),
        tolerance=10,
        parts=[
            Part(
                0,
                3,
                right=f"At the left it starts near {blind}%, the share of a blind draw.",
                low=f"Too low at the left: even a blind draw names each guess with {blind}%, and the worst has more.",
                high=f"Too high at the left: at ε = {CURVE_EPSILONS[0]:g} a gap of {gap} students makes the odds "
                f"against each other guess only {odds:.1f} to 1.",
            ),
            Part(
                3,
                6,
                right="In the middle it rises fast.",
                low="Too low in the middle: each further 0.1 of ε multiplies the odds by e = 2.7.",
                high="Too high in the middle: each further 0.1 of ε multiplies the odds by no more than e = 2.7, and "
                "there are four others.",
            ),
            Part(
                6,
                len(CURVE_EPSILONS),
                right="At the right it comes near to 100%, and never reaches it.",
                low="Too low at the right: there the odds are e^3.5 = 33 or more, so the four others have little left.",
                high="Too high at the right: some chance is left to the others, or one student could decide it.",
            ),
        ],
        typical=[
            (
                curve(2),
                "The right shape on a wrong scale: this is the curve without the 2 in the formula. It spends twice the "
                "ε that it promises.",
            ),
            (
                curve(0.5),
                "The right shape on a wrong scale: your curve needs twice the ε. Is the 2 of the formula in it twice?",
            ),
            (
                np.full(len(CURVE_EPSILONS), round(100 * OFF[0] / sum(OFF), 1)),
                "This is near the worst guess's share of all scores, at every ε. Only the gap counts, and ε multiplies "
                "it.",
            ),
        ],
        key="chance_of_the_worst",
    )


def sheet(_seed: int) -> Iterator[Data | Figure | Task]:
    """The lesson on paper: its five guesses. Nothing here is drawn."""
    scores = surprises(load_sample("Class survey"), list(QUESTIONS.values()))
    chances, double = law(scores, epsilon=LOW), law(scores, epsilon=2 * LOW)
    weights = np.exp(LOW * (scores - scores.max()) / 2)
    names = list(QUESTIONS)
    best = int(scores.argmax())

    def each(values) -> str:
        return ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))

    yield Figure(
        "By how many students each guess is off: its score",
        bars(
            [name.replace(" ", "\n", 1) for name in names],
            {"score": scores},
            label="The scores of five guesses",
            height=190,
        ),
    )
    yield Data(
        f"Chances at ε = {LOW:g}, with Δ = 1",
        ("", "score s", "s − best", "e^(ε (s − best)/2)", "chance", "the same at 2ε"),
        [(name, f"{score:.0f}", "", "", "", "") for name, score in zip(names, scores, strict=True)],
    )
    yield Task(
        "Fill in the table. The chances are the fourth column, divided by its sum.",
        f"e^(…): {each(f'{w:.2f}' for w in weights)}. Chances: {each(map(percent, chances))}. At 2ε: "
        f"{each(map(percent, double))}.",
    )
    yield Task(
        "How much larger must a score be to make a candidate e = 2.7 times as likely?", f"2Δ/ε = {2 / LOW:g} students."
    )
    yield Task(
        "One student more can raise one score by 1 and lower all others by 1. By which factor does the chance "
        f"of “{names[best]}” change at most? What would it be without the 2 in the formula?",
        f"By at most e^ε = {np.exp(LOW):.3f}; without the 2, up to e^2ε = {np.exp(2 * LOW):.3f}.",
        lines=2,
    )
