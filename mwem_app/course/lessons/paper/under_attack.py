"""The lesson on attacks against a release, on paper: one count as evidence, a schema, and a seed."""

import math

from mwem_app.base import percent
from mwem_app.course.lessons.attack import NAMES
from mwem_app.course.lessons.paper.figures import strips
from mwem_app.course.lessons.paper.sheet import Data, Figure, Sheet, Task
from mwem_app.course.numbers.attack.given_away import proposals
from mwem_app.course.numbers.attack.seed import unmasked
from mwem_app.course.numbers.noise import dots
from mwem_app.inputs import load_sample
from mwem_core.privacy import cap

EPSILON, PERSON, SHOWN, PUBLISHED = 1.0, 0, 60, 17


def sheet(seed: int) -> Sheet:
    """The cell of one student, a class of eight, and counts whose seed is known."""
    survey = load_sample("Class survey")
    cell = int(survey.marginal((0, 1, 2))[tuple(column[PERSON] for column in survey.codes)])
    without, with_person = dots("laplace", cell - 1, [EPSILON], count=SHOWN, seed=seed)[0]
    seen = cell + 0.8
    found = proposals()
    alone = [name for student, name in enumerate(NAMES) if found.lost(student)]
    undone = unmasked(survey, (0,), epsilon=EPSILON, seed=PUBLISHED)
    labels = survey.domain.attributes[0].labels
    noise = undone.released - undone.exact
    strip = {f"without Ada: {cell - 1}": without, f"with Ada: {cell}": with_person}
    return Sheet(
        question="The counts have honest noise. What else may lie beside them?",
        parts=(
            Figure(
                f"{SHOWN} possible releases of Ada's cell with her, and {SHOWN} without her, at ε = {EPSILON:g}",
                strips(strip, cell - 7, cell + 6, title="released count", label="Noisy counts with and without Ada"),
            ),
            Data(
                "A class of eight",
                ("", *found.rows[0]),
                [(name, *row.values()) for name, row in zip(NAMES, found.rows, strict=True)],
            ),
            Data(
                f"Released counts, and the noise that the published seed {PUBLISHED} draws",
                ("", *labels),
                [
                    ("released", *(f"{value:.2f}" for value in undone.released)),
                    ("noise of the seed", *(f"{value:.2f}" for value in noise)),
                    ("exact", *[""] * len(labels)),
                ],
            ),
        ),
        tasks=(
            Task(
                f"The release says {seen:g}. How many times as probable is that with Ada ({cell}) as without her "
                f"({cell - 1})? Use e^(−ε |release − count|). How often is the best guesser right at most?",
                f"e^({EPSILON:g} · (1.8 − 0.8)) = {math.exp(EPSILON):.2f} times. At most {percent(cap(EPSILON))}.",
            ),
            Task(
                "A schema lists the values that occur in the class of eight, and bins from its smallest to its largest "
                "age. Whose leaving can be seen in it?",
                f"{', '.join(alone)}: a value or the end of a bin goes with each of them.",
            ),
            Task(
                "Find the exact counts of the last table.",
                ", ".join(f"{name} {value:.0f}" for name, value in zip(labels, undone.exact, strict=True)) + ".",
            ),
        ),
    )
