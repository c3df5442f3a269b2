"""Fits near a prior.

`strength` says how strong a typical table's prior is, and which one is most probable once something is measured; `fits`
find the model near it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
