"""Charts and texts placed on a page."""
