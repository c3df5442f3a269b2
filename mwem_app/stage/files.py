"""The scripts and styles of the stage, for a page of Streamlit and for a page in one file."""

from pathlib import Path

from mwem_app.charts import style_of

HERE = Path(__file__).parent
SHARED = "rounds_chart", "tables"
PLAYER = tuple(HERE / f"{name}.js" for name in (*SHARED, "round", "player"))
DEMONSTRATION = tuple(
    HERE / f"{name}.js" for name in (*SHARED, "runs", "sentences", "question", "person", "demonstration")
)
STYLES = (HERE / "stage.css",)
CSS = style_of(STYLES)
PRESENT = (HERE / "present.css").read_text(encoding="utf-8")  # for a projector
