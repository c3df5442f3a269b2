"""The paper: the loop of MWEM, its candidates, its presets and its theorem."""

from mwem_core.mwem.mwem import MWEM

__all__ = ["MWEM"]  # scripts downloaded from 0.3 import it from here
