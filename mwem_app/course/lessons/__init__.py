"""The lessons: each a sequence of blocks for a seed, with numbers that the core computes. Nothing here shows them.

The module that has the path of a lesson as its name yields its blocks: `blocks(seed)`. `notes` has what a teacher says
in each lesson, and `paper` what its handout has besides.
"""
