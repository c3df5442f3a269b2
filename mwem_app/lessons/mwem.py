"""The lesson MWEM: Figure 1, one line at a time."""

from collections.abc import Iterator
from functools import partial

from mwem_app.learn.blocks import (
    Block,
    Drawing,
    Exercise,
    Formula,
    Heading,
    Lamp,
    Once,
    OnRun,
    PredictNumber,
    Switch,
    Text,
)
from mwem_app.lessons.watched import EXAMPLES, T, board, example, runs
from mwem_core.lessons import mwem

ABOUT = {
    "Class survey": "**200 students** answered three questions. Each cell of the three tables below is a query: *how "
    "many students are in it?* The model A starts with everyone spread evenly. In each round, MWEM picks one query, "
    "measures it with noise, and corrects A. **Drag ε**, then step through a run and bet which query it picks next.",
    "Adult": "**48,842 people**, eight attributes. A query is now a whole table of two attributes, and a round "
    "measures all of its cells (section 3.3 of the paper). The score of a table is its error less its number of cells. "
    "With so many people, a far smaller ε will do: from ε = 0.1 on, the worst table wins almost every time.",
}
FAMILIES = {"Class survey": "Marginals", "Adult": "Cuboids"}  # of the page Run
CHECKED_ROUNDS = 4
FREE = "Nothing: the update reads A and the measurements, never the private table."


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the run of a seed."""
    yield Switch("Table", "mwem_table", {title: partial(_rounds, title, seed) for title in EXAMPLES})

    (B, Q), survey = example("Class survey"), EXAMPLES["Class survey"]
    yield Heading("Where the chances come from")
    yield Formula(
        "Pr[{qᵢ}] ∝ exp({ε} · |{qᵢ}({Aᵢ₋₁}) − {qᵢ}({B})| / 4{T})",
        {
            "qᵢ": "the query chosen in round i. None is chosen twice here.",
            "ε": "the budget of the whole run.",
            "Aᵢ₋₁": "the model before round i. Its gap to the truth is the score of a query.",
            "B": "the private table. Only selecting and measuring read it.",
            "T": f"the number of rounds, {T} here. A round has ε/T: one half of it selects, the other measures.",
        },
        key="selection",
    )
    yield Text(
        f"A gap that is 10 students larger makes a query e^(10ε/4T) times as probable: 12 times at ε = 8 and T = {T}, "
        "but only 1.4 times at ε = 1. Where ε is small, chance decides."
    )
    yield PredictNumber(
        f"Someone knows both tables and always bets on the most probable query. Of the {T} choices of a run at "
        f"ε = {survey.start:g}, how many does this bettor win on average?",
        0,
        T,
    )
    wins = {run.epsilon: run.best_bets for run in runs("Class survey", seed)}
    blind = sum(1 / (Q.size - i) for i in range(T))
    answer = Text(
        f"**{wins[survey.start]:.1f} of {T}** along this run. No one can win more, as the choices are random: if the "
        f"worst query always won, one student could decide which it is. At ε = 16 it is {wins[16]:.1f}, at ε = 1 only "
        f"{wins[1]:.1f}. Blind bets win {blind:.1f}. The tables above now show the chance of every query: step again."
    )
    yield Once([answer])

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
    law = mwem.check(B, Q, epsilon=survey.start, T=CHECKED_ROUNDS, seed=seed)
    yield Lamp(
        law,
        f"A run of {CHECKED_ROUNDS} rounds at ε = {survey.start:g} was repeated with one student more. At the noise in "
        f"use, what this student moves costs ε = {law.measured:.2f}, and the purse holds {law.limit:.2f}. The number "
        "of students is public, as in the paper.",
    )


def _rounds(title: str, seed: int) -> list[Block]:
    """A run on a table, step by step, and the same on the page Run."""
    start, drawing = (
        EXAMPLES[title].start,
        Drawing(
            "mwem", board(title, seed), key=f"mwem_{title.split()[0].lower()}", until={"runs": {"probabilities": None}}
        ),
    )
    return [Text(ABOUT[title]), drawing, OnRun(title, FAMILIES[title], 2, "mwem-paper", start, T, seed)]
