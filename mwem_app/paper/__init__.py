"""The page The paper: an experiment's claim, figure and verdict."""
