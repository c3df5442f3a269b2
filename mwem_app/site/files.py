"""The files of the site, in their folder."""

from functools import partial
from pathlib import Path

from mwem_app.learn.lessons import LESSONS
from mwem_app.site.page import index_page, lesson_page


def write(folder: Path, seed: int) -> dict[str, int]:
    """Write the index and the page of every lesson with the draws of a seed; returns the bytes of each file.

    Raises OSError where it cannot write.
    """
    pages = {"index.html": partial(index_page, seed)}
    pages |= {f"{lesson.path}.html": partial(lesson_page, lesson, seed) for lesson in LESSONS}
    return {name: (folder / name).write_bytes(page().encode()) for name, page in pages.items()}
