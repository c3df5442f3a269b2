"""The lesson A release under attack: exact counts, too little noise, a schema and a seed each give people away."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.base import percent
from mwem_app.course.attack import NAMES
from mwem_app.course.blocks import Block, Drawing, Exercise, Heading, PredictChoice, Reveal, Text
from mwem_app.course.noise.noise_numbers import dots
from mwem_app.course.sheet import Data, Figure, Task, strips
from mwem_app.course.under_attack import under_attack_numbers as numbers
from mwem_app.inputs import load_sample
from mwem_core.privacy import Seeded, cap

PERSON = 0  # the row of the survey whose membership is inferred
START = 0.5  # ε of the noise that a seed undoes, and of the drawing at first
PAPER_EPSILON, PAPER_DOTS, PAPER_SEED = 1.0, 60, 17  # of the sheet
FEWER, MORE = "none of them", "about 10 of them"  # seeds that leave whole numbers


@st.cache_data(max_entries=8, show_spinner=False)
def memberships(seed: int) -> list[dict[str, Any]]:
    """The attack at each ε: on releases with the noise they state, on their twins, and on exact counts."""
    survey, sides = load_sample("Class survey"), []
    for name, factor in {"as stated": 1, "a fifth of it": numbers.FRACTION, "none: exact counts": math.inf}.items():
        attacks = [
            numbers.attack(survey, PERSON, epsilon=factor * epsilon, stated=epsilon, noise=Seeded(seed))
            for epsilon in numbers.EPSILONS
        ]
        shown = [{"hits": each.hits, "alarms": each.false_alarms, "won": each.won} for each in attacks]
        sides.append({"name": name, "attacks": shown})
    return sides


@st.cache_data(show_spinner=False)
def cached_proposals() -> numbers.Proposals:
    """The schemas proposed for a made-up class, and for it without each of its students."""
    return numbers.proposals()


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the draws of a seed."""
    survey = load_sample("Class survey")
    values = [
        attribute.labels[column[PERSON]]
        for attribute, column in zip(survey.domain.attributes, survey.codes, strict=True)
    ]
    yield Text(
        f"A survey of {survey.total} students is released: its {survey.domain.size} counts, with noise, and a stated "
        f"ε. The attacker knows every other row, and Ada's values: *{', '.join(values)}*. So one count says whether "
        "Ada took part. The curve shows what the attacker can do, from never to always saying “she is in it”. "
        "**Change the noise:** can you tell when it is less than stated?"
    )
    yield Drawing(
        "attack_membership",
        {
            "epsilons": numbers.EPSILONS,
            "start": numbers.EPSILONS.index(START),
            "sides": memberships(seed),
            "caps": [cap(epsilon) for epsilon in numbers.EPSILONS],
            "limits": [numbers.allowed_share(epsilon) for epsilon in numbers.EPSILONS],
        },
        key="membership",
    )

    yield Heading("A schema read off the data")
    yield Text(
        "Noise hides counts. It does not hide the list of values that are counted. **Drag** to leave someone out."
    )
    proposals = cached_proposals()
    lost = [proposals.lost_values(student) for student in range(len(NAMES))]
    alone = next(student for student, values in enumerate(lost) if values)
    shown = {"rows": proposals.rows, "schema": proposals.whole, "lost": lost}
    yield Drawing("attack_schema", {"names": NAMES, "start": alone + 1, **shown}, key="schema")
    yield Text("So a schema must be public knowledge: written by hand, and it may list values that nobody has.")

    yield Heading("A seed that can be guessed")
    published = int(np.random.default_rng(seed).integers(numbers.SEEDS_TRIED // 4, numbers.SEEDS_TRIED))
    axis = survey.domain.attributes[0]
    undone = numbers.attack_by_seeds(survey, (0,), epsilon=START, seed=published)
    yield Text(
        "Three counts of students are published with noise that was drawn from a seed, a whole number from 0 to "
        f"{numbers.SEEDS_TRIED - 1}. The release does not say which. An attacker draws the noise of every seed, and "
        "subtracts it."
    )
    found = int(undone.whole.sum())
    yield PredictChoice(
        f"How many of the {numbers.SEEDS_TRIED} seeds leave three whole numbers, as counts of students are?",
        [FEWER, f"{found} of them", MORE, f"all {numbers.SEEDS_TRIED}"],
    )
    answer = Text(
        f"**{found} of them:** all others leave fractions. So a seed that can be guessed need not be published. "
        "**Drag** until the numbers are whole: these are the exact counts."
    )
    told = {"released": undone.released, "left": undone.left, "whole": undone.whole}
    seeds = Drawing("attack_seed", {"attribute": axis.name, "labels": axis.labels, **told}, key="seed")
    yield Reveal([answer, seeds])

    right = "The scale of the noise."
    yield Exercise(
        "A release at ε = 1 is about to be published. Which of these may stand beside it?",
        {
            "Two exact counts of yes: of all students, and of all but one.": "Their difference is what that one "
            "student said, however large the groups are.",
            "The list of the values that occur in the data.": "A value that one person alone has shows that this "
            "person is in the data.",
            "The seed, once the noise is drawn.": "Whoever has the seed subtracts the noise, at any time.",
            right: "The promise holds against someone who knows the mechanism and its scale. Only what it drew must "
            "stay secret.",
        },
        right=right,
    )


def sheet(seed: int) -> Iterator[Data | Figure | Task]:
    """The lesson on paper: the cell of one student, a class of eight, and counts whose seed is known."""
    survey = load_sample("Class survey")
    cell = int(survey.marginal((0, 1, 2))[tuple(column[PERSON] for column in survey.codes)])
    without, with_person = dots("laplace", cell - 1, [PAPER_EPSILON], count=PAPER_DOTS, seed=seed)[0]
    seen = cell + 0.8
    found = numbers.proposals()
    alone = [name for student, name in enumerate(NAMES) if found.lost_values(student)]
    undone = numbers.attack_by_seeds(survey, (0,), epsilon=PAPER_EPSILON, seed=PAPER_SEED)
    labels = survey.domain.attributes[0].labels
    noise = undone.released - undone.exact
    strip = {f"without Ada: {cell - 1}": without, f"with Ada: {cell}": with_person}
    yield Figure(
        f"{PAPER_DOTS} possible releases of Ada's cell with her, and {PAPER_DOTS} without her, "
        f"at ε = {PAPER_EPSILON:g}",
        strips(strip, cell - 7, cell + 6, title="released count", label="Noisy counts with and without Ada"),
    )
    yield Data(
        "A class of eight",
        ("", *found.rows[0]),
        [(name, *row.values()) for name, row in zip(NAMES, found.rows, strict=True)],
    )
    yield Data(
        f"Released counts, and the noise that the published seed {PAPER_SEED} draws",
        ("", *labels),
        [
            ("released", *(f"{value:.2f}" for value in undone.released)),
            ("noise of the seed", *(f"{value:.2f}" for value in noise)),
            ("exact", *[""] * len(labels)),
        ],
    )
    yield Task(
        f"The release says {seen:g}. How many times as probable is that with Ada ({cell}) as without her "
        f"({cell - 1})? Use e^(−ε |release − count|). How often is the best guesser right at most?",
        f"e^({PAPER_EPSILON:g} · (1.8 − 0.8)) = {math.exp(PAPER_EPSILON):.2f} times. "
        f"At most {percent(cap(PAPER_EPSILON))}.",
    )
    yield Task(
        "A schema lists the values that occur in the class of eight, and bins from its smallest to its largest "
        "age. Whose leaving can be seen in it?",
        f"{', '.join(alone)}: a value or the end of a bin goes with each of them.",
    )
    yield Task(
        "Find the exact counts of the last table.",
        ", ".join(f"{name} {value:.0f}" for name, value in zip(labels, undone.exact, strict=True)) + ".",
    )
