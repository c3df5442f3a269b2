"""A file of pages/ is a script that Streamlit runs anew for every visitor; here one runs as part of another."""

from pathlib import Path


def run_script(file: Path) -> None:
    """Run a script, also on several threads at once, which `runpy` cannot."""
    exec(compile(file.read_text(encoding="utf-8"), file, "exec"), {"__name__": "__main__", "__file__": str(file)})
