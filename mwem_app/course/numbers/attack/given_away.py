"""A schema that was read off the data: a value that occurs once gives a person away before any noise is drawn."""

from dataclasses import dataclass

import pyarrow as pa

from mwem_core.schemas import propose
from mwem_core.tables import read_table

CLASS = """home,age,drink
Rome,19,tea
Rome,20,coffee
Oslo,19,coffee
Lima,21,tea
Oslo,20,mate
Rome,58,coffee
Lima,20,tea
Oslo,21,coffee
"""

Schema = dict[str, tuple[str, ...]]  # attribute -> the texts of its values


@dataclass(frozen=True)
class Proposals:
    """The schema proposed for a class, and for the class without each of its students."""

    rows: list[dict[str, str]]
    whole: Schema
    without: list[Schema]

    def lost(self, student: int) -> dict[str, tuple[str, ...]]:
        """The values that the schema loses with a student, of each attribute that loses some."""
        fewer = self.without[student]
        lost = {name: tuple(v for v in values if v not in fewer.get(name, ())) for name, values in self.whole.items()}
        return {name: values for name, values in lost.items() if values}


def proposals() -> Proposals:
    """Propose a schema for `CLASS`, then for each class of one student fewer."""
    table = read_table(CLASS.encode())
    rows = [dict(zip(table.column_names, row, strict=True)) for row in zip(*table.to_pydict().values(), strict=True)]
    others = [[i for i in range(table.num_rows) if i != student] for student in range(table.num_rows)]
    return Proposals(rows, _proposed(table), [_proposed(table.take(kept)) for kept in others])


def _proposed(table: pa.Table) -> Schema:
    return {attribute.name: attribute.labels for attribute in propose(table).attributes}
