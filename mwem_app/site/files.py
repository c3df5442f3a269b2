"""The files of the site, and their folder."""

from pathlib import Path

from mwem_app.learn.lessons import LESSONS
from mwem_app.site.page import index_page, lesson_page


def write(folder: Path, seed: int) -> dict[str, int]:
    """Write the index and the page of every lesson with the draws of a seed; returns the bytes of each file.

    Raises OSError where it cannot write.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"index.html": index_page(seed)} | {f"{each.path}.html": lesson_page(each, seed) for each in LESSONS}
    return {name: (folder / name).write_bytes(page.encode()) for name, page in pages.items()}
