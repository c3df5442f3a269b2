"""The scripts and styles of the picture, for a page of Streamlit and for the page in one file."""

from pathlib import Path

HERE = Path(__file__).parent
NAMES = "runs", "sentences", "errors", "tables", "question", "person", "demonstration"
SCRIPTS = tuple(HERE / f"{name}.js" for name in NAMES)
STYLES = (HERE / "demonstration.css",)
