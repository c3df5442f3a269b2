"""Widgets that start work or take and give files, and a part of a page that is drawn again while work goes on."""

from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from mwem_app.base import queue_in_words
from mwem_app.page.wording import problem
from mwem_app.session import Allowance, Background, CpuTime, Runner, Task, Turns, demo, is_demo, state

T = TypeVar("T")
REDRAW_SECONDS = 1.0  # charts are updated in place, yet each redraw costs CPU time


def upload_file(label: str, **options: Any) -> Any:
    """`st.file_uploader` with its options; in a public demo a sentence and None. Pages take files by it alone."""
    if is_demo():
        st.info(demo.NO_FILES, icon=":material/upload_file:")
        return None
    return st.file_uploader(label, **options)


def download(label: str, make: Callable[[], bytes | str], name: str, mime: str, **look: Any) -> None:
    """A button that downloads the file `name` with what `make()` returns. Pressing it does not run the page again.

    `make` runs outside a session: what it reads of `st.session_state` must be read before.

    Streamlit itself ties such a file to no session, and deletes it when the second script ends in any session. Among
    the pages of a class, that is before the browser has fetched it. So the file is tied to this session, under the
    digest by which Streamlit finds it again, until the session runs its page again or ends.
    """
    context = get_script_run_ctx()

    def make_data() -> bytes:
        content = make()
        data = content.encode() if isinstance(content, str) else content
        if context and exists() and get_instance().is_active_session(context.session_id):
            media = get_instance().media_file_mgr
            tied = Thread(target=media.add, args=(data, mime, f"download {name}", name, True))
            add_script_run_ctx(tied, context).start()
            tied.join()
        return data

    st.download_button(label, make_data, name, mime, on_click="ignore", **look)


def may_start(line: Turns | None) -> bool:
    """Whether the visitor may start work in this line now; if not, the page says why. None: it is there already."""
    if is_demo() and (sentence := _allowance().refusal(line)):
        problem(sentence)
        return False
    return True


def count_work(work: Background | Runner | float) -> None:
    """Count work that has just started, or CPU seconds that something is known to take, in the visitor's allowance."""
    if is_demo():
        _allowance().add(CpuTime(work) if isinstance(work, float | int) else work.taken)


def _allowance() -> Allowance:
    return st.session_state.setdefault(state.ALLOWANCE, Allowance())


def redraw_while(
    pending: Callable[[], bool], show: Callable[[], None], *, was_pending: bool, every: float = REDRAW_SECONDS
) -> None:
    """Call `show`, and again every so many seconds while `pending()`; once it ends, redraw the whole page.

    `was_pending` says what the page above shows: work that has ended since then still needs that redraw.
    """
    st.fragment(_redraw, run_every=every if was_pending else None)(pending, show, was_pending)


def _redraw(pending: Callable[[], bool], show: Callable[[], None], was_pending: bool) -> None:
    if was_pending and not pending():
        st.rerun()
    show()


def follow_task(task: Task[T], show: Callable[[T], None], wait: str) -> None:
    """Show what the task gave, or why it gave nothing; until it has ended, that it waits for its turn, or `wait`."""

    def show_state() -> None:
        if task.active:
            st.caption(f":material/hourglass: {queue_in_words(task.before) if task.before else wait}")
        elif task.problem:
            problem(task.problem)
        elif task.result is not None:
            show(task.result)

    redraw_while(lambda: task.active, show_state, was_pending=task.active, every=0.5)
