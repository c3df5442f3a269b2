"""Tables larger than memory, counted in place: files by `duckdb_files`, tables of a database by `ibis_tables`.

Both are an `sql_table`, whose queries `sql` writes.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
