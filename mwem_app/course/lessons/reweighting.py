"""The lesson Reweighting: multiplicative weights by hand, why it must end, and what noise does to it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.course.learn.blocks import (
    Block,
    Caption,
    Dialogue,
    Drawing,
    Exercise,
    Formula,
    Heading,
    Once,
    PredictNumber,
    Text,
)
from mwem_app.course.lessons.eight import COLUMNS, QUESTIONS, ROWS
from mwem_app.course.numbers import reweighting
from mwem_app.course.numbers.eight import counted_cells, eight_cells, six_questions
from mwem_app.inputs import load_sample
from mwem_core.privacy import Seeded

COFFEE = 0
MULTIPLES, START = range(17), 4  # of the paper's step
MOST_UPDATES = 12
EPSILONS, ROUNDS, DRAWS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0), 10, 6


def shown(after: reweighting.State) -> dict[str, Any]:
    """A state for the drawing."""
    return {name: getattr(after, name) for name in ("cells", "answers", "potential", "query", "error", "promise")}


def updated(states: list[reweighting.State]) -> dict[str, Any]:
    """The start and the updates after it, for the drawing."""
    first, *others = map(shown, states)
    return {"start": first, "steps": others}


@st.cache_data(max_entries=100, show_spinner=False)
def noisy(seed: int) -> dict[str, np.ndarray]:
    """Ψ, the most that is promised, and the misses of the measurements: (draws, ε, updates) each."""
    B, Q = eight_cells(load_sample("Class survey")), six_questions()
    runs = [
        [reweighting.course(B, Q, ROUNDS, epsilon=epsilon, noise=Seeded(seed + i)) for epsilon in EPSILONS]
        for i in range(DRAWS)
    ]
    fields = ("potential", "promise", "noise")
    psi, promise, missed = (np.array([[[getattr(s, f) for s in run] for run in draw] for draw in runs]) for f in fields)
    return {"potentials": psi, "promised": psi[..., :1] - promise.cumsum(axis=-1), "missed": missed[..., 1:]}


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the draws of a seed."""
    B, Q = eight_cells(load_sample("Class survey")), six_questions()
    truth, exact, masks, n = B.marginal((0, 1, 2)).ravel(), Q.answers(B), counted_cells(Q), B.total
    first = reweighting.start(B, Q)
    table = {"rows": ROWS, "columns": COLUMNS, "truth": truth}

    yield Text(
        f"B is a class of {n} in eight cells. Our table A starts with {n / 8:g} in each. We ask the class one "
        f"question: **{exact[COFFEE]:.0f}** drink coffee, and A says {first.answers[COFFEE]:.0f}. So multiply the "
        f"coffee cells by one factor, and scale everything back to {n}. **Drag the push.**"
    )
    pushed = reweighting.pushes(B, Q, COFFEE, MULTIPLES)
    yield Drawing(
        "reweighting",
        {
            **table,
            "mask": masks[COFFEE],
            "name": QUESTIONS[COFFEE],
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

    worst, halfway, allowed = reweighting.halving(B, Q)
    half = worst / 2
    yield PredictNumber(
        f"A's worst answer is off by {worst:.0f} students. Always update by the question that is answered worst. After "
        f"how many updates is no answer off by more than {half:.0f}?",
        1,
        allowed,
    )
    answer = Text(
        f"**After {halfway} updates.** An error above {half:.0f} promises a fall of more than ({half:.0f}/{2 * n})² = "
        f"{reweighting.least_fall(half, n):.4f}. Ψ starts at {first.potential:.2f} and is never below 0, so at most "
        f"**{allowed}** updates can meet one: large errors must end, whatever the class is. Pick a question, say how "
        "far Ψ will fall, and update."
    )
    by_hand = Dialogue(
        "reweighting_hand",
        {"truth": truth, "names": QUESTIONS, "masks": masks, "exact": exact, "n": n, "limit": MOST_UPDATES},
        key="hand",
        start=[],
        take=lambda _, sent: [int(j) for j in sent["picks"] if int(j) in range(Q.size)][:MOST_UPDATES],
        tell=lambda picks: updated(reweighting.by_hand(B, Q, picks)),
        held={"start": shown(first)},
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
    yield Once([answer, by_hand, *with_noise], before=[closed])

    psi, off, people = 0.3, 40, 200
    fall = reweighting.least_fall(off, people)
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
