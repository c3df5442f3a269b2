"""The lessons as files that need no server: an index, and one page for each lesson, which fetches nothing.

`python -m mwem_app.site FOLDER SEED` writes them; `mwem lessons` starts it.
"""
