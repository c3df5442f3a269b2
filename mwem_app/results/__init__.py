"""Numbers that a page shows, computed without drawing."""
