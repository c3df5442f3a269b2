"""A button for a file that is made when somebody presses it."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import streamlit as st
from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx


def download(label: str, make: Callable[[], bytes | str], name: str, mime: str, **look: Any) -> None:
    """A button that downloads the file `name` with what `make()` returns. Pressing it does not run the page again.

    `make` runs outside a session: what it reads of `st.session_state` must be read before.

    Streamlit itself ties such a file to no session, and deletes it when the second script ends in any session. Among
    the pages of a class, that is before the browser has fetched it. So the file is tied to this session, under the
    digest by which Streamlit finds it again, until the session runs its page again or ends.
    """
    context = get_script_run_ctx()

    def made() -> bytes:
        content = make()
        data = content.encode() if isinstance(content, str) else content
        if context and exists() and get_instance().is_active_session(context.session_id):
            media = get_instance().media_file_mgr
            tied = Thread(target=media.add, args=(data, mime, f"download {name}", name, True))
            add_script_run_ctx(tied, context).start()
            tied.join()
        return data

    st.download_button(label, made, name, mime, on_click="ignore", **look)
