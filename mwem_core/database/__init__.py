"""Tables larger than memory, encoded in parts: files by `large_files`, tables of a database by `ibis_tables`.

`table_parts` encodes the parts of both.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
