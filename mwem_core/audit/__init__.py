"""Audits the privacy of this program: replays on neighbouring tables, lower bounds on ε, and broken twins to catch."""
