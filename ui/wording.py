"""How numbers, problems and badges read on every page."""

import math
import re

import streamlit as st


def plain(text: str) -> str:
    """A text that Markdown leaves as it is: a user's own values may hold anything."""
    return re.sub(r"([\\`*_{}\[\]$~<>#|:])", r"\\\1", text)


def problem(error: Exception | str) -> None:
    """One sentence on what is wrong and what to do, where it arose."""
    st.error(plain(str(error)), icon=":material/error:")


def share(value: float) -> str:
    """A share of n with two telling digits: "0.018", "0.00034"."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    return f"{value:.{min(8, max(2, 1 - math.floor(math.log10(abs(value)))))}f}"


def percent(value: float) -> str:
    """A share in per cent with two telling digits: "0.03%"."""
    return f"{share(100 * value)}%" if value < 0.01 else f"{100 * value:.{1 if value < 0.1 else 0}f}%"


def records(value: float) -> str:
    """A number of records: whole where it is large, with a digit where it is small."""
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}" if abs(value) >= 0.1 else f"{value:.2g}"


def count(number: int, one: str, many: str = "") -> str:
    """ "1 query", "3,982 queries"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(cells: int) -> str:
    """A number of cells: written out as long as it can be read."""
    return (
        f"{cells:,}"
        if cells < 10**9
        else f"{cells / 10 ** math.floor(math.log10(cells)):.1f}·10{_raised(math.floor(math.log10(cells)))}"
    )


def _raised(exponent: int) -> str:
    return str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def badge(*, private: bool, seeded: bool) -> None:
    """Whether what follows may leave the room: not what the truth went into, nor noise that a seed takes away again."""
    if private:
        st.badge("made from the private data: do not publish", icon=":material/lock:", color="orange")
    elif seeded:
        st.badge("not private: the seed takes the noise away", icon=":material/lock:", color="orange")
    else:
        st.badge("differentially private: may leave the room", icon=":material/check:", color="green")
