"""The lesson Attack it: what exact answers, a schema and a seed give away, and what noise keeps."""

from typing import Any

import numpy as np
import streamlit as st

from mwem_app.inputs.samples import load_sample
from mwem_app.learn.checked import checked
from mwem_app.learn.drawing import drawing
from mwem_app.learn.exercise import exercise
from mwem_app.learn.frame import begin, end
from mwem_app.learn.predict import predict_choice
from mwem_app.learn.symbols import formula
from mwem_app.session import state
from mwem_app.words.numbers import percent
from mwem_core.lessons.attack import given_away, membership, reconstruction
from mwem_core.lessons.attack.seed import TRIED, unmasked
from mwem_core.privacy.noise import Seeded

NAMES = "Ada", "Ben", "Cem", "Dua", "Eva", "Finn", "Gia", "Hugo"
ASKED = "attack_asked"
EVERYONE = (1,) * len(NAMES)
FOUND, OPTIONS = 0.9, (1, 4, 16, 64)  # the share of secrets, and values of ε, of the prediction
PERSON = 0  # the row of the survey whose membership is inferred
START = 1.0  # ε of the lamp, and of the drawings at first

state.enter_by_app()
lesson, seed = begin("attack")
survey = load_sample("Class survey")
secret = reconstruction.secret(np.random.default_rng(seed))

st.header("Exact answers", anchor=False)
st.markdown(
    "Eight students said whether they had cheated. A curator answers *how many of this group said yes?* exactly, but "
    f"only for {reconstruction.SMALLEST} students or more. That does not help: the counts of everyone, and of everyone "
    "but Ada, give Ada away. **Find the other seven with as few questions as you can.** Tap a group, and ask."
)


@st.fragment
def interrogate() -> None:
    """The groups asked about so far, and what their exact answers give away."""
    groups = st.session_state.get(ASKED, [EVERYONE, (0, *EVERYONE[1:])])
    answers = [reconstruction.answer(secret, np.array(group)) for group in groups]
    left = reconstruction.consistent(groups, answers)
    first = reconstruction.consistent(groups[:2], answers[:2])
    known = {
        "questions": [{"group": group, "answer": answer} for group, answer in zip(groups, answers, strict=True)],
        "known": reconstruction.known(left),
        "left": len(left),
        "all": len(reconstruction.SECRETS),
        "solved": len(left) == 1,
        "greedy": 2 + reconstruction.fewest(secret, first),
    }
    told = {"scene": "exact", "names": NAMES, "smallest": reconstruction.SMALLEST, **known}
    sent = drawing("attack", told, key="exact")
    if sent:
        if "again" in sent:
            st.session_state.pop(ASKED, None)
        elif sent["group"] in reconstruction.GROUPS.tolist():
            st.session_state[ASKED] = [*groups, tuple(sent["group"])]
        st.rerun(scope="fragment")


interrogate()

st.header("Noisy answers", anchor=False)
counts = 2 * reconstruction.HALVES
st.markdown(
    f"Now the curator adds Laplace noise to {counts} counts over halves of a class, at one ε for all of them together. "
    f"The attacker weighs all {len(reconstruction.SECRETS)} ways in which the class can have answered, and takes the "
    "more probable answer of each student. A coin would find 50% of them."
)


@st.cache_data(max_entries=8, show_spinner=False)
def recovery(seed: int) -> reconstruction.Recovery:
    """The attack on noisy counts, at each ε."""
    return reconstruction.recovery(rng=np.random.default_rng(seed), noise=Seeded(seed))


found = recovery(seed)
predicted = predict_choice(
    f"How large must ε be before this attack finds {percent(FOUND)} of the answers?",
    [f"about {epsilon}" for epsilon in OPTIONS],
    lesson="attack",
)
if predicted is not None:
    needed, at_one = found.needed(FOUND), reconstruction.EPSILONS.index(START)
    st.markdown(
        f"**About {needed:g}.** At ε = 1 it finds {percent(found.share[at_one])}, and no attack of any kind can find "
        f"more than {percent(found.cap[at_one])}. Drag ε."
    )
    curves = {"share": found.share, "cap": found.cap, "scale": found.scale, "bits": found.bits, "guess": found.guess}
    position = {"epsilons": reconstruction.EPSILONS, "start": at_one}
    drawing("attack", {"scene": "noisy", "names": NAMES, **curves, **position}, key="noisy")

st.header("Was she in the table?", anchor=False)
values = [
    attribute.labels[column[PERSON]] for attribute, column in zip(survey.domain.attributes, survey.codes, strict=True)
]
st.markdown(
    f"A survey of {survey.total} students is released: its {survey.domain.size} counts, with Laplace noise of scale "
    f"1/ε. The attacker knows every other row, and Ada's values: *{', '.join(values)}*. So one count says whether Ada "
    "took part. The curve shows what they can do, from never to always saying “she is in it”."
)


@st.cache_data(max_entries=8, show_spinner=False)
def memberships(seed: int) -> list[dict[str, Any]]:
    """The attack at each ε, on releases with the noise they state and on their twins."""
    sides = []
    for name, factor in {"as stated": 1, "a fifth of it": membership.FRACTION}.items():
        attacks = [
            membership.attack(survey, PERSON, epsilon=factor * epsilon, stated=epsilon, noise=Seeded(seed))
            for epsilon in membership.EPSILONS
        ]
        shown = [{"hits": each.hits, "alarms": each.false_alarms, "won": each.won} for each in attacks]
        sides.append({"name": name, "attacks": shown})
    return sides


drawing(
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
formula(
    "Pr[{right}] ≤ (e^{ε} + {δ}) / (1 + e^{ε})",
    {
        "right": "the attacker's answer is right, when a fair coin decided whether Ada is in the table.",
        "ε": f"the privacy budget. At ε = 1 the attacker is right at most {percent(membership.cap(1.0))} of the time.",
        "δ": "the probability with which the promise may fail; 0 for Laplace noise.",
    },
    key="cap",
)


@st.cache_data(show_spinner=False)
def proposed() -> given_away.Proposals:
    """The schemas proposed for a made-up class, and for it without each of its students."""
    return given_away.proposals()


st.header("A schema read off the data", anchor=False)
st.markdown("Noise hides counts. It does not hide the list of values that are counted. **Drag** to leave someone out.")
proposals = proposed()
lost = [proposals.lost(student) for student in range(len(NAMES))]
alone = next(student for student, values in enumerate(lost) if values)
shown = {"rows": proposals.rows, "schema": proposals.whole, "lost": lost}
drawing("attack_schema", {"names": NAMES, "start": alone + 1, **shown}, key="schema")
st.markdown("So a schema must be public knowledge: written by hand, and it may list values that nobody has.")

st.header("A seed in the manifest", anchor=False)
published = int(np.random.default_rng(seed).integers(TRIED // 4, TRIED))
axis = survey.domain.attributes[0]
undone = unmasked(survey, (0,), epsilon=START, seed=published)
st.markdown(
    f"The noise of these counts was drawn from a seed, and the release says which: **seed {published}**. Whoever has "
    "the seed draws the same noise again. **Drag** to it. Without it one would try them all."
)
told = {"released": undone.released, "left": undone.left, "whole": undone.whole}
drawing("attack_seed", {"attribute": axis.name, "labels": axis.labels, **told}, key="seed")

right = "The scale of the noise."
exercise(
    "A release at ε = 1 is about to be published. Which of these may stand beside it?",
    {
        "Two exact counts of yes: of all students, and of all but one.": "Their difference is what that one student "
        "said, however large the groups are.",
        "The list of the values that occur in the data.": "A value that one person alone has shows that this person is "
        "in the data.",
        "The seed, once the noise is drawn.": "Whoever has the seed subtracts the noise, at any time.",
        right: "The promise holds against someone who knows the mechanism and its scale. Only what it drew must stay "
        "secret.",
    },
    right=right,
    key="attack",
)

law = membership.check(survey, PERSON, epsilon=START, noise=Seeded(seed))
checked(
    law,
    f"In {2 * membership.RELEASES:,} bets on Ada at ε = {START:g} the attacker won {percent(law.measured)}. "
    f"The promise allows {percent(membership.cap(START))}, and chance a little more: {percent(law.limit)}.",
)
end(lesson)
