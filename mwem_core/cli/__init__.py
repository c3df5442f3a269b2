"""The command line: a file for each command, or for two; `mwem_core.__main__` calls the one that is named."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
