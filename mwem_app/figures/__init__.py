"""Numbers as Plotly charts, each with a badge that says whether it may be published.

Colours are mid-tones with a contrast of 3 : 1 on light and on dark paper. Backgrounds are transparent, and so is zero
in a heat map, so one figure serves both themes. Amber is the original, teal the synthetic side; an outline against a
filling says the same without colour. The page writes title and badge above the figure, as text that wraps.
"""
