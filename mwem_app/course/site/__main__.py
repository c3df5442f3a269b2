"""`python -m mwem_app.course.site FOLDER SEED [TEACHER]` writes the lessons as files; `mwem lessons` starts it."""

import sys
from pathlib import Path

from streamlit.logger import set_log_level

from mwem_app.course.site.files import write, write_for_teacher


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
