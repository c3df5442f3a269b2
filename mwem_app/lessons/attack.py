"""The lesson Attack it: what exact answers, a schema and a seed give away, and what noise keeps."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.inputs.samples import load_sample
from mwem_app.learn.blocks import (
    Block,
    Dialogue,
    Drawing,
    Exercise,
    Formula,
    Heading,
    Lamp,
    Once,
    PredictChoice,
    Text,
)
from mwem_app.words.numbers import percent
from mwem_core.lessons.attack import given_away, membership, reconstruction
from mwem_core.lessons.attack.seed import TRIED, unmasked
from mwem_core.privacy.noise import Seeded

NAMES = "Ada", "Ben", "Cem", "Dua", "Eva", "Finn", "Gia", "Hugo"
EVERYONE = (1,) * len(NAMES)
ASKED = [EVERYONE, (0, *EVERYONE[1:])]  # at first
FOUND, OPTIONS = 0.9, (1, 4, 16, 64)  # the share of secrets, and values of ε, of the prediction
PERSON = 0  # the row of the survey whose membership is inferred
START = 1.0  # ε of the lamp, and of the drawings at first


def left_by(groups: Sequence[tuple[int, ...]], secret: reconstruction.Bits) -> np.ndarray:
    """The secrets that give the same exact answers for these groups."""
    answers = [reconstruction.answer(secret, np.array(group)) for group in groups]
    return reconstruction.consistent([np.array(group) for group in groups], answers)


def given_away_by(groups: Sequence[tuple[int, ...]], secret: reconstruction.Bits) -> dict[str, Any]:
    """The groups asked about so far, and what their exact answers give away."""
    left = left_by(groups, secret)
    return {
        "questions": [{"group": group, "answer": reconstruction.answer(secret, np.array(group))} for group in groups],
        "known": reconstruction.known(left),
        "left": len(left),
        "all": len(reconstruction.SECRETS),
        "solved": len(left) == 1,
    }


def asked_next(groups: list[tuple[int, ...]], sent: dict[str, Any]) -> list[tuple[int, ...]]:
    """The groups asked about after a message: one more, or those at first."""
    if "again" in sent:
        return ASKED
    allowed = sent["group"] in reconstruction.GROUPS.tolist()
    return [*groups, tuple(sent["group"])] if allowed else groups


@st.cache_data(max_entries=8, show_spinner=False)
def recovery(seed: int) -> reconstruction.Recovery:
    """The attack on noisy counts, at each ε."""
    return reconstruction.recovery(rng=np.random.default_rng(seed), noise=Seeded(seed))


@st.cache_data(max_entries=8, show_spinner=False)
def memberships(seed: int) -> list[dict[str, Any]]:
    """The attack at each ε, on releases with the noise they state and on their twins."""
    survey, sides = load_sample("Class survey"), []
    for name, factor in {"as stated": 1, "a fifth of it": membership.FRACTION}.items():
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
    secret = reconstruction.secret(np.random.default_rng(seed))
    greedy = len(ASKED) + reconstruction.fewest(secret, left_by(ASKED, secret))

    yield Heading("Exact answers")
    yield Text(
        "Eight students said whether they had cheated. A curator answers *how many of this group said yes?* "
        f"exactly, but only for {reconstruction.SMALLEST} students or more. That does not help: the counts of "
        "everyone, and of everyone but Ada, give Ada away. **Find the other seven with as few questions as you "
        "can.** Tap a group, and ask."
    )
    yield Dialogue(
        "attack",
        {"scene": "exact", "names": NAMES, "smallest": reconstruction.SMALLEST, "greedy": greedy},
        key="exact",
        start=ASKED,
        take=asked_next,
        tell=lambda groups: given_away_by(groups, secret),
        held={"secret": secret},
    )

    yield Heading("Noisy answers")
    counts = 2 * reconstruction.HALVES
    yield Text(
        f"Now the curator adds Laplace noise to {counts} counts over halves of a class, at one ε for all of them "
        f"together. The attacker weighs all {len(reconstruction.SECRETS)} ways in which the class can have answered, "
        "and takes the more probable answer of each student. A coin would find 50% of them."
    )

    found = recovery(seed)
    yield PredictChoice(
        f"How large must ε be before this attack finds {percent(FOUND)} of the answers?",
        [f"about {epsilon}" for epsilon in OPTIONS],
    )
    needed, at_one = found.needed(FOUND), reconstruction.EPSILONS.index(START)
    answer = Text(
        f"**About {needed:g}.** At ε = 1 it finds {percent(found.share[at_one])}, and no attack of any kind can find "
        f"more than {percent(found.cap[at_one])}. Drag ε."
    )
    curves = {"share": found.share, "cap": found.cap, "scale": found.scale, "bits": found.bits, "guess": found.guess}
    position = {"epsilons": reconstruction.EPSILONS, "start": at_one}
    yield Once([answer, Drawing("attack", {"scene": "noisy", "names": NAMES, **curves, **position}, key="noisy")])

    yield Heading("Was she in the table?")
    values = [
        attribute.labels[column[PERSON]]
        for attribute, column in zip(survey.domain.attributes, survey.codes, strict=True)
    ]
    yield Text(
        f"A survey of {survey.total} students is released: its {survey.domain.size} counts, with Laplace noise of "
        f"scale 1/ε. The attacker knows every other row, and Ada's values: *{', '.join(values)}*. So one count says "
        "whether Ada took part. The curve shows what they can do, from never to always saying “she is in it”."
    )

    yield Drawing(
        "attack_membership",
        {
            "epsilons": membership.EPSILONS,
            "start": membership.EPSILONS.index(START),
            "sides": memberships(seed),
            "caps": [membership.cap(epsilon) for epsilon in membership.EPSILONS],
            "limits": [membership.allowed(epsilon) for epsilon in membership.EPSILONS],
        },
        key="membership",
    )
    yield Formula(
        "Pr[{right}] ≤ (e^{ε} + {δ}) / (1 + e^{ε})",
        {
            "right": "the attacker's answer is right, when a fair coin decided whether Ada is in the table.",
            "ε": f"the privacy budget. At ε = 1 the attacker is right at most {percent(membership.cap(1.0))} of the "
            "time.",
            "δ": "the probability with which the promise may fail; 0 for Laplace noise.",
        },
        key="cap",
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

    yield Heading("A seed in the manifest")
    published = int(np.random.default_rng(seed).integers(TRIED // 4, TRIED))
    axis = survey.domain.attributes[0]
    undone = unmasked(survey, (0,), epsilon=START, seed=published)
    yield Text(
        f"The noise of these counts was drawn from a seed, and the release says which: **seed {published}**. Whoever "
        "has the seed draws the same noise again. **Drag** to it. Without it one would try them all."
    )
    told = {"released": undone.released, "left": undone.left, "whole": undone.whole}
    yield Drawing("attack_seed", {"attribute": axis.name, "labels": axis.labels, **told}, key="seed")

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

    law = membership.check(survey, PERSON, epsilon=START, noise=Seeded(seed))
    yield Lamp(
        law,
        f"In {2 * membership.RELEASES:,} bets on Ada at ε = {START:g} the attacker won {percent(law.measured)}. "
        f"The promise allows {percent(membership.cap(START))}, and chance a little more: {percent(law.limit)}.",
    )
