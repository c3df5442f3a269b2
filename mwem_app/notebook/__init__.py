"""The live player in a notebook, and as a page that opens offline: `from mwem_app.notebook import watch`."""

from mwem_app.notebook.watching import Watched, watch

__all__ = ["Watched", "watch"]
