"""The stage shows rounds: a component in the browser, which draws them at every position of its sliders.

It takes two kinds of messages, and does not know who sends them. `rounds_message` brings rounds of one run as they
come: the player follows, plays and opens them. `runs_message` brings whole runs of one or more systems over ε: the
demonstration has a second slider for ε and a question. Both are drawn by the same pieces,
`rounds_chart.js` and `tables.js`. `mount` shows the stage on a page of Streamlit, and `standalone` as a page in one
file, which a notebook shows too. `scene` holds what a tab demonstrates, `inquiries` what it computes in the
background, and `scene_page` has its settings and takes over what the browser sends.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
