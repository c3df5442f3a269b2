"""The lesson on composition: one purse over four questions, three accounts of one transcript, a release's total."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from mwem_app.course.blocks import Block, Drawing, Exercise, Formula, Heading, PredictNumber, Reveal, RunLink, Text
from mwem_app.course.exercises import NumberExercise
from mwem_app.course.sheet import Data, Figure, Task, curve_grid
from mwem_app.inputs import load_sample
from mwem_core.domain import Records
from mwem_core.mwem import figure_1
from mwem_core.privacy import Ledger, NoiseSource, Seeded, epsilon_of, mechanisms
from mwem_core.workload import Workload, parse_workload


def running_means(counts: Sequence[float], each: float, presses: int, noise: NoiseSource) -> np.ndarray:
    """Means of the first 1 .. `presses` answers to each count, (counts, presses). Each answer is `each`-DP."""
    exact = np.repeat(np.asarray(counts, float)[:, None], presses, axis=1)
    noisy, _ = mechanisms.laplace(exact, epsilon=each, sensitivity=1, noise=noise)
    return np.cumsum(noisy, axis=1) / np.arange(1, presses + 1)


def noise_of_mean(each: float, presses: int) -> np.ndarray:
    """Mean size of the noise, in records, in the mean of the first k = 1 .. `presses` Laplace answers at ε = `each`.

    2 C(2k, k) / 4^k / `each`: the sum of k Laplace draws is the difference of two gamma draws of shape k.
    """
    return np.array([2 * math.comb(2 * k, k) / 4**k / each for k in range(1, presses + 1)])


def noise_at_once(each: float, presses: int) -> np.ndarray:
    """Mean size of the noise, in records, of one Laplace answer at the ε of k = 1 .. `presses`: 1 / (k · `each`)."""
    return 1 / (np.arange(1, presses + 1) * each)


class Totals(NamedTuple):
    """ε of a transcript of 1 .. T rounds, (T,) each, by three accounts; the last two hold with probability 1 - δ."""

    pure: np.ndarray
    k_fold: np.ndarray
    zcdp: np.ndarray


def totals(rounds: int, each: float, delta: float) -> Totals:
    """ε of MWEM's transcript whose 2T mechanisms, T selections and T Laplace measurements, are `each`-DP.

    Pure: the sum. k-fold: √(2k ln(1/δ)) ε + k ε (e^ε - 1) for k = 2T (Dwork & Roth 2014, Theorem 3.20). zCDP: a
    selection costs ρ = ε²/8, a measurement that is ε-DP costs ε²/2 (Bun & Steinke 2016), converted by OpenDP.
    """
    T = np.arange(1, rounds + 1)
    k = 2 * T
    k_fold = np.sqrt(2 * k * math.log(1 / delta)) * each + k * each * math.expm1(each)
    zcdp = [epsilon_of(t * (each**2 / 8 + each**2 / 2), delta) for t in T]
    return Totals(k * each, k_fold, np.array(zcdp))


def ledgers(B: Records, Q: Workload, *, epsilon: float, rounds: int, seed: int) -> list[Ledger]:
    """The ledger of MWEM (Figure 1) at its start and after each round. The run is ε-DP, with n public."""
    settings = figure_1(epsilon=epsilon, T=rounds)
    return [released.ledger for released in settings.rounds(B, Q, noise=Seeded(seed))]


def noise_of_round(B: Records, Q: Workload, *, epsilon: float, rounds: int, seed: int) -> float:
    """Mean size of the noise, in records, in what a round of MWEM (Figure 1) measures: 2T/ε, read off a measurement."""
    settings = figure_1(epsilon=epsilon, T=rounds)
    measurements = (m for released in settings.rounds(B, Q, noise=Seeded(seed)) for m in released.measurements)
    return next(measurements).scale


QUESTIONS = {
    "drink coffee": 'drink == "coffee"',
    "sleep under 6 h": 'sleep == "under 6 h"',
    "are in the first year": 'year == "first"',
    "are in the first year and drink coffee": 'year == "first" and drink == "coffee"',
}
EACH, PRESSES = 0.1, 10
ROUNDS, DELTA, GUESS_T = 100, 1e-6, 50
RUN_EPSILON, RUN_ROUNDS = 1.0, 5
ASKED_EPSILON, ASKED_ROUNDS = 0.5, 10  # of the run that the exercise is about


@st.cache_data(show_spinner=False)
def accounts() -> Totals:
    """They depend on no data and no seed."""
    return totals(ROUNDS, EACH, DELTA)


def counts(survey: Records) -> list[float]:
    """The true counts: the class is made up."""
    return [float(parse_workload(f"where:{where}", survey.domain).answers(survey)[0]) for where in QUESTIONS.values()]


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the draws of a seed."""
    survey = load_sample("Class survey")
    truth = counts(survey)

    yield Text(
        f"Your purse holds ε = {EACH * PRESSES:g}, for four questions about a class of {survey.total}. Each press "
        f"buys one noisy answer at ε = {EACH:g}; answers to the same question are averaged. **Measure, look, measure "
        "again**, until the purse is empty. Beside each answer stands the mean size of its noise."
    )
    yield Drawing(
        "composition",
        {
            "questions": list(QUESTIONS),
            "truth": truth,
            "total": survey.total,
            "each": EACH,
            "means": running_means(truth, EACH, PRESSES, Seeded(seed)).round(1),
            "noise": noise_of_mean(EACH, PRESSES),
            "at_once": noise_at_once(EACH, PRESSES),
        },
        key="purse",
    )
    yield Text(
        "The costs add up over all questions, whatever you saw in between. And planning pays: one answer at ε = 0.5 "
        "errs less than the mean of five answers at ε = 0.1, for the same ε."
    )
    yield Formula(
        "{ε₁} + {ε₂} + … + {εₖ} ≤ {ε}",
        {
            "ε₁": "what the first answer costs.",
            "ε₂": "what the second costs. It may depend on the first answer.",
            "εₖ": "what the last of k answers costs.",
            "ε": "the purse. When it is empty, the table is not asked again: not by you, not by anyone.",
        },
        key="sum",
    )

    yield Heading("Three accounts of one transcript")
    yield Text(
        f"MWEM with T rounds makes 2T private steps: T selections and T measurements. Let each cost ε = {EACH:g}. By "
        f"the sum, {GUESS_T} rounds cost ε = {2 * GUESS_T * EACH:g}. But privacy loss is random, and rarely all "
        "on one side. Two other accounts forgive what happens once in a million times, δ = 10⁻⁶."
    )
    pure, k_fold, zcdp = accounts()
    at = GUESS_T - 1
    yield PredictNumber(
        f"What does zCDP, the least of the three here, say about {GUESS_T} rounds? The sum says ε = {pure[at]:g}.",
        1,
        10,
    )
    answer = Text(
        f"zCDP says ε = **{zcdp[at]:.1f}**, and the older k-fold theorem {k_fold[at]:.1f}, for the same steps with the "
        "same noise. Only the account differs. Drag T: for few rounds the sum is the best."
    )
    yield Reveal([answer])
    first = {"the sum": pure}
    yield Drawing(
        "composition_accounts",
        {"accounts": first | {"k-fold theorem": k_fold, "zCDP": zcdp}, "start": at},
        key="accounts",
        until={"accounts": first},
    )

    yield Heading("A whole release")
    Q = parse_workload("marginals:2", survey.domain)
    ledger = ledgers(survey, Q, epsilon=RUN_EPSILON, rounds=RUN_ROUNDS, seed=seed)[-1]
    yield Text(
        f"This is the ledger of a real run of MWEM on the class, {RUN_ROUNDS} rounds at ε = {RUN_EPSILON:g}: "
        f"**{ledger.select:g}** to select and **{ledger.measure:g}** to measure. Drawing rows from the model, charts "
        "of it and further rounds of fitting read only what was measured: they cost nothing. A second release of "
        "the same table starts where this one ended."
    )
    yield RunLink("Class survey", "Marginals", 2, "figure-1", RUN_EPSILON, RUN_ROUNDS, seed)
    yield Exercise(
        "A school publishes synthetic data of a class at ε = 1, and next year other questions about the same class, "
        "again at ε = 1. What have the two releases cost each student?",
        {
            "ε = 1, as the questions differ.": "Different questions about the same people are answered from the same "
            "records: whoever reads both releases learns from both.",
            "ε = 1, as a year has passed.": "The budget does not refill with time: the first release is still out "
            "there.",
            "ε = 2.": "Whatever the questions and whenever they were asked, the costs add up. With δ > 0, zCDP may "
            "say a little less.",
            "ε = 0.5 each.": "A budget is not divided among those it protects: each student bears all of it.",
        },
        right="ε = 2.",
    )
    yield _noise_of_a_round(survey, Q, seed)


def _noise_of_a_round(survey: Records, Q: Workload, seed: int) -> NumberExercise:
    """How noisy the measurements of a run are, from its ε and T."""
    epsilon, T = ASKED_EPSILON, ASKED_ROUNDS
    right = noise_of_round(survey, Q, epsilon=epsilon, rounds=T, seed=seed)
    return NumberExercise(
        question=f"MWEM runs {T} rounds at ε = {epsilon:g} in all. Each round selects a query and measures it, at "
        "equal cost and with Laplace noise. How large is the noise of one measurement on average?",
        unit="students",
        right=right,
        why=f"{T} rounds take {2 * T} equal slices of the purse, ε/2T = {epsilon / (2 * T):g} each, and the mean noise "
        f"of a count is 1 over its ε: 2T/ε = {right:g}.",
        typical={
            right / 2: "The order of magnitude is right, but a factor of two is missing: a round pays for selecting "
            "too, so only half of what it has measures.",
            right * 2: "This is twice too much: 4T is in the formula that selects, where one score may rise while "
            "another falls. A count moves by 1 only.",
            1 / epsilon: "That is the noise of one answer that takes the whole purse. Here all rounds share it.",
            epsilon / (2 * T): "That is the ε of one measurement. The smaller it is, the larger the noise.",
            2 * T * epsilon: "Multiplied instead of divided: a larger ε would then mean more noise.",
            (2 * T) ** 0.5 / epsilon: "That divides by the square root of the number of slices. The sum divides the "
            "purse by their number.",
        },
        key="noise_of_a_round",
    )


STEPS = range(5, GUESS_T + 1, 5)  # evenly, so that the sum is a straight line


def sheet(_seed: int) -> Iterator[Data | Figure | Task]:
    """The lesson on paper: a purse of ε = 1. Nothing here is drawn."""
    n = load_sample("Class survey").total
    mean, once = noise_of_mean(EACH, PRESSES), noise_at_once(EACH, PRESSES)
    sums, _, zcdp = totals(GUESS_T, EACH, DELTA)
    first = next(T for T in range(1, GUESS_T + 1) if zcdp[T - 1] < sums[T - 1])
    yield Data(
        f"Mean size of the noise for a count of {n} students, by what is paid",
        ("ε paid", *(f"{(k + 1) * EACH:.1g}" if k < PRESSES - 1 else "1" for k in range(PRESSES))),
        [
            (f"mean of answers at {EACH:g}", *(f"{each:.1f}" for each in mean)),
            ("one answer at once", *(f"{each:.1f}" for each in once)),
        ],
    )
    yield Data(
        f"Your plan: what each question gets of ε = {PRESSES * EACH:g}",
        ("question", "ε", "at once, or in how many answers?", "noise"),
        [(question, "", "", "") for question in QUESTIONS],
    )
    yield Figure(
        f"The cost of T rounds whose selection and measurement cost ε = {EACH:g} each, by the sum. Draw what a "
        "tighter account may say",
        curve_grid(
            [f"{T}" for T in STEPS],
            {"sum": [sums[T - 1] for T in STEPS]},
            high=10,
            x="rounds T",
            y="ε",
            label="The sum of the costs over the number of rounds, on a grid to draw on",
            height=230,
        ),
    )
    yield Task(
        "Write your plan into the second table, so that the largest noise is as small as it can be.",
        f"ε = {PRESSES * EACH / len(QUESTIONS):g} each, at once: noise {len(QUESTIONS) / (PRESSES * EACH):g} "
        "for every question.",
    )
    yield Task(
        "Why is one answer better than the mean of several, for the same ε?",
        f"Five at {EACH:g} err by {mean[4]:.1f}, one at {5 * EACH:g} by {once[4]:.1f}: noise of a mean falls "
        "with the root of the number of answers, that of one answer with ε itself.",
    )
    yield Task(
        f"What do {GUESS_T} rounds cost by the sum? Mark what you believe zCDP says, with δ = 10⁻⁶.",
        f"{sums[-1]:g} by the sum; zCDP says {zcdp[-1]:.1f}. It is below the sum from T = {first} on.",
    )
    yield Task(
        "One release at ε = 1 in May, and one at ε = 0.5 in June of other columns: what does each student pay?",
        "1.5: the same people are in both.",
    )
