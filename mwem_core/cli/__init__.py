"""The command line, one command per file; `mwem_core.__main__` defines the arguments."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
