"""Drawings that move without the server: the pieces they are made of, and their place on a page of Streamlit.

A drawing is a script that defines `make(root, send)`; `pieces/build.js` calls it once for an element, and the `update`
that it returns with every message.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
