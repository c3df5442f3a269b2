"""Figure 3: small contingency tables, relative entropy against ε for Barak et al., plain and improved MWEM."""

from collections.abc import Sequence

from mwem_core.experiments.contingency import (
    BARAK,
    FLOORS,
    IMPROVED,
    LINES,
    METRIC,
    SMALL,
    UNIFORM,
    better_MWEM,
    losing,
    methods,
    plot,
    references,
)
from mwem_core.experiments.experiment import Batch, Choice, Experiment, Verdict
from mwem_core.experiments.frame import Frame
from mwem_core.experiments.points import BEST_T, FIXED_T, at, best_T, medians

TABLES = ("mildew", "rochdale", "czech")
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
ROUNDS = (2, 5, 10, 20)


def batches(quick: bool) -> Sequence[Batch]:
    """All parities of up to three attributes."""
    Ts = (10,) if quick else ROUNDS
    epsilons, seeds = (EPSILONS[::2], 3) if quick else (EPSILONS, 100)
    return [Batch(table, "parities:3", methods(Ts, Ts), epsilons, seeds) for table in TABLES]


def verdict(frame: Frame) -> Verdict:
    """Compare the better of plain and improved, at the best T, with Barak et al., uniform and the two-way floor."""
    summary = best_T(medians(frame, METRIC))
    barak, improved, uniform, ours = *(at(summary, name) for name in (BARAK, IMPROVED, UNIFORM)), better_MWEM(summary)
    small = [key for key in ours.index if key[1] <= SMALL]
    won = [key for key in small if ours[key] < barak[key]]
    useful = [key for key in won if ours[key] < uniform[key]]
    good = at(summary, FLOORS[2])
    reached = sorted({p for p, e in improved.index if e <= 10 and improved[p, e] <= good[p, e]})
    tables = sorted({p for p, _ in ours.index})
    if len(won) < len(small):
        holds = "does not hold" if len(won) < len(small) / 2 else "holds with conditions"
    else:
        holds = "holds" if len(useful) == len(small) and len(reached) > len(tables) / 2 else "holds with conditions"
    ratios = (barak / ours)[small]
    endless = " (Barak et al. leaves filled cells without weight in some)" if ratios.max() == float("inf") else ""
    crossed = [f"{p} from ε = {min(over):g}" for p in tables if (over := losing(p, ours, barak))]
    numbers = (
        f"Up to ε = {SMALL:g}, MWEM at its best T is closer than Barak et al. in {len(won)} of {len(small)} points, by "
        f"factors of at least {ratios.min():.2g}{endless}; in {len(useful)} of them it is also closer than "
        f"uniform. Improved MWEM reaches the two-way fit, the stand-in for the good fit without privacy, by ε = 10 on "
        f"{len(reached)} of {len(tables)} tables{' (' + ', '.join(reached) + ')' if reached else ''}. Barak et al. is "
        f"the closer one {'on ' + '; '.join(crossed) if crossed else 'at no ε'}."
    )
    flips = (
        "A fixed T instead of the best one in hindsight; a larger ε, where measuring everything is enough, as the "
        "paper says; or a good fit stricter than the two-way one."
    )
    return Verdict(holds, numbers, flips)


FIGURE3 = Experiment(
    name="figure3",
    title="Figure 3: small contingency tables",
    claim="On mildew, rochdale and czech MWEM noticeably improves on Barak et al., and in many cases its improved form "
    "matches the relative entropy of good fits without privacy.",
    conditions="T set by hand; judicious selection pays below some ε and no longer above it; Barak et al. with "
    "multiplicative weights in place of their linear programme.",
    setup="All parities of up to three attributes; T of 2, 5, 10 or 20; medians of 100 runs, because a run that leaves "
    f"a filled cell without weight has an infinite relative entropy. {LINES} The fits of Fienberg et al. are not "
    "printed, so the floors stand for them.",
    rule="Up to ε = 1, MWEM (the better of plain and improved, at the best T) must be closer than Barak et al. on "
    "every table and ε. Holds if it also is closer than uniform there, and improved MWEM reaches the floor of the "
    "two-way fit by ε = 10 on most tables. Holds with conditions if one of these two fails, or if MWEM is closer than "
    "Barak et al. in at least half of the points, not in all. Otherwise it does not hold.",
    rule_order="changed after its first trials",
    history="The commit of the first trials, 16 minutes after the rule, also changed the T that they try: all four at "
    "every ε. Later, 23 minutes after the trials, the text of the rule was made to say what `verdict` had "
    "computed from the start: with conditions if MWEM is closer than Barak et al. in at least half of the "
    "points.",
    metrics=(METRIC,),
    batches=batches,
    plot=plot,
    verdict=verdict,
    references=references,
    choices=(Choice("rounds", (BEST_T, FIXED_T)),),
)
