"""What a run releases: synthetic rows, files, the manifest, and a script that repeats the run."""

from mwem_core.release.files import answers_csv

__all__ = ["answers_csv"]  # scripts downloaded from 0.3 import it from here
