"""The lesson MWEM: one round at a time, where its budget goes, why it replays, and how rows come from its model."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.base import percent
from mwem_app.course.blocks import (
    Block,
    Caption,
    Drawing,
    Exercise,
    Formula,
    Heading,
    PredictNumber,
    Reveal,
    RunLink,
    Text,
)
from mwem_app.course.choosing import law
from mwem_app.course.lesson import stored_trials
from mwem_app.course.mwem import mwem_numbers as numbers
from mwem_app.course.mwem.mwem_numbers import EPSILON, T
from mwem_app.course.mwem.mwem_runs import SURVEY, example, first_round, game, runs
from mwem_app.course.sheet import Data, Figure, Task, bars
from mwem_app.inputs import load_sample
from mwem_core.model import LogLinear, Measurement, update
from mwem_core.privacy import Seeded, mechanisms
from mwem_core.relatives import STEP
from mwem_core.workload import parse_workload

PAIR = 0, 1  # the attributes of the sheet's table
FREE = "Nothing: the update reads A and the measurements, never the private table."


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the run of a seed."""
    B, Q = example()

    yield Text(
        f"Each of these {Q.size} cells is a query: *how many of the **{B.total} students** are in it?* MWEM's model A "
        "starts even. You see the truth B; MWEM does not. **Tap the cell that it will ask about, then step.**"
    )
    yield Drawing("mwem", first_round(seed), key="mwem_round")

    yield Heading("Where the chances come from")
    yield Formula(
        "Pr[{qᵢ}] ∝ exp({ε} · |{qᵢ}({Aᵢ₋₁}) − {qᵢ}({B})| / 4{T})",
        {
            "qᵢ": "the query chosen in round i. None is chosen twice here, as its measurement is used again anyway.",
            "ε": "the budget of the whole run.",
            "Aᵢ₋₁": "the model before round i. Its gap to the truth is the score of a query.",
            "B": "the private table. Only selecting and measuring read it.",
            "T": f"the number of rounds, {T} here. A round has ε/T: one half of it selects, the other measures.",
        },
        key="selection",
    )
    yield Text(
        f"A gap that is 10 students larger makes a query e^(10ε/4T) times as probable: 12 times at ε = 8 and T = {T}, "
        "but only 1.4 times at ε = 1."
    )
    yield PredictNumber(
        f"Someone knows both tables and always bets on the most probable query. Of the {T} choices of a run at "
        f"ε = {EPSILON:g}, how many does this bettor win on average?",
        0,
        T,
    )
    wins = {each.epsilon: each.best_bets for each in runs(seed)}
    blind = sum(1 / (Q.size - i) for i in range(T))
    answer = Text(
        f"**{wins[EPSILON]:.1f} of {T}** along this run. No one can win more, as the choices are random: if the "
        f"worst query always won, one student could decide which it is. At ε = 16 it is {wins[16]:.1f}, at ε = 1 only "
        f"{wins[1]:.1f}. Blind bets win {blind:.1f}."
    )
    whole = [
        Heading("The whole run"),
        Text(
            "Bet before each round; what you have seen is no bet. Then **drag ε**. In every round the candidates "
            "darken with their chance."
        ),
        Drawing("mwem", game(seed), key="mwem_class"),
        Caption(
            "On Run, read the same three things. **Error by round** against *uniform*, which has read nothing: above "
            "that line a run was worth no ε. The **bar** below it: violet selects, blue measures. **Score** and "
            "**chance** of every candidate: amber is read from B, so only you may see it."
        ),
        RunLink(SURVEY, "Marginals", 2, "mwem-paper", EPSILON, T, seed),
    ]
    closed = Caption(f"The other {T - 1} rounds open once your prediction is locked in.")
    yield Reveal([answer, *whole], before=[closed])

    yield Heading("Why half of every round?")
    at = numbers.share_effects(stored_trials("halves", numbers.Trial), B, Q)
    yield Text(
        f"Costs add up, and no round is known to matter more, so each of the {T} has ε/{T}. **Drag the share of it "
        "that measures.** More of it makes answers clear, but leaves the choice to chance: MWEM then asks about cells "
        "that were right already."
    )
    yield Drawing("mwem_halves", _shares(at, runs(seed)[0].misplaced[0]), key="mwem_halves", until={"chance": None})
    yield Text(
        f"The error is least at {percent(at.best)} here, {percent(at.mean.min())} of the students, and flat around it. "
        "The paper takes one half. A fixed share needs no look at the data."
    )

    yield Heading("Why sweep again?")
    yield Text(
        f"These are the {T} measurements of another run. One update is a short step, and it moves what earlier ones "
        "had set. **Drag the number of sweeps over all of them**: A walks to what was *measured*, as far as one "
        "table can, and not to the truth."
    )
    yield Drawing("mwem_sweeps", _sweep_data(seed), key="mwem_sweeps")

    yield Heading("From A to rows")
    drawn = _row_data(seed)
    yield Text(
        f"A holds expected numbers, such as {B.total * drawn['expected'][0]:.1f} of {B.total} students, and no "
        "student. Every cell gets its expected number of rows, rounded up or down at random. **Drag the number of "
        "rows**, and draw again. This reads A alone, so rows cost nothing, and there may be more of them than students."
    )
    yield Drawing("mwem_rows", drawn, key="mwem_rows")

    yield Exercise(
        "A run has ended and its purse is empty. Then you sweep the update a thousand times more over the same "
        "measurements, and publish the new table. What does that cost?",
        {
            "A thousand times as much: every sweep is a step of the algorithm.": "Watch the purse while you step: no "
            "update takes anything from it. A step costs something only if it reads the private table B.",
            "One more ε, because one more table is published.": "Whoever has the measurements can compute this table. "
            "It tells nothing that they did not tell, and they are paid for.",
            "Half of ε, as much as all measurements did.": "Measuring again would cost that, as it draws fresh noise "
            "on B. A sweep takes the measurements as they are.",
            FREE: "Only select and measure read B, and each costs ε/2T in every round. Whatever is computed from their "
            "outputs is free.",
        },
        right=FREE,
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _another(seed: int) -> numbers.ObservedRun:
    """A run other than the one to bet on, whose choices this one must not show."""
    return numbers.watch(*example(), epsilon=EPSILON, T=T, noise=Seeded(seed + 1))


def _shares(at: numbers.ShareEffects, uniform: float) -> dict[str, Any]:
    columns = {"noise": at.noise, "chance": at.chance, "mean": at.mean, "low": at.low, "high": at.high}
    return {
        "shares": numbers.SHARES,
        "seeds": numbers.SEEDS,
        "epsilon": EPSILON,
        "T": T,
        "uniform": uniform,
        **{name: values.round(4) for name, values in columns.items()},
    }


@st.cache_data(max_entries=64, show_spinner=False)
def _sweep_data(seed: int) -> dict[str, Any]:
    (B, Q), run = example(), _another(seed)
    after = numbers.sweep_effects(run, B, Q)
    return {
        "seed": seed,
        "sweeps": numbers.SWEEPS,
        "names": [", ".join(part.split(" = ")[1] for part in Q.query(j)[2].split(", ")) for j in run.chosen],
        "truth": Q.answers(B)[run.chosen],
        "measured": np.round(run.noisy_answers, 1),
        "answers": after.answers.round(1),
        "misplaced": after.misplaced.round(4),
    }


@st.cache_data(max_entries=64, show_spinner=False)
def _row_data(seed: int) -> dict[str, Any]:
    domain = example()[0].domain
    drawn = numbers.rows(_another(seed).A, domain, np.random.default_rng(seed))
    first, *others = domain.attributes
    return {
        "seed": seed,
        "rows": numbers.COUNTS,
        "expected": drawn.expected.round(4),
        "counts": drawn.counts,
        "first": drawn.first,
        "labels": [attribute.labels for attribute in domain.attributes],
        "groups": [f"{label} {first.name}" for label in first.labels],
        "title": f"cells: by {first.name}, {', '.join(each.name for each in others)}",
    }


def sheet(seed: int) -> Iterator[Data | Figure | Task]:
    """The lesson on paper: the first round of a run that asks for the cells of one table, with draws of its own."""
    survey = load_sample(SURVEY)
    names = [survey.domain.names[a] for a in PAIR]
    small = survey.project(names)
    n, each = small.total, EPSILON / (2 * T)
    Q = parse_workload("marginals:2", small.domain)
    A, exact = LogLinear.uniform(small.domain.shape, n), Q.answers(small)
    gaps = np.abs(A.answers(Q) - exact)
    chances, noise = law(gaps, epsilon=each), Seeded(seed)
    j = mechanisms.exponential(gaps, epsilon=each, sensitivity=1, noise=noise)
    attrs, q, _ = Q.query(j)
    m = float(mechanisms.laplace(np.asarray(exact[j]), epsilon=each, sensitivity=1, noise=noise)[0])
    after = update(A, Measurement(attrs, np.asarray(m), 1 / each, q), STEP).answers(Q)
    rows, columns = (small.domain.attributes[a].labels for a in (0, 1))
    cells = [(row, column) for row in rows for column in columns]
    label, worst = ", ".join(cells[j]), ", ".join(cells[int(gaps.argmax())])
    other = next(value for i, value in enumerate(after) if i != j)
    yield Data(
        f"{n} students by {names[0]} and {names[1]}. A₀ is uniform; B is private",
        ("cell", "A₀", "B", "gap", "A₁"),
        [
            (f"{row}, {column}", f"{a:.1f}", f"{b:.0f}", "", "")
            for (row, column), a, b in zip(cells, A.answers(Q), exact, strict=True)
        ],
    )
    yield Figure(
        "The same: A₀ beside B. What reads B is made from private data: do not publish",
        bars(
            [f"{row}\n{column}" for row, column in cells],
            {"A₀": A.answers(Q), "B": exact},
            label="Counts of nine cells in the model and in the private table",
            height=190,
        ),
    )
    yield Task(
        f"A run has ε = {EPSILON:g} and T = {T} rounds; half selects, half measures. What does one selection "
        "cost, and what is the mean size of the noise of a measurement?",
        f"ε/2T = {each:g}, and 2T/ε = {1 / each:g} students.",
    )
    yield Task(
        "Write the gaps. Which cell is the most probable choice, and how many times as probable is it as one "
        "whose gap is 10 smaller?",
        f"“{worst}”, with {percent(float(chances.max()))}; e^(10ε/4T) = {np.exp(10 * each / 2):.1f} times.",
    )
    yield Task(
        f"“{label}” was chosen, and m = {m:.1f} was measured. Write A₁: multiply this cell by "
        f"e^((m − q(A))/2n), and scale all nine to {n}.",
        f"Factor {np.exp((m - n / len(cells)) / (2 * n)):.4f}: {after[j]:.2f}, and {other:.2f} in all others.",
        lines=2,
    )
    yield Task(
        "Underline what reads B: computing gaps, selecting, measuring, the factor, scaling, drawing rows of A.",
        "Gaps, selecting and measuring. The gaps stay inside the selection, and nothing else costs anything.",
    )
