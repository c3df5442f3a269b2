"""What is public about a record. `values`: the value set of an attribute, of `numbers` and `dates` (their forms:
`date_forms`) too, and of a number that is `unbinned` yet; `attribute`: its codes; `domain`: all attributes and their
cells; `rules`: cells that are impossible, in the language of `predicates`; `edits`: records changed so that they are
possible; `schema`: the file that declares all this; `marks`: which cells of it were read off the data; `source`: what
can answer a workload; `merging`: fewer values of an attribute, where there are too many to draw."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
