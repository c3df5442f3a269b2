"""`python -m mwem_app.course.site FOLDER SEED [TEACHER]` writes the lessons as files; `mwem lessons` starts it."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from streamlit.logger import set_log_level

from mwem_app.course.lesson import LESSONS
from mwem_app.course.site.pages import handout_page, index_page, lesson_page
from mwem_app.course.site.slides import slides_page
from mwem_app.course.site.teacher_key import key, speaker_notes


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
    return _write_pages(folder, pages)


def write_for_teacher(folder: Path, seed: int) -> dict[str, int]:
    """Write the key and the speaker notes; returns the bytes of each file. Raises OSError where it cannot write."""
    return _write_pages(folder, {"key.md": partial(key, seed), "notes.md": partial(speaker_notes, seed)})


def _write_pages(folder: Path, pages: dict[str, Callable[[], str]]) -> dict[str, int]:
    for name in {(folder / name).parent for name in pages}:
        name.mkdir(parents=True, exist_ok=True)
    return {name: (folder / name).write_bytes(page().encode()) for name, page in pages.items()}


def main(folder: str, seed: str, teacher: str = "") -> int:
    """Write the files, and say how large they are; returns the exit code, 2 with a sentence where one cannot write.

    What only a teacher should have goes into the folder `teacher`, if one is named.
    """
    set_log_level("ERROR")  # Streamlit's caches warn that no app is served
    try:
        sizes = write(Path(folder), int(seed))
        kept = write_for_teacher(Path(teacher), int(seed)) if teacher else {}
    except OSError as problem:
        print(f"mwem: {str(problem.filename)!r} cannot be written: {problem.strerror}", file=sys.stderr)
        return 2
    print(f"{len(sizes)} files in {folder}, {sum(sizes.values()) / 1000:,.0f} kB: open {Path(folder) / 'index.html'}")
    if kept:
        print(f"{len(kept)} files in {teacher}, {sum(kept.values()) / 1000:,.0f} kB: for the teacher alone")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
