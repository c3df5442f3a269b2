"""Tables larger than memory, counted in place: files by DuckDB, tables of a database through Ibis."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
