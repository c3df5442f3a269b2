"""The names of the eight cells of `mwem_app.course.numbers.eight`, and of its six questions."""

ROWS = "coffee", "no coffee"
COLUMNS = "first year, short sleep", "first year, longer", "later year, short sleep", "later year, longer"
QUESTIONS = (
    "coffee",
    "first year",
    "short sleep",
    "coffee, first year",
    "coffee, short sleep",
    "first year, short sleep",
)
