"""The lesson A release under attack: exact counts, too little noise, a schema and a seed each give people away."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.course.learn.blocks import Block, Drawing, Exercise, Heading, Once, PredictChoice, Text, Told
from mwem_app.course.numbers.attack import given_away, membership
from mwem_app.course.numbers.attack.seed import TRIED, unmasked
from mwem_app.inputs import load_sample
from mwem_core.privacy import Seeded, cap

NAMES = "Ada", "Ben", "Cem", "Dua", "Eva", "Finn", "Gia", "Hugo"
PERSON = 0  # the row of the survey whose membership is inferred
START = 0.5  # ε of the noise that a seed undoes, and of the drawing at first
FEWER, MORE = "none of them", "about 10 of them"  # seeds that leave whole numbers


@st.cache_data(max_entries=8, show_spinner=False)
def memberships(seed: int) -> list[dict[str, Any]]:
    """The attack at each ε: on releases with the noise they state, on their twins, and on exact counts."""
    survey, sides = load_sample("Class survey"), []
    for name, factor in {"as stated": 1, "a fifth of it": membership.FRACTION, "none: exact counts": math.inf}.items():
        attacks = [
            membership.attack(survey, PERSON, epsilon=factor * epsilon, stated=epsilon, noise=Seeded(seed))
            for epsilon in membership.EPSILONS
        ]
        shown = [{"hits": each.hits, "alarms": each.false_alarms, "won": each.won} for each in attacks]
        sides.append({"name": name, "attacks": shown})
    return sides


@st.cache_data(show_spinner=False)
def proposed() -> given_away.Proposals:
    """The schemas proposed for a made-up class, and for it without each of its students."""
    return given_away.proposals()


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
            "epsilons": membership.EPSILONS,
            "start": membership.EPSILONS.index(START),
            "sides": memberships(seed),
            "caps": [cap(epsilon) for epsilon in membership.EPSILONS],
            "limits": [membership.allowed(epsilon) for epsilon in membership.EPSILONS],
        },
        key="membership",
    )

    yield Heading("A schema read off the data")
    yield Text(
        "Noise hides counts. It does not hide the list of values that are counted. **Drag** to leave someone out."
    )
    proposals = proposed()
    lost = [proposals.lost(student) for student in range(len(NAMES))]
    alone = next(student for student, values in enumerate(lost) if values)
    shown = {"rows": proposals.rows, "schema": proposals.whole, "lost": lost}
    yield Drawing("attack_schema", {"names": NAMES, "start": alone + 1, **shown}, key="schema")
    yield Text("So a schema must be public knowledge: written by hand, and it may list values that nobody has.")

    yield Heading("A seed that can be guessed")
    published = int(np.random.default_rng(seed).integers(TRIED // 4, TRIED))
    axis = survey.domain.attributes[0]
    undone = unmasked(survey, (0,), epsilon=START, seed=published)
    yield Text(
        "Three counts of students are published with noise that was drawn from a seed, a whole number from 0 to "
        f"{TRIED - 1}. The release does not say which. An attacker draws the noise of every seed, and subtracts it."
    )
    found = int(undone.whole.sum())
    yield PredictChoice(
        f"How many of the {TRIED} seeds leave three whole numbers, as counts of students are?",
        [FEWER, f"{found} of them", MORE, f"all {TRIED}"],
    )
    answer = (
        "all others leave fractions. So a seed that can be guessed need not be published. **Drag** until the numbers "
        "are whole: these are the exact counts."
    )
    told = {"released": undone.released, "left": undone.left, "whole": undone.whole}
    yield Once(
        [
            Told({f"{found} of them": f"**Right, {found} of them:** {answer}"}, f"**Only {found} of them:** {answer}"),
            Drawing("attack_seed", {"attribute": axis.name, "labels": axis.labels, **told}, key="seed"),
        ]
    )

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
