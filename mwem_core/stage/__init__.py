"""What privacy costs, to be shown: runs over ε and rounds as pictures.

`tables`: the tables that a picture draws, how they are read, and what they say of a condition. `merged_values`: fewer
values where there are too many to draw. `tracks`: a run as a picture, round by round, and such runs in files.
NOT PRIVATE: a track's tables are released values, but its errors and the truth are computed from the data.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
