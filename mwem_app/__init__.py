"""What the pages share: session keys, widgets, figures, the thread a run lives in, and the live player."""
