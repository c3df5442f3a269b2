"""Core objects as charts, each carrying its badge: what may leave the room, and what may not.

Colours are mid-tones with a contrast of 3 : 1 on light and on dark paper, grounds are transparent, and so is zero in a
heat map: one figure serves both themes. Amber is the original, teal what came out of the run; an outline against a
filling says the same without colour. Title and badge are for the page to write above the figure, as text that wraps.
"""
