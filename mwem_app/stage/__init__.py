"""What privacy costs, in one picture: ε under one hand, the round under the other, and the table itself on the screen.

`message` says what the browser needs, once; the scripts redraw it at every position of both sliders without the
server. `mounted` shows it on a page of Streamlit, and `page` is the same as one file that opens offline.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
