"""Checks of the second notebook: the exponential mechanism, what it promises, and the score of MWEM."""

import math
from collections import Counter
from collections.abc import Callable

import numpy as np

from checks.student import MARGIN, ROUNDING, call_for_array, call_for_index, close, require, right

CALLS = 4_000
SCORES = np.array([3.0, 9.0, 7.0, 1.0])
EPSILON, SENSITIVITY = 0.8, 2.0


def probabilities(function: Callable) -> None:
    """Pr[j] ∝ exp(ε s_j / 2Δ): its ratios, its sum, and large scores."""
    for epsilon, sensitivity in ((1.0, 1.0), (0.3, 1.0), (0.3, 3.0)):
        p = call_for_array(function, SCORES, epsilon, sensitivity, shape=SCORES.shape)
        require((p > 0).all(), "every candidate has a probability above zero, however low its score.")
        require(close(p.sum(), 1), f"the probabilities add up to {p.sum():.4g}. Divide by their sum.")
        rate, law = float(np.log(p[1] / p[0]) / (SCORES[1] - SCORES[0])), epsilon / (2 * sensitivity)
        hint = "Compare the exponent with the mechanism's, sign and denominator."
        if rate < 0:
            hint = "The higher score has to have the higher probability."
        elif close(rate, 2 * law):
            hint = "That is a factor of two too steep, and promises 2ε instead of ε: one record can move the score of "
            hint += "one candidate up and that of another down."
        elif close(rate, epsilon / 2):
            hint = "It does not depend on the sensitivity."
        require(
            np.allclose(np.log(p) - rate * SCORES, np.log(p[0]) - rate * SCORES[0]) and close(rate, law),
            f"at ε = {epsilon:g} and Δ = {sensitivity:g} one more point of score multiplies the probability by "
            f"exp({rate:.3f}), and should by exp({law:.3f}). {hint}",
        )
    try:
        large = call_for_array(function, SCORES + 1e6, 1.0, 1.0, shape=SCORES.shape)
        same = close(large, call_for_array(function, SCORES, 1.0, 1.0, shape=SCORES.shape))
    except Exception:
        same = False
    require(
        same,
        "scores that are all a million higher should give the same probabilities, but exp grows too large. "
        "What may be subtracted from all scores first, without changing the ratios?",
    )
    right("the ratios are those of the mechanism, and large scores do no harm.")


def choose(function: Callable) -> None:
    """The index of a candidate, as often as its probability says."""
    _require_law(function)
    right(f"in {CALLS:,} choices every candidate came as often as it should.")


def choose_by_noise(function: Callable) -> None:
    """The largest of the scores with Gumbel noise has the law of the exponential mechanism."""
    _require_law(function)
    scores, rng = np.array([8.0, *np.zeros(99)]), np.random.default_rng(11)
    best = sum(call_for_index(function, scores, 1.0, 1.0, rng, count=len(scores)) == 0 for _ in range(CALLS)) / CALLS
    law = math.exp(4) / (math.exp(4) + 99)
    require(
        abs(best - law) <= MARGIN * math.sqrt(law * (1 - law) / CALLS),
        f"beside 99 candidates of score 0, one of score 8 is chosen in {best:.1%} at ε = 1, and should in {law:.1%}. "
        "The law is near, but another: which noise did you add?",
    )
    right("the largest noisy score has the law of the exponential mechanism: nobody has to compute a probability.")


def _require_law(function: Callable) -> None:
    """Compare frequencies with the law. Differences of scores up to 8 at ε/2Δ = 0.2 leave every candidate likely."""
    rng = np.random.default_rng(4)
    chosen = Counter(
        call_for_index(function, SCORES, EPSILON, SENSITIVITY, rng, count=len(SCORES)) for _ in range(CALLS)
    )
    best, name = int(SCORES.argmax()), function.__name__
    require(
        chosen[best] < CALLS,
        f"{name} takes the best candidate every time. Without noise, one record can change the choice for certain: "
        "that is no ε at all.",
    )
    weights = np.exp(EPSILON * (SCORES - SCORES.max()) / (2 * SENSITIVITY))
    law = weights / weights.sum()
    shares = np.array([chosen[j] for j in range(len(SCORES))]) / CALLS
    errors = np.sqrt(law * (1 - law) / CALLS)
    hint = "Use ε, Δ and all scores as the mechanism does."
    if np.abs(shares - 1 / len(SCORES)).max() < 0.05:
        hint = "The choice does not look at the scores."
    elif shares[best] > law[best]:
        hint = "It prefers the best too much, which promises less than ε. Is the scale too small by a factor?"
    elif shares[best] < law[best]:
        hint = "It prefers the best too little, which wastes ε. Is the scale too large by a factor?"
    require(
        (np.abs(shares - law) <= MARGIN * errors).all(),
        f"in {CALLS:,} choices the candidates with the scores 3, 9, 7 and 1 came in "
        f"{', '.join(f'{share:.0%}' for share in shares)}, and should in {', '.join(f'{p:.0%}' for p in law)}. {hint}",
    )


def privacy_loss(function: Callable) -> None:
    """The largest |ln p/p'| over candidates, of two neighbours' scores; at most ε."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        scores, epsilon = rng.integers(0, 20, size=5).astype(float), float(rng.choice([0.2, 1.0]))
        neighbour = scores + rng.integers(-1, 2, size=5)
        loss = float(call_for_array(function, scores, neighbour, epsilon, 1.0, shape=()))
        logs = [epsilon * s / 2 - math.log(np.exp(epsilon * s / 2).sum()) for s in (scores, neighbour)]
        exact = float(np.abs(logs[0] - logs[1]).max())
        back = float(call_for_array(function, neighbour, scores, epsilon, 1.0, shape=()))
        require(
            abs(loss - back) <= ROUNDING,
            "two neighbours are neighbours of each other, but the loss is another when they change places. "
            "Consider both directions of each ratio.",
        )
        require(
            abs(loss - exact) <= ROUNDING,
            f"for one pair of neighbours the largest |ln(p/p')| is {exact:.4f}, and you say {loss:.4f}. "
            "Take all candidates, the logarithm, and the largest size.",
        )
        require(
            loss <= epsilon + ROUNDING, f"the loss is {loss:.3f} and above ε = {epsilon:g}: the mechanism is broken."
        )
    right("no pair of neighbours had a loss above ε.")


def error_scores(function: Callable) -> None:
    """|q(B) - q(A)| for each query: one record moves each by at most 1."""
    exact, approximate = np.array([40.0, 10.0, 55.0]), np.array([35.0, 20.0, 55.0])
    scores = call_for_array(function, exact, approximate, shape=(3,))
    require((scores >= 0).all(), "an overestimate is as bad as an underestimate: a score should never be below zero.")
    neighbour = call_for_array(function, exact + np.array([1, 0, 1]), approximate, shape=(3,))
    move = float(np.abs(neighbour - scores).max())
    require(
        move <= 1 + ROUNDING,
        f"one record changed an answer by 1 and a score by {move:g}. The mechanism needs Δ = 1: is something squared?",
    )
    require(
        close(scores, [5, 10, 0]),
        f"answers 40, 10 and 55, approximated by 35, 20 and 55, are off by 5, 10 and 0 records, and you say "
        f"{', '.join(f'{score:g}' for score in scores)}.",
    )
    right("the score is the error in records, and one record moves it by at most 1.")
