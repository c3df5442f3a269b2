"""Which lesson teaches which part of the player."""

from mwem_app.run.inside import turn
from mwem_app.session import Plan

ANY = {"budget": "composition", "measure": "noise"}
ROUNDS = {"errors": "rounds", "select": "choosing", "update": "reweighting"}  # of runs that select in rounds


def lessons(plan: Plan) -> dict[str, str]:
    """The addresses of the lessons on what this plan's run shows, from the page Run, by the parts of the player."""
    taught = ANY | ROUNDS if turn(plan) == "round" else ANY
    return {part: f"learn?lesson={path}" for part, path in taught.items()}
