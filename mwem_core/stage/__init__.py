"""What privacy costs, to be shown: runs over ε and rounds as pictures. `tables`: the tables that a picture draws, and
how they are read; `tracks`: a run as a picture, round by round; `questions`: what a run says of a condition after each
round; `one_person`: releases with and without one person; `stored`: tracks in files, and those that come with the
program. NOT PRIVATE: a track's tables are released values, but its errors, the truth and the differences that one
person makes are computed from the data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
