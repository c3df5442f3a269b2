"""The files of the site, in their folder, and those for the teacher, in another."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from mwem_app.course.learn.lessons import LESSONS
from mwem_app.course.site.handout import handout_page
from mwem_app.course.site.key import key, speaker_notes
from mwem_app.course.site.page import index_page, lesson_page
from mwem_app.course.site.slides import slides_page


def write(folder: Path, seed: int) -> dict[str, int]:
    """Write the index, and for every lesson its page, its slides and its handout; returns the bytes of each file.

    All have the draws of a seed. Raises OSError where it cannot write.
    """
    pages: dict[str, Callable[[], str]] = {"index.html": partial(index_page, seed)}
    for lesson in LESSONS:
        pages |= {
            f"{lesson.path}.html": partial(lesson_page, lesson, seed),
            f"slides/{lesson.path}.html": partial(slides_page, lesson, seed),
            f"handouts/{lesson.path}.html": partial(handout_page, lesson, seed),
        }
    return _written(folder, pages)


def write_for_teacher(folder: Path, seed: int) -> dict[str, int]:
    """Write the key, the speaker notes, and slides that show these; returns the bytes of each file.

    Raises OSError where it cannot write.
    """
    decks = {f"{lesson.path}.html": partial(slides_page, lesson, seed, teacher=True) for lesson in LESSONS}
    return _written(folder, {"key.md": partial(key, seed), "notes.md": partial(speaker_notes, seed)} | decks)


def _written(folder: Path, pages: dict[str, Callable[[], str]]) -> dict[str, int]:
    for name in {(folder / name).parent for name in pages}:
        name.mkdir(parents=True, exist_ok=True)
    return {name: (folder / name).write_bytes(page().encode()) for name, page in pages.items()}
