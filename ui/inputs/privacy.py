"""How private, and by which variant of MWEM: ε with the noise it means, and the settings behind it."""

from dataclasses import dataclass

import streamlit as st

from mwem_core.mwem.mwem import MWEM, Rounds
from mwem_core.mwem.presets import PRESETS
from mwem_core.privacy.budget import Guarantee
from mwem_core.workload.workload import Workload
from ui.page.wording import problem
from ui.session import state
from ui.words.numbers import percent, records

GRID = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
USUAL = 1.0
EXACTLY, EXTRA, REFUSED = "_epsilon_exactly", "_epsilon_extra", "_epsilon_refused"
BY_RULE = "by rule"
DELTAS = ("0", "1e-9", "1e-6")
MORE_NOISE = "A smaller ε means more noise."


def choose_epsilon() -> float:
    """ε from a scale on which each step is about half as much again, or any other by number."""
    _from_address()
    grid = sorted({*GRID, *st.session_state.get(EXTRA, ())})
    epsilon = st.select_slider(
        "Privacy budget ε",
        grid,
        value=USUAL,
        key=state.EPSILON,
        bind=state.BIND,
        format_func=lambda value: f"{value:g}",
        help="What all rounds together may reveal. A **smaller** ε is **more** private and means **more** noise. "
        "Attributes that matter do not need a smaller ε of their own: the budget covers the whole record.",
    )
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.caption(":material/arrow_back: more private", width="content")
        st.caption("more exact :material/arrow_forward:", width="content")
    if refused := st.session_state.get(REFUSED):
        problem(refused)
    return float(epsilon)


def _from_address() -> None:
    """An ε in the address that is not on the scale joins it; one that is none is named, and the usual one taken."""
    if state.EPSILON in st.session_state or state.EPSILON not in st.query_params:
        return
    text = st.query_params[state.EPSILON]
    try:
        _join(text)
    except ValueError as error:
        st.session_state[REFUSED] = f"{error}; the address asked for it, ε = {USUAL:g} is used"


def _join(text: str) -> float:
    try:
        epsilon = float(text)
    except ValueError:
        raise ValueError(f"epsilon must be a positive number, got {text!r}") from None
    Guarantee(epsilon)
    if epsilon not in GRID:
        st.session_state[EXTRA] = (epsilon,)
    return epsilon


def _set_exactly() -> None:
    st.session_state.pop(REFUSED, None)
    if text := st.session_state[EXACTLY].strip():
        try:
            st.session_state[state.EPSILON] = _join(text)
        except ValueError as error:
            st.session_state[REFUSED] = str(error)


@dataclass(frozen=True)
class Variant:
    """What was set under Advanced, as it was written."""

    preset: str
    rounds: str
    delta: str
    seed: str

    def settings(self, workload: Workload, *, n: int, epsilon: float) -> MWEM:
        """MWEM's settings; raises ValueError, one sentence, where they do not go together."""
        T, delta = _rounds(self.rounds), _delta(self.delta)
        made = PRESETS[self.preset](workload, n=n, epsilon=epsilon, delta=delta, T=T)
        made.check(workload)
        return made

    @property
    def number(self) -> int | None:
        """The seed; raises ValueError where it is none."""
        if not self.seed:
            return None
        if not (self.seed.isascii() and self.seed.isdigit()):
            raise ValueError(f"a seed is a whole number from 0 up, got {self.seed!r}: leave it empty for none")
        return int(self.seed)


def choose_variant() -> Variant:
    """Which variant of MWEM, in a corner of its own: all of it has sensible defaults."""
    with st.popover("Advanced", icon=":material/tune:"):
        preset = st.segmented_control(
            "Preset",
            list(PRESETS),
            key=state.PRESET,
            default="default",
            required=True,
            bind=state.BIND,
            help="**default**: whole tables where there are some, most of the budget to measure, refit until it "
            "settles. **paper**: the experiments of 2012 to the letter.",
        )
        rounds = st.selectbox(
            "Rounds T",
            _with_held(state.ROUNDS, (BY_RULE, "theorem", "adaptive", "5", "10", "20")),
            key=state.ROUNDS,
            bind=state.BIND,
            accept_new_options=True,
            help="A number, or: **by rule**, a public rule of the preset's; **theorem**, what Theorem 2.3 likes best; "
            "**adaptive**, doubled while rounds are worth their noise.",
        )
        delta = _delta_text()
        seed = st.text_input(
            "Seed",
            key=state.SEED,
            bind=state.BIND,
            placeholder="none",
            max_chars=12,
            help="With a seed the same run can be had again, and whoever knows it can take the noise away.",
        )
        _epsilon_by_number()
    return Variant(preset, rounds or BY_RULE, delta, (seed or "").strip())


def choose_delta(*, exactly: bool = False) -> float:
    """δ, in a corner of its own, with ε by number where that is chosen on its scale; raises ValueError for no δ."""
    with st.popover("Advanced", icon=":material/tune:"):
        delta = _delta_text()
        if exactly:
            _epsilon_by_number()
    delta = _delta(delta)
    Guarantee(USUAL, delta)
    return delta


def _delta_text() -> str:
    delta = st.selectbox(
        "δ",
        _with_held(state.DELTA, DELTAS),
        key=state.DELTA,
        bind=state.BIND,
        accept_new_options=True,
        help="0 for pure ε-differential privacy and Laplace noise. Else a chance well below 1/n that more leaks: "
        "Gaussian noise, counted by zCDP.",
    )
    return delta or "0"


def _epsilon_by_number() -> None:
    st.text_input("ε by number", key=EXACTLY, placeholder="for one between the marks", on_change=_set_exactly)


def describe_noise(settings: MWEM, workload: Workload, n: int) -> str:
    """What ε means for one measurement, in records and as a share of n."""
    T = settings.planned_rounds(n, workload)
    if T is None:
        return "Rounds are decided on the way, and the noise of each with them."
    share = (1 - settings.split) / settings.room(T, workload)
    off = settings.guarantee.budget.part(share).mean_noise
    each = "each number of a measured table" if settings.select == "tables" else "one measurement"
    how = "1 round" if T == 1 else f"{T:,} rounds"
    pure = Guarantee(settings.epsilon).budget.part(share).mean_noise
    return f"In {how}, {each} is off by about **±{records(off)} records** ({percent(off / n)} of n). " + (
        f"With δ = 0 it would be ±{records(pure)}: δ pays over more rounds." if pure < off else MORE_NOISE
    )


def _with_held(key: str, choices: tuple[str, ...]) -> list[str]:
    """The choices, and the one that was typed or stands in the address."""
    held = st.session_state.get(key) or st.query_params.get(key)
    return [*choices, *([held] if held and held not in choices else [])]


def _rounds(text: str) -> Rounds | None:
    if text == BY_RULE:
        return None
    if text in ("theorem", "adaptive"):
        return text  # pyright: ignore[reportReturnType]
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"rounds must be a whole number of at least 1, theorem or adaptive, got {text!r}") from None


def _delta(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"delta must be a number of at least 0 and less than 1, such as 1e-9, got {text!r}") from None
