"""The systems that MWEM is compared with, one per file. Each says how it differs from MWEM, and yields rounds too.

A system is a frozen class of settings. If its paper's settings depend on the task, its file also has a function of
the system's name, or one whose name ends in `preset`: its keyword arguments say what it reads of workload, n, epsilon,
delta and T. `mwem_core.systems` lists all systems by name.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
