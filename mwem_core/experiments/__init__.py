"""The paper's experiments: claim, set-up, trials, and a verdict computed from committed trials."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
