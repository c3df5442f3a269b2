"""The pieces of the page Ask: a release that is given, a line for questions, and their answers."""
