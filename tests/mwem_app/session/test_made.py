"""What pages make of a public run: made once, again where making it failed, and not without end."""

import threading

import pytest

from mwem_app.session.made import MOST, Made


def test_who_asks_while_another_makes_it_waits_for_the_same_value():
    made, begun, go_on, found = Made(), threading.Event(), threading.Event(), []

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
    made, begun, go_on, found = Made(), threading.Event(), threading.Event(), []

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
    made = Made()
    values = [made.get("look", i, object) for i in range(MOST)]
    assert made.get("look", 0, object) is values[0]
    made.get("look", MOST, object)
    assert made.get("look", 0, object) is values[0]
    assert made.get("look", 1, object) is not values[1]
