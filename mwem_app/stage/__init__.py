"""The stage shows rounds: a component in the browser, which draws them at every position of its sliders.

`rounds_message` brings rounds of one run as they come, whoever sends them: the player follows, plays and opens them,
drawn by `rounds_chart.js` and `tables.js`. `mount` shows the stage on a page of Streamlit, and `standalone` as a page
in one file, which a notebook shows too.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
