"""Settings of MWEM by the names that scripts and trials before 0.4 have, all of them flat."""

from abc import ABCMeta
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

UPDATES = ("step", "sweeps", "tolerance", "in_order")
TABLES = ("penalty", "first", "costs")
SAME = ("epsilon", "delta", "T", "selection", "split", "repeats", "output", "cell_budget", "rows_from")
OLD = (*UPDATES, *TABLES, "select", "candidates", "annealing", "replay", "update", "histogram_start", "last_fit")


def by_field(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings as `settings.change` takes them. Raises TypeError for a name that there never was."""
    if unknown := [name for name in flat if name not in (*SAME, *OLD)]:
        raise TypeError(f"MWEM has no setting {unknown[0]!r}")
    tables, replays = flat.get("select") == "tables", flat.get("replay", True)
    if flat.get("update") == "implicit" and not (tables and replays):
        raise ValueError("an implicit update fits all tables measured so far: select tables, and replay")
    of_tables = {"penalty": "none", "costs": "equal", "candidates": "workload"}
    if not tables and any(flat.get(name, usual) != usual for name, usual in of_tables.items()):
        raise ValueError("penalties, costs by cells and candidates within the workload are of tables: select tables")
    changes = {name: flat[name] for name in SAME if name in flat}
    if flat.get("annealing"):
        changes |= {"T": "annealed", "T.T": changes.pop("T", 10)}
    if "select" in flat:
        changes["candidates"] = flat["select"]
    if tables:
        changes["candidates.penalty"] = flat.get("penalty", "none")
        changes["candidates.by_cells"] = flat.get("costs") == "cells"
        changes["candidates.within"] = flat.get("candidates", "workload")
    if "first" in flat:
        changes["candidates.one_way_first"] = flat["first"] == "one-way"
    if flat.get("update") == "implicit":
        changes["update"] = "implicit"
    else:
        if {"replay", "update"} & flat.keys():
            changes["update"] = "replay" if replays else "newest"
        replayed = UPDATES if replays else ("step",)
        changes |= {f"update.{name}": flat[name] for name in replayed if name in flat}
    if "last_fit" in flat and replays:
        changes["update.near_prior"] = flat["last_fit"] == "prior"
    if flat.get("histogram_start"):
        changes |= {"start": "histogram", "start.share": flat["histogram_start"]}
    return changes


class TakesFlat(ABCMeta):
    """The class of MWEM: called with settings that only earlier versions had, it gives what `from_flat` makes of them.

    That may be of another class, as MWEM once was the class of all that Automatic chooses among.
    """

    from_flat: ClassVar[Callable[[dict[str, Any]], Any] | None] = None  # `automatic.flat.from_flat`

    if not TYPE_CHECKING:

        def __call__(cls, **settings):
            """Settings by today's names, or by those before 0.4."""
            words = any(isinstance(settings.get(name), str) for name in ("update", "candidates"))
            old = words or settings.keys() - cls.__dataclass_fields__.keys()
            return TakesFlat.from_flat(settings) if old else super().__call__(**settings)
