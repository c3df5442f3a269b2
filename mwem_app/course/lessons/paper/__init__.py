"""The lessons on paper: for each a question, the data to compute with by hand, a figure in black and white, and tasks.

The module that has the path of a lesson as its name makes its sheet: `sheet(seed)`, with numbers of the core.
"""
