"""The pieces of the Run page."""
