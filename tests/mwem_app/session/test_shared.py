"""Work that visitors share: begun once, there as long as somebody looks, and beyond that as much as is kept."""

import gc
import threading
import weakref

import pytest

from mwem_app.session.shared import Shared


class Work:
    """Work without a thread, of a size."""

    def __init__(self, size: int = 1):
        self.size, self.status = size, "running"


@pytest.fixture
def shared() -> Shared:
    return Shared(size=lambda work: work.size, most=lambda: 3)


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
