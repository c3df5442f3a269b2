"""Work that visitors share, what pages make of it, and the memory that it holds."""

import gc
import threading
import weakref
from dataclasses import dataclass

import numpy as np
import pytest

from mwem_app.session.shared_work import MAX_VALUES, SharedValues, SharedWork, bytes_held


class Work:
    """Work without a thread, of a size."""

    def __init__(self, size: int = 1):
        self.size, self.status = size, "running"


@pytest.fixture
def shared() -> SharedWork:
    return SharedWork(size=lambda work: work.size, most=lambda: 3)


def test_who_asks_at_the_same_time_gets_the_same_work(shared):
    made, together, found = [], threading.Barrier(8), []

    def make():
        made.append(Work())
        return made[-1]

    def ask():
        together.wait()
        found.append(shared.begin("key", make))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert found == made * 8


def test_what_was_asked_for_last_is_kept_by_its_size(shared):
    for key, size in (("a", 1), ("b", 1), ("c", 1)):
        shared.begin(key, lambda size=size: Work(size))
    assert shared.get("a")
    shared.begin("d", Work)
    gc.collect()
    assert [shared.get(key) is not None for key in "abcd"] == [True, False, True, True]
    shared.begin("large", lambda: Work(3))
    gc.collect()
    assert [shared.get(key) is not None for key in "abcd"] == [False] * 4
    assert shared.get("large")


def test_work_that_is_let_go_is_there_as_long_as_somebody_looks_at_it(shared):
    watched = shared.begin("watched", lambda: Work(9))  # larger than what is kept
    assert shared.begin("watched", Work) is watched
    last = weakref.ref(watched)
    del watched
    gc.collect()
    assert last() is None
    assert shared.get("watched") is None


@pytest.mark.parametrize("status", ["failed", "stopped"])
def test_work_that_failed_or_was_stopped_is_begun_anew(shared, status):
    work = shared.begin("key", Work)
    work.status = status
    assert shared.get("key") is None
    assert shared.begin("key", Work) is not work


def test_who_asks_while_another_makes_it_waits_for_the_same_value():
    made, begun, go_on, found = SharedValues(), threading.Event(), threading.Event(), []

    def make():
        begun.set()
        go_on.wait(5)
        return object()

    threads = [threading.Thread(target=lambda: found.append(made.get("rows", 1, make))) for _ in range(5)]
    for thread in threads:
        thread.start()
    begun.wait(5)
    go_on.set()
    for thread in threads:
        thread.join(5)
    assert len(found) == 5
    assert len(set(found)) == 1
    assert made.get("rows", 2, object) is not found[0]
    assert made.get("charts", 1, object) is not found[0]


def test_what_could_not_be_made_is_made_by_the_next_who_waits():
    """Streamlit ends the script of a visitor who presses a button: others are not to see that."""
    made, begun, go_on, found = SharedValues(), threading.Event(), threading.Event(), []

    class Ended(BaseException):
        pass

    def end():
        begun.set()
        go_on.wait(5)
        raise Ended

    def first():
        with pytest.raises(Ended):
            made.get("rows", 1, end)

    threads = [threading.Thread(target=first)]
    threads[0].start()
    begun.wait(5)
    threads.append(threading.Thread(target=lambda: found.append(made.get("rows", 1, lambda: "made"))))
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join(5)
    assert found == ["made"]


def test_of_each_kind_the_values_asked_for_last_stay():
    made = SharedValues()
    values = [made.get("look", i, object) for i in range(MAX_VALUES)]
    assert made.get("look", 0, object) is values[0]
    made.get("look", MAX_VALUES, object)
    assert made.get("look", 0, object) is values[0]
    assert made.get("look", 1, object) is not values[1]


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
