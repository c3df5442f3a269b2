"""What a run releases: synthetic rows, files, the manifest, and a script that repeats the run."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
