"""The pages of the course run app.py, as a server does."""

from app_pages import no_earlier_runs, served  # noqa: F401 (fixtures)
