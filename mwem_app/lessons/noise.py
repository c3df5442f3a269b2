"""The lesson Noise: what one noisy count tells about one person."""

from collections.abc import Iterator

from mwem_app.inputs.samples import load_sample
from mwem_app.learn.blocks import Block, Drawing, Exercise, Formula, Heading, Lamp, Once, PredictNumber, Text
from mwem_app.words.numbers import percent
from mwem_core.lessons import noise

EPSILONS = 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0
NAMES = {"laplace": "Laplace", "gaussian": "Gaussian", "discrete": "Discrete"}
DRAWS, BETS, QUESTIONS, EACH, TEN = 100, 20, 100, 0.1, 10
DOUBLED, CHECKED = (0.25, 0.5), 0.5  # ε of the exercise and of the check: not the prediction's, whose answer they tell


def blocks(seed: int) -> Iterator[Block]:
    """The lesson, with the draws of a seed."""
    survey = load_sample("Class survey")
    truth = int(survey.marginal((survey.domain.names.index("drink"),))[1]) - 1  # coffee drinkers, one of them is you
    yield Text(
        f"A class answers: *do you drink coffee?* **{truth + 1}** do, and one of them is you. Only a noisy count is "
        "published. Below are 100 possible publications with you in the class, and 100 without you. "
        "**Drag ε**: the smaller it is, the less your presence shows."
    )
    kinds = [
        {
            "name": NAMES[kind],
            "dots": noise.dots(kind, truth, EPSILONS, count=DRAWS, seed=seed).round(2),
            "chances": [noise.chance(kind, epsilon) for epsilon in EPSILONS],
            "noise": [noise.mean_noise(kind, epsilon) for epsilon in EPSILONS],
        }
        for kind in noise.KINDS
    ]
    yield Drawing(
        "noise",
        {"epsilons": EPSILONS, "start": EPSILONS.index(1.0), "truth": truth, "kinds": kinds},
        key="noise",
        until={"kinds": {"chances": None}},
    )

    yield Heading("What ε promises")
    yield Formula(
        "Pr[{M}({D}) ∈ {S}] ≤ e^{ε} · Pr[{M}({D′}) ∈ {S}]",
        {
            "M": "the mechanism: count, add noise, publish.",
            "D": "the table with you in it.",
            "D′": "the same table without you.",
            "S": "any set of publications that someone looks for, such as “75 or more”.",
            "ε": "the privacy budget. At ε = 0 your presence changes nothing; e^0.1 = 1.11, e^1 = 2.72, e^5 = 148.",
        },
        key="promise",
    )
    yield PredictNumber(
        f"At ε = 1 you will see {BETS} publications, and say for each whether you were in the table. How many of the "
        f"{BETS} does the best guesser get right, on average?",
        0,
        BETS,
    )
    yield Once(_bets(truth, seed))

    yield Heading("Ask ten more")
    yield Text(
        f"One answer at ε = {EACH:g} says little. But noise averages out: ask the same question again and again, and "
        "the mean of the answers finds you. Every answer costs ε, and the costs add up."
    )
    asked = noise.dots("laplace", truth, [EACH], count=QUESTIONS, seed=seed + 2)[0, 1]
    caps = [noise.cap(EACH * count) for count in range(TEN, QUESTIONS + 1, TEN)]
    yield Drawing(
        "noise_mean",
        {"answers": asked.round(2), "truth": truth, "each": EACH, "step": TEN, "caps": caps},
        key="mean",
        until={"caps": None},
    )

    before, after = (percent(noise.cap(epsilon)) for epsilon in DOUBLED)
    right = f"The noise halves to 2, and a guesser can be right {after} instead of {before} of the time."
    yield Exercise(
        f"A count is published at ε = {DOUBLED[0]:g}; its noise is 4 on average. Then ε is doubled to {DOUBLED[1]:g}, "
        "with Laplace noise. What changes?",
        {
            "The noise doubles to 8.": "A larger ε means less noise: drag ε above, and read the noise beside it.",
            "The noise halves to 2, and nothing else changes.": (
                "Less noise always shows more of you: the best chance of a guesser grows too."
            ),
            right: (
                f"The noise is 1/ε. The cap is e^ε/(1 + e^ε): {before} at ε = {DOUBLED[0]:g} and {after} at "
                f"ε = {DOUBLED[1]:g}. Doubling ε squares the odds e^ε."
            ),
            "The noise halves to 2, and a guesser is right twice as often.": (
                f"A coin is right 50% of the time, and nobody more than always. The cap grows from {before} to {after}."
            ),
        },
        right=right,
    )
    law = noise.check("laplace", CHECKED, seed)
    yield Lamp(
        law,
        f"In {noise.TRIALS:,} bets at ε = {CHECKED:g} the best guesser won {percent(law.measured)}. The guarantee "
        f"allows {percent(noise.cap(CHECKED))}, and chance a little more: {percent(law.limit)}.",
    )


def _bets(truth: int, seed: int) -> list[Block]:
    """The best guesser's share, and bets to make."""
    best, allowed = BETS * noise.chance("laplace", 1.0), BETS * noise.cap(1.0)
    caps = ", ".join(f"{percent(noise.cap(epsilon))} at ε = {epsilon:g}" for epsilon in (0.1, 1.0, 5.0))
    sides, values = noise.bets("laplace", truth, EPSILONS, count=BETS, seed=seed)
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
                "start": EPSILONS.index(1.0),
                "truth": truth,
                "sides": sides,
                "values": values.round(2),
                "chances": [noise.chance("laplace", epsilon) for epsilon in EPSILONS],
                "caps": [noise.cap(epsilon) for epsilon in EPSILONS],
            },
            key="bet",
        ),
    ]
