"""A lesson on paper, for the learner: one sheet with data, a figure and tasks, and no answers."""

from markupsafe import Markup

from mwem_app.course.learn.blocks import Exercise, Formula, PredictChoice, PredictDrawn, PredictNumber
from mwem_app.course.learn.exercises.kinds import DrawnExercise
from mwem_app.course.learn.lessons import Lesson
from mwem_app.course.lessons.paper.sheet import sheet_of
from mwem_app.course.lessons.written import blocks_of
from mwem_app.course.site.page import HERE, MARKDOWN, inside
from mwem_core.base import template

PAGE = template(HERE / "handout.html.jinja")


def handout_page(lesson: Lesson, seed: int, link: str = "") -> str:
    """The handout of a lesson with the draws of a seed, to print on two pages. It has no script and fetches nothing."""
    blocks = list(inside(blocks_of(lesson, seed)))

    def of(*kinds: type) -> list:
        return [block for block in blocks if isinstance(block, kinds)]

    return str(
        PAGE(
            lesson=lesson,
            sheet=sheet_of(lesson, seed),
            formulas=of(Formula),
            symbols={name: text for formula in of(Formula) for name, text in formula.symbols.items()},
            predictions=of(PredictChoice, PredictNumber, PredictDrawn),
            exercises=[block for block in blocks if isinstance(block, Exercise | DrawnExercise)],
            inline=lambda text: Markup(MARKDOWN.renderInline(text)),
            seed=seed,
            link=link,
        )
    )
