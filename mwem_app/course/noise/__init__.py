"""The lesson Noise: what one person changes in a table, and what one noisy count tells about one person."""

from collections.abc import Iterator
from typing import Any

from mwem_app.base import percent
from mwem_app.course.blocks import Block, Drawing, Exercise, Formula, Heading, PredictNumber, Reveal, Text
from mwem_app.course.noise import noise_numbers as numbers
from mwem_app.course.sheet import Data, Figure, Task, strips
from mwem_app.inputs import load_sample
from mwem_core.domain import Records
from mwem_core.privacy import cap

EPSILONS = 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0
NAMES = {"laplace": "Laplace", "gaussian": "Gaussian", "discrete": "Discrete"}
ASKED_AT, START = 1.0, 0.5  # ε of the prediction, and of the drawing at first
STUDENTS = 12  # of the table, whom one can leave out
SETS = ("drink",), ("sleep",), ("year", "drink")  # the marginals that are shown
DRAWS, BETS, QUESTIONS, EACH, TEN = 100, 20, 100, 0.1, 10
PAPER_DOTS, PAPER_BETS = 60, 10  # of the sheet
DOUBLING = 0.25, 0.5  # ε of the exercise: not the prediction's, whose answer it would tell


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the draws of a seed."""
    survey = load_sample("Class survey")
    truth = int(survey.marginal((survey.domain.names.index("drink"),))[1]) - 1  # coffee drinkers, one of them is you
    yield Text(
        f"A class answers: *do you drink coffee?* **{truth + 1}** do, and one of them is you. Only a noisy count is "
        f"published. Below are {DRAWS} possible publications with you in the class, and {DRAWS} without you. "
        "**Drag ε**: the smaller it is, the less your presence shows."
    )
    kinds = [
        {
            "name": NAMES[kind],
            "dots": numbers.dots(kind, truth, EPSILONS, count=DRAWS, seed=seed).round(2),
            "chances": [numbers.chance(kind, epsilon) for epsilon in EPSILONS],
            "noise": [numbers.mean_noise(kind, epsilon) for epsilon in EPSILONS],
        }
        for kind in numbers.KINDS
    ]
    yield Drawing(
        "noise",
        {"epsilons": EPSILONS, "start": EPSILONS.index(START), "truth": truth, "kinds": kinds, "closed": None},
        key="noise",
        until={"kinds": {"chances": None}, "closed": EPSILONS.index(ASKED_AT)},
    )

    yield Heading("What one student changes")
    yield Text(
        "Two tables are **neighbours** if one has one record more. How much noise hides a record depends on what one "
        "record can change. Here are counts of the whole survey. **Drag** to leave a student out, and see which counts "
        "move."
    )
    yield Drawing("noise_neighbours", neighbours(survey), key="neighbours")
    yield Text(
        "The most by which one record can move all counts of a question together is its **sensitivity** Δ: 1 for one "
        f"count; 1 for a whole table, as a student is in one of its cells; {len(SETS)} for the {len(SETS)} "
        "tables together. Noise must be that much larger."
    )
    yield Formula(
        "published = count + Laplace noise of mean size {Δ}/{ε}",
        {
            "Δ": "the sensitivity: the most by which one record can move all counts of a question together.",
            "ε": "the privacy budget of the question.",
        },
        key="sensitivity",
    )

    yield Heading("What ε promises")
    yield Formula(
        "Pr[{M}({D}) ∈ {S}] ≤ e^{ε} · Pr[{M}({D′}) ∈ {S}]",
        {
            "M": "the mechanism: count, add noise, publish.",
            "D": "the table with you in it.",
            "D′": "the same table without you: a neighbour of D. The promise holds for any two neighbours.",
            "S": "any set of publications that someone looks for, such as “75 or more”.",
            "ε": "the privacy budget. At ε = 0 your presence changes nothing; e^0.1 = 1.11, e^1 = 2.72, e^5 = 148.",
        },
        key="promise",
    )
    yield PredictNumber(
        f"At ε = {ASKED_AT:g} you will see {BETS} publications, and say for each whether you were in the table. "
        f"How many of the {BETS} does the best guesser get right, on average?",
        0,
        BETS,
    )
    yield Reveal(_bets(truth, seed))

    yield Heading("Ask ten more")
    means = [numbers.chance_of_mean(EACH, count) for count in range(TEN, QUESTIONS + 1, TEN)]
    yield Text(
        f"One answer at ε = {EACH:g} says little. But noise averages out: ask the same question again and again, and "
        f"the mean comes nearer to the count. Whoever guesses by it is right {percent(means[0])} of the time after "
        f"{TEN} answers, and {percent(means[-1])} after {QUESTIONS}; the guarantee allows more. Every answer costs ε, "
        "and the costs add up."
    )
    asked = numbers.dots("laplace", truth, [EACH], count=QUESTIONS, seed=seed + 2)[0, 1]
    caps = [cap(EACH * count) for count in range(TEN, QUESTIONS + 1, TEN)]
    yield Drawing(
        "noise_mean",
        {"answers": asked.round(2), "truth": truth, "each": EACH, "step": TEN, "chances": means, "caps": caps},
        key="mean",
        until={"caps": None},
    )

    before, after = (percent(cap(epsilon)) for epsilon in DOUBLING)
    right = f"The noise halves to 2, and a guesser can be right {after} instead of {before} of the time."
    yield Exercise(
        f"A count is published at ε = {DOUBLING[0]:g}; its noise is 4 on average. Then ε is doubled to "
        f"{DOUBLING[1]:g}, with Laplace noise. What changes?",
        {
            "The noise doubles to 8.": "A larger ε means less noise: drag ε above, and read the noise beside it.",
            "The noise halves to 2, and nothing else changes.": (
                "Less noise always shows more of you: the best chance of a guesser grows too."
            ),
            right: (
                f"The noise is 1/ε. The cap grows from {before} at ε = {DOUBLING[0]:g} to {after} at "
                f"ε = {DOUBLING[1]:g}."
            ),
            "The noise halves to 2, and a guesser is right twice as often.": (
                f"A coin is right 50% of the time, and nobody more than always. The cap grows from {before} to {after}."
            ),
        },
        right=right,
        once={right: " It is e^ε/(1 + e^ε): doubling ε squares the odds e^ε."},
    )


def neighbours(survey: Records) -> dict[str, Any]:
    """The counts of the survey, and of the survey without each of its first students, whose values are given."""
    domain, tables = survey.domain, [survey, *(numbers.leave_out(survey, row) for row in range(STUDENTS))]
    sets = [tuple(domain.names.index(name) for name in names) for names in SETS]
    labels = [attribute.labels for attribute in domain.attributes]
    return {
        "start": 1,
        "students": [[labels[a][column[row]] for a, column in enumerate(survey.codes)] for row in range(STUDENTS)],
        "tables": [
            {
                "title": " × ".join(names),
                "rows": labels[S[0]] if S[1:] else [""],
                "columns": labels[S[-1]],
                "counts": [table.marginal(S).ravel() for table in tables],
            }
            for names, S in zip(SETS, sets, strict=True)
        ],
    }


def _bets(truth: int, seed: int) -> list[Block]:
    """The best guesser's share, and bets to make."""
    best, allowed = BETS * numbers.chance("laplace", ASKED_AT), BETS * cap(ASKED_AT)
    caps = ", ".join(f"{percent(cap(epsilon))} at ε = {epsilon:g}" for epsilon in (EACH, ASKED_AT, EPSILONS[-1]))
    sides, values = numbers.bets("laplace", truth, EPSILONS, count=BETS, seed=seed)
    return [
        Text(
            f"The best guesser gets **{best:.1f}** of {BETS} right: says “with you” where the publication is nearer to "
            f"{truth + 1} than to {truth}. No one gets more than {allowed:.1f} on average, whatever the noise; "
            f"{BETS // 2} is a coin."
        ),
        Text(
            "Whoever sees one publication and guesses whether you are in the table is right at most e^ε/(1 + e^ε) of "
            f"the time: {caps}."
        ),
        Text("**Now bet.** Each round draws one publication, from the class with you or without you."),
        Drawing(
            "noise_bet",
            {
                "epsilons": EPSILONS,
                "start": EPSILONS.index(ASKED_AT),
                "truth": truth,
                "sides": sides,
                "values": values.round(2),
                "chances": [numbers.chance("laplace", epsilon) for epsilon in EPSILONS],
                "caps": [cap(epsilon) for epsilon in EPSILONS],
            },
            key="bet",
        ),
    ]


def sheet(seed: int) -> Iterator[Data | Figure | Task]:
    """The lesson on paper: counts of coffee drinkers, with draws of its own."""
    survey = load_sample("Class survey")
    truth = int(survey.marginal((survey.domain.names.index("drink"),))[1]) - 1
    without, with_you = numbers.dots("laplace", truth, [ASKED_AT], count=PAPER_DOTS, seed=seed)[0]
    sides, values = numbers.bets("laplace", truth, [ASKED_AT], count=PAPER_BETS, seed=seed + 100)
    nearer = values[0] > truth + 0.5
    answers = ", ".join("with" if side else "without" for side in sides)
    strip = {f"without you: {truth}": without, f"with you: {truth + 1}": with_you}
    yield Figure(
        f"{PAPER_DOTS} counts that may be published with you in the class, and {PAPER_DOTS} without you, "
        f"at ε = {ASKED_AT:g}",
        strips(strip, truth - 6, truth + 7, title="published count", label="Noisy counts with you and without you"),
    )
    yield Data(
        f"A coin decided each time whether you were in the class. At ε = {ASKED_AT:g} these were published",
        ("", *(f"{k}" for k in range(1, PAPER_BETS + 1))),
        [("published", *(f"{value:.1f}" for value in values[0])), ("with or without?", *[""] * PAPER_BETS)],
    )
    yield Task(
        "Guess for each of the ten whether you were in the class. Your teacher has the answers: how many did "
        "you get right?",
        f"{answers}. The nearer of {truth} and {truth + 1} is right {int((nearer == sides).sum())} times; in the long "
        f"run {percent(numbers.chance('laplace', ASKED_AT))}, and nobody beats {percent(cap(ASKED_AT))}.",
    )
    yield Task(
        "The mean size of Laplace noise is Δ/ε. Give it for this count at ε = 0.1, 1 and 5.",
        "10, 1 and 0.2: one student moves the count by Δ = 1.",
    )
    yield Task(
        "Give Δ for: the number of coffee drinkers; the table of drink by year; the sum of the ages, of people "
        "up to 120 years.",
        "1; 1, since a student is in one cell; 120.",
    )
    yield Task(
        "The count is published again each day at ε = 0.1. On which day may a guesser be right in 73%?",
        f"On the tenth: the costs add up to 1, and e^1/(1 + e^1) = {percent(cap(1.0))}.",
    )
