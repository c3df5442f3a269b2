"""The lesson Reweighting: multiplicative weights by hand, why it must end, and what noise does to it."""

import math
from collections.abc import Iterator

import numpy as np
import streamlit as st

from mwem_app.course.blocks import (
    Block,
    Caption,
    Drawing,
    Exercise,
    Formula,
    Heading,
    PredictNumber,
    Reveal,
    Text,
)
from mwem_app.course.reweighting import reweighting_numbers as numbers
from mwem_app.course.sheet import Data, Figure, Task, bars
from mwem_app.inputs import load_sample
from mwem_core.privacy import Seeded

COFFEE = 0
MULTIPLES, START = range(17), 4  # of the paper's step
MOST_UPDATES = 12
EPSILONS, ROUNDS, DRAWS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0), 10, 6


@st.cache_data(max_entries=100, show_spinner=False)
def noisy(seed: int) -> dict[str, np.ndarray]:
    """Ψ, the most that is promised, and the misses of the measurements: (draws, ε, updates) each."""
    B, Q = numbers.eight_cells(load_sample("Class survey")), numbers.six_questions()
    runs = [
        [numbers.course(B, Q, ROUNDS, epsilon=epsilon, noise=Seeded(seed + i)) for epsilon in EPSILONS]
        for i in range(DRAWS)
    ]
    fields = ("potential", "promise", "noise")
    psi, promise, missed = (np.array([[[getattr(s, f) for s in run] for run in draw] for draw in runs]) for f in fields)
    return {"potentials": psi, "promised": psi[..., :1] - promise.cumsum(axis=-1), "missed": missed[..., 1:]}


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the draws of a seed."""
    B, Q = numbers.eight_cells(load_sample("Class survey")), numbers.six_questions()
    truth, exact, masks, n = B.marginal((0, 1, 2)).ravel(), Q.answers(B), numbers.counted_cells(Q), B.total
    first = numbers.uniform_state(B, Q)
    table = {"rows": numbers.ROWS, "columns": numbers.COLUMNS, "truth": truth}

    yield Text(
        f"B is a class of {n} in eight cells. Our table A starts with {n / 8:g} in each. We ask the class one "
        f"question: **{exact[COFFEE]:.0f}** drink coffee, and A says {first.answers[COFFEE]:.0f}. So multiply the "
        f"coffee cells by one factor, and scale everything back to {n}. **Drag the push.**"
    )
    pushed = numbers.pushes(B, Q, COFFEE, MULTIPLES)
    yield Drawing(
        "reweighting",
        {
            **table,
            "mask": masks[COFFEE],
            "name": numbers.QUESTIONS[COFFEE],
            "exact": exact[COFFEE],
            "multiples": list(MULTIPLES),
            "start": START,
            "factors": pushed.factors,
            "tables": pushed.cells,
            "answers": pushed.answers,
            "potentials": pushed.potentials,
        },
        key="push",
    )
    symbols = {
        "A": f"our table: counts of the eight cells, {n} in all. It starts uniform.",
        "B": "the private table: the class.",
        "q": "a question: q(x) is 1 in the cells it counts and 0 elsewhere; q(A) is the count that A gives.",
        "x": "a cell.",
        "m": "the measured answer: q(B) here, q(B) plus noise in MWEM.",
        "n": f"the number of students, {n}.",
        "Ψ": "how far A is from B: Σ B/n · ln(B/A), the relative entropy. It is 0 if A = B, and never negative.",
    }
    yield Formula("{A}({x}) ∝ {A}({x}) · exp({q}({x}) ({m} − {q}({A})) / 2{n})", symbols, key="update")
    yield Formula("{Ψ} falls by at least (({q}({A}) − {q}({B})) / 2{n})²", symbols, key="fall")
    yield Text(
        "This step, 1 × above, is short: it lowers Ψ by the amount promised **whatever the class is**. A longer "
        "push may do better, and too long a push makes Ψ rise."
    )

    worst, halfway, allowed = numbers.halving(B, Q)
    half = worst / 2
    yield PredictNumber(
        f"A's worst answer is off by {worst:.0f} students. Always update by the question that is answered worst. After "
        f"how many updates is no answer off by more than {half:.0f}?",
        1,
        allowed,
    )
    answer = Text(
        f"**After {halfway} updates.** An error above {half:.0f} promises a fall of more than ({half:.0f}/{2 * n})² = "
        f"{numbers.least_fall(half, n):.4f}. Ψ starts at {first.potential:.2f} and is never below 0, so at most "
        f"**{allowed}** updates can meet one: large errors must end, whatever the class is. Pick a question, say how "
        "far Ψ will fall, and update."
    )
    by_hand = Drawing(
        "reweighting_hand",
        {"truth": truth, "names": numbers.QUESTIONS, "masks": masks, "exact": exact, "n": n, "limit": MOST_UPDATES},
        key="hand",
    )
    with_noise = [
        Heading("With noise"),
        Formula(
            "{Ψ} falls by at least (({q}({A}) − {q}({B})) / 2{n})² − (({m} − {q}({B})) / 2{n})²",
            symbols,
            key="noisy_fall",
        ),
        Text(
            "MWEM measures with Laplace noise. A measurement that misses pushes A to a wrong place, and the promise "
            "shrinks. Below, each round measures the worst question, found without noise. **Drag ε:** when the noise "
            "is larger than the error, nothing is promised."
        ),
        Drawing(
            "reweighting_noise",
            {"epsilons": EPSILONS, "start": EPSILONS.index(0.05), "rounds": ROUNDS, **noisy(seed)},
            key="noise",
        ),
    ]
    closed = Caption("Two more scenes, by hand and with noise, open with your prediction.")
    yield Reveal([answer, by_hand, *with_noise], before=[closed])

    psi, off, people = 0.3, 40, 200
    fall = numbers.least_fall(off, people)
    most = round(psi / fall)
    yield Exercise(
        f"Ψ is {psi} and n = {people}. In each round the worst question is off by {off} or more, and is measured "
        "exactly. How many such rounds can there be at most?",
        {
            f"{most}": f"Each lowers Ψ by at least ({off}/{2 * people})² = {fall:g}, and Ψ stays at 0 or above: "
            f"{psi}/{fall:g}.",
            f"{most // 4}": f"That divides by ({off}/{people})²: the promise has 2n = {2 * people} below, not n.",
            f"{round(psi / (off / (2 * people)))}": f"That divides by {off}/{2 * people}: the promise is its square.",
            "There is no limit": "Each round takes a piece of Ψ that cannot come back, and Ψ is never negative.",
        },
        right=f"{most}",
    )


PICKS = 0, 1  # coffee, then first year


def sheet(_seed: int) -> Iterator[Data | Figure | Task]:
    """The lesson on paper: the eight cells of the class. Nothing here is drawn."""
    B, Q = numbers.eight_cells(load_sample("Class survey")), numbers.six_questions()
    states, exact, masks, n = numbers.by_hand(B, Q, PICKS), Q.answers(B), numbers.counted_cells(Q), B.total
    names = [f"{row}, {column}" for row in numbers.ROWS for column in numbers.COLUMNS]
    short = [
        f"{row}\n{column.split(', ')[0]}\n{column.split(', ')[1]}" for row in numbers.ROWS for column in numbers.COLUMNS
    ]
    factors = [math.exp((exact[j] - state.answers[j]) / (2 * n)) for j, state in zip(PICKS, states[:-1], strict=True)]
    first, second = (numbers.QUESTIONS[j] for j in PICKS)

    def cells(k: int) -> str:
        return ", ".join(f"{value:.1f}" for value in states[k].cells)

    yield Data(
        f"A class of {n} in eight cells: our table A, and which cells each question counts (●)",
        ("cell", "A₀", *numbers.QUESTIONS, "A₁", "A₂"),
        [
            (name, f"{states[0].cells[x]:g}", *("●" if mask[x] else "" for mask in masks), "", "")
            for x, name in enumerate(names)
        ]
        + [("measured", f"{n}", *(f"{value:.0f}" for value in exact), f"{n}", f"{n}")],
    )
    yield Figure(
        "The class B, which A does not know, beside A₀",
        bars(
            short,
            {"B": B.marginal((0, 1, 2)).ravel(), "A₀": states[0].cells},
            label="Counts of eight cells in B and in the uniform table",
            height=200,
        ),
    )
    yield Task(
        f"Update A₀ by “{first}”: m = {exact[PICKS[0]]:.0f}. Multiply the cells that it counts by e^((m − q(A))"
        f"/2n), then scale all to {n}. Write A₁.",
        f"Factor {factors[0]:.4f}; A₁ = {cells(1)}.",
        lines=2,
    )
    yield Task(
        f"Update A₁ by “{second}”, m = {exact[PICKS[1]]:.0f}, and write A₂.",
        f"Factor {factors[1]:.4f}; A₂ = {cells(2)}.",
        lines=2,
    )
    yield Task(
        f"Is “{first}” nearer to its measured answer in A₂ than in A₀?",
        f"Yes: {states[0].answers[0]:.1f}, then {states[1].answers[0]:.1f} and {states[2].answers[0]:.1f}, "
        f"for {exact[0]:.0f}. The step is short, so it does not arrive.",
    )
    yield Task(
        "By how much does the first update lower Ψ at least? Ψ starts at "
        f"{states[0].potential:.3f}: how many updates as good as this can there be?",
        f"By {numbers.least_fall(abs(states[1].error), n):.4f}, so at most "
        f"{states[0].potential // numbers.least_fall(abs(states[1].error), n):.0f}.",
    )
