"""The lessons: each a sequence of blocks for a seed, with numbers that the core computes. Nothing here shows them.

A module has the path of its lesson as its name, and `blocks(seed)` yields the lesson.
"""
