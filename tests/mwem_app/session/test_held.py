"""The memory that a thing holds in arrays."""

from dataclasses import dataclass

import numpy as np

from mwem_app.session.held import bytes_held


@dataclass
class Model:
    """A thing with arrays."""

    tables: dict[str, np.ndarray]
    parts: tuple


def test_every_array_counts_once_and_a_view_as_what_it_is_a_view_of():
    table, mask = np.zeros(100), np.zeros(50, bool)
    model = Model({"a": table, "again": table, "half": table[:50]}, (mask, [mask], "text", len))
    assert bytes_held(model, set()) == 850


def test_of_a_second_thing_only_what_the_first_has_not_counts():
    shared, counted = np.zeros(100), set()
    first, second = Model({"a": shared}, ()), Model({"a": shared}, (np.zeros(10),))
    assert bytes_held(first, counted) == 800
    assert bytes_held(second, counted) == 80
    assert bytes_held(second, counted) == 0
