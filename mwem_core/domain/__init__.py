"""What is public about a record, and records. `attribute`: one attribute and the codes of its values; `domain`: all
attributes and their cells; `rules`: cells that are impossible, in the language of `predicates`; `schema`: the file that
declares all this, with marks on what was read off the data; `groups`: attributes named in groups; `source`: what can
answer a workload; `records`: the private table, counted by `counting`; `public_table`: tables that everybody may see.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
