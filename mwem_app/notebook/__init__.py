"""The live player in a notebook, and as a page that opens offline: `from mwem_app.notebook import watch`."""

from mwem_app.notebook.notebook_run import NotebookRun, watch

__all__ = ["NotebookRun", "watch"]
