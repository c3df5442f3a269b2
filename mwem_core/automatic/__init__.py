"""The automatic choice, and what it chooses among.

`planned` measures once, `composed` runs one algorithm after another, and beside them are MWEM's rounds
(`mwem_core.mwem`). `default` takes what is expected to err least: the files `expected_*` say what each leaves unknown
of `typical_tables`, and `choice` compares them. `effort` says how long a run takes; `in_words` and `forecast` tell
people.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
