"""Checks of the fourth notebook: what a model holds, two tables as one model, its update, an error, a schema."""

import tomllib
from collections.abc import Callable

import numpy as np
import pandas as pd

from checks.student import NotYet, call, call_for_array, close, require, right
from mwem_core import Domain, Records, Workload, encode, parse_workload

SCHEMA = '[[attribute]]\nname = "a"\nrange = [0, 2]\n[[attribute]]\nname = "b"\nrange = [0, 3]\n'
SCHEMA += '[[attribute]]\nname = "c"\nrange = [0, 1]\n'


def model_cells(function: Callable) -> None:
    """The sum over cliques of the products of their sizes."""
    for sizes, cliques, hint in (
        ([16, 5, 42], [(0, 1, 2)], "A table has a cell for each combination of values."),
        ([16, 5, 42], [(0,), (1,), (2,)], "Each clique has a table of its own, and the model holds all of them."),
        (
            [16, 5, 42, 2],
            [(0, 1), (1, 2), (3,)],
            "A clique names attributes by their index: (1, 2) has sizes[1] and sizes[2].",
        ),
    ):
        cells = float(call_for_array(function, sizes, cliques, shape=()))
        expected = sum(float(np.prod([sizes[a] for a in clique])) for clique in cliques)
        require(
            cells == expected,
            f"with the sizes {sizes} and the cliques {cliques} the model holds {expected:g} cells, and you say "
            f"{cells:g}. {hint}",
        )
    right("a model holds the sum of its cliques' cells, and a dense table the product of all.")


def joint(function: Callable) -> None:
    """The table over (a, b, c) with these two pairs, in which a and c are independent given b."""
    ab, bc = _pairs()
    table = call_for_array(function, ab, bc, shape=(*ab.shape, bc.shape[1]))
    require(
        close(table.sum(axis=2), ab) and close(table.sum(axis=0), bc),
        f"both pairs have {ab.sum():g} records, the table has {table.sum():.2f}, and its marginals are not the pairs. "
        "A product of ab and bc counts the records of each b twice: by what is it divided?",
    )
    for b in range(ab.shape[1]):
        slice_ = table[:, b, :] / table[:, b, :].sum()
        require(
            close(slice_, np.outer(slice_.sum(axis=1), slice_.sum(axis=0))),
            "both marginals are right, but given b, a still tells something of c, which no measurement said.",
        )
    right("both marginals are kept, and given b, a and c are independent: nothing else was measured.")


def updated(function: Callable) -> None:
    """A step by a measured table on ab, and the message to bc: the pairs of what the dense table would become."""
    ab, bc = _pairs()
    n, rng = ab.sum(), np.random.default_rng(9)
    measured = ab + rng.laplace(scale=3.0, size=ab.shape)
    result = call(function, ab, bc, measured, n)
    require(
        isinstance(result, tuple | list) and [np.shape(each) for each in result] == [ab.shape, bc.shape],
        "updated should give two tables, the new ab and the new bc. Look at what it returns.",
    )
    new_ab, new_bc = (np.asarray(each, float) for each in result)
    factor = np.exp((measured - ab) / (2 * n))
    dense = (ab * factor)[:, :, None] * bc[None, :, :] / ab.sum(axis=0)[None, :, None]
    dense *= n / dense.sum()
    require(close(new_ab.sum(), n), f"ab should still have n = {n:g} records, and has {new_ab.sum():.2f}.")
    require(
        close(new_ab, dense.sum(axis=2)),
        "ab is not what Figure 1's update makes of it, with every cell of ab as a query: exp((m - A) / 2n) for each, "
        "then total n. Look at the sign, the 2 and the scaling.",
    )
    require(
        not close(new_bc, bc),
        "ab has new numbers for b now, and bc still has the old ones. Send bc the message: what changed in b.",
    )
    require(
        close(new_bc.sum(axis=1), new_ab.sum(axis=0)),
        "the two tables disagree about b. Multiply each row of bc by what b's count has become over what it was.",
    )
    require(
        close(new_bc, dense.sum(axis=0)),
        "bc agrees about b, but c given b has changed, and nothing was measured of it.",
    )
    right("two small tables did exactly what the update of the whole table would have done.")


def mean_tv(function: Callable) -> None:
    """The mean over a workload's tables of ½ Σ |a - b| / n."""
    rng, domain = np.random.default_rng(10), Domain.from_toml(SCHEMA)
    Q = parse_workload("marginals:2", domain)
    ours, theirs = (_records(domain, rng) for _ in range(2))
    same, value = (float(call_for_array(function, Q, A, theirs, shape=())) for A in (theirs, ours))
    require(same == 0, f"a table differs from itself by 0, and you say {same:g}.")
    expected = _mean_tv(Q, ours, theirs)
    hint = "Sum over the cells of a table, then take the mean over the tables."
    if close(value, 2 * expected):
        hint = "Every record that is too much in one cell lacks in another: count it once."
    elif close(value, expected * theirs.total):
        hint = "It is in records: divide by n."
    elif value < 0 or value < expected / 10:
        hint = "Errors of opposite signs cancel. Take absolute values."
    require(
        close(value, expected),
        f"for two tables the mean total variation is {expected:.4f}, and you say {value:.4f}. {hint}",
    )
    right("total variation is the share of records that lie in a wrong cell, in the mean over the tables.")


def schema(function: Callable, people: pd.DataFrame) -> None:
    """A schema for a table: it can be read, has every column, holds all values, and was not read off the data."""
    text = call(function)
    require(isinstance(text, str), "schema should give text: the TOML between three quotes.")
    try:
        domain = Domain.from_toml(text)
    except ValueError as error:
        raise NotYet(f"the schema cannot be read: {error}.") from None
    lacking = [name for name in people.columns if name not in domain.names]
    require(
        not lacking, f"the schema says nothing of {', '.join(map(str, lacking))}. Add a block [[attribute]] for each."
    )
    try:
        encode(people, domain)
    except ValueError as error:
        raise NotYet(f"the table does not fit the schema: {error}.") from None
    for attribute in tomllib.loads(text)["attribute"]:
        bounds = attribute.get("range", attribute.get("edges"))
        if isinstance(bounds, list):
            numbers = np.asarray(pd.to_numeric(people[attribute["name"]], errors="coerce"), float)
            low, high = np.nanmin(numbers), np.nanmax(numbers)
            require(
                (low, high) != (bounds[0], bounds[-1]),
                f"{attribute['name']} goes from {low:g} to {high:g} in this table, and so does the schema: its bounds "
                "tell the lowest and the highest record. Take bounds that hold for everybody.",
            )
    right(f"{len(domain)} attributes and {domain.size:,} cells, declared without a look at the records.")


def _pairs() -> tuple[np.ndarray, np.ndarray]:
    """Two tables of 60 records, ab and bc, that agree about b."""
    rng = np.random.default_rng(8)
    abc = 60 * rng.dirichlet(np.full(24, 3.0)).reshape(3, 4, 2)
    return abc.sum(axis=2), abc.sum(axis=0)


def _records(domain: Domain, rng: np.random.Generator) -> Records:
    return Records(domain, tuple(rng.integers(0, size, size=40).astype(np.uint8) for size in domain.shape))


def _mean_tv(Q: Workload, A: Records, B: Records) -> float:
    distances = [
        np.abs(a - b).sum() / (2 * B.total) for a, b in zip(A.marginals(Q.sets), B.marginals(Q.sets), strict=True)
    ]
    return float(np.mean(distances))
