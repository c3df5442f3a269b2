"""Noise on every parity, then projection onto a convex body; and boosting with it."""
