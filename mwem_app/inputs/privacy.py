"""The privacy budget and the variant of MWEM: ε, δ, the rounds, and the advanced settings."""

from dataclasses import dataclass, replace

import streamlit as st

from mwem_app.inputs.public_start_choice import offer_public_start
from mwem_app.page import plain, problem
from mwem_app.session import state
from mwem_core.algorithm import Spender
from mwem_core.domain import Domain, PublicTable
from mwem_core.mwem import Rounds
from mwem_core.privacy import RECORD, Guarantee, Unit
from mwem_core.systems import SHARE, MeasuredBins, system
from mwem_core.workload import Workload

EPSILON_MARKS = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
DEFAULT_EPSILON = 1.0
EPSILON_TEXT, EXTRA_MARKS, EPSILON_PROBLEM = "_epsilon_exactly", "_epsilon_extra", "_epsilon_refused"
BY_RULE = "by rule"
MAX_SEED_DIGITS = 12
DELTAS = ("0", "1e-9", "1e-6")
MORE = "More"
ROUNDS_HELP = (
    "**T**, the number of rounds, is a number or one of these. **by rule**: the method takes it from public numbers. "
    "**theorem**: the bound of Theorem 2.3, which holds with 95%, is least. **adaptive**: T doubles until a residual "
    "falls below its noise."
)


def choose_epsilon() -> float:
    """Let the user choose ε on a scale with steps of about 50%. The address or `_epsilon_by_number` may add a mark."""
    _from_address()
    marks = sorted({*EPSILON_MARKS, *st.session_state.get(EXTRA_MARKS, ())})
    epsilon = st.select_slider(
        "Privacy budget ε",
        marks,
        value=DEFAULT_EPSILON,
        key=state.EPSILON,
        bind=state.BIND,
        format_func=mark,
        help="The privacy loss of all rounds together. A **smaller** ε is **more** private and means **more** noise. "
        "The budget covers the whole record, so a sensitive attribute needs no smaller ε of its own.",
    )
    with st.container(horizontal=True, horizontal_alignment="distribute", key="epsilon_ends"):
        st.caption(":material/arrow_back: more private", width="content")
        st.caption("more accurate :material/arrow_forward:", width="content")
    if message := st.session_state.get(EPSILON_PROBLEM):
        problem(message)
    return float(epsilon)


def choose_bins_share(domain: Domain) -> float:
    """Let the user choose the share of the budget that measures bins; shown where the schema leaves any to be."""
    if not domain.unbinned:
        return SHARE
    share = st.number_input(
        "Share of the budget for bins",
        min_value=0.01,
        max_value=0.9,
        value=SHARE,
        step=0.05,
        key=state.BINS_SHARE,
        bind=state.BIND,
        help="It is spent before round 1, on noisy counts of the numbers whose bins the schema leaves open. The rounds "
        "have the rest. Too little leaves wide bins where most records are.",
    )
    names = ", ".join(plain(domain.names[a]) for a in domain.unbinned)
    st.caption(f"Before round 1, this share measures the bins of {names}. The rounds have the rest.")
    return float(share)


def mark(epsilon: float) -> str:
    """How the scale, and so the address, writes an ε."""
    return f"{epsilon:g}"


def _from_address() -> None:
    """Add the address's ε to the scale, however it is written. If it is no valid ε, say so and use the default."""
    if state.EPSILON in st.session_state or state.EPSILON not in st.query_params:
        return
    text = st.query_params[state.EPSILON]
    try:
        written = mark(_add_mark(text))
    except ValueError as error:
        st.session_state[EPSILON_PROBLEM] = f"In the address, {error}. ε = {DEFAULT_EPSILON:g} is used."
        return
    if written != text:  # as 10.0, or with more digits: the scale would not know its mark
        st.query_params[state.EPSILON] = written
        st.rerun()


def _add_mark(text: str) -> float:
    """Read an ε and add it to the scale; raises ValueError for an invalid ε."""
    try:
        epsilon = float(text)
    except ValueError:
        raise ValueError(f"epsilon must be a positive number, got {text!r}") from None
    Guarantee(epsilon)
    if epsilon not in EPSILON_MARKS:
        st.session_state[EXTRA_MARKS] = (epsilon,)
    return epsilon


def _set_from_text() -> None:
    st.session_state.pop(EPSILON_PROBLEM, None)
    if text := st.session_state[EPSILON_TEXT].strip():
        try:
            st.session_state[state.EPSILON] = _add_mark(text)
        except ValueError as error:
            st.session_state[EPSILON_PROBLEM] = str(error)


@dataclass(frozen=True)
class Variant:
    """The method, its rounds, δ and the seed, as typed."""

    system: str
    rounds: str
    delta: str
    seed: str

    def settings(self, workload: Workload, *, n: int, epsilon: float, public: PublicTable | None = None) -> Spender:
        """Return MWEM's settings; raises ValueError, one sentence, for an invalid setting or combination."""
        T, delta = _rounds(self.rounds), _delta(self.delta)
        chosen = system(self.system)
        settings = chosen.settings(
            workload, n=n, epsilon=epsilon, delta=delta, T=T if chosen.takes_T else None, public=public
        )
        assert isinstance(settings, Spender)
        settings.check(workload)
        return settings

    def with_bins(
        self,
        workload: Workload,
        *,
        n: int,
        epsilon: float,
        share: float,
        unit: Unit = RECORD,
        public: PublicTable | None = None,
    ) -> tuple[Spender, MeasuredBins | None]:
        """MWEM's settings, and what measures bins before it, at this share of the budget, where the schema asks for it.

        They are those for each record of a unit that has this ε. Raises ValueError as `settings` does, and for a budget
        too small for both.
        """
        if unit.records > 1:
            epsilon = Guarantee(epsilon, _delta(self.delta), unit).of_a_record.epsilon
        settings = self.settings(workload, n=n, epsilon=epsilon, public=public)
        if not workload.domain.unbinned:
            return settings, None

        def choose(epsilon: float, delta: float) -> Spender:
            return replace(self, delta=f"{delta!r}").settings(workload, n=n, epsilon=epsilon, public=public)

        bins = MeasuredBins.of(choose, epsilon=epsilon, delta=settings.guarantee.delta, share=share)
        assert isinstance(bins.inner, Spender)
        return bins.inner, bins

    @property
    def seed_number(self) -> int | None:
        """The seed, None if empty; raises ValueError for any other text that is no whole number."""
        if not self.seed:
            return None
        if not (self.seed.isascii() and self.seed.isdigit() and len(self.seed) <= MAX_SEED_DIGITS):
            raise ValueError(
                f"the seed must be a whole number of at least 0, with at most {MAX_SEED_DIGITS} digits, or empty for"
                f" none, got {self.seed!r}"
            )
        return int(self.seed)


def choose_rounds(system_name: str) -> str:
    """Let the user choose the number of rounds, of a system that takes one."""
    if not system(system_name).takes_T:
        return BY_RULE
    with st.expander(MORE):
        rounds = st.selectbox(
            "Rounds T",
            _with_current(state.ROUNDS, (BY_RULE, "theorem", "adaptive", "5", "10", "20")),
            key=state.ROUNDS,
            bind=state.BIND,
            accept_new_options=True,
            help=ROUNDS_HELP,
        )
    return rounds or BY_RULE


def current_rounds() -> str:
    """The number of rounds as the page had it last, or as its address has it: known before its widget is drawn."""
    return st.session_state.get(state.ROUNDS) or st.query_params.get(state.ROUNDS) or BY_RULE


def choose_advanced() -> tuple[str, str]:
    """Let the user choose δ and the seed, as typed; each has a default."""
    with st.expander(MORE):
        delta = _delta_text()
        seed = st.text_input(
            "Seed",
            key=state.SEED,
            bind=state.BIND,
            placeholder="none",
            max_chars=MAX_SEED_DIGITS,
            help="With a seed, the run can be repeated: exactly on the same kind of processor, elsewhere within its "
            "noise. Whoever knows the seed can remove the noise.",
        )
        _epsilon_by_number()
        offer_public_start()
    return delta, (seed or "").strip()


def choose_delta(*, with_epsilon: bool = False) -> float:
    """Let the user choose δ, and type ε `with_epsilon`; raises ValueError for an invalid δ."""
    with st.expander(MORE):
        text = _delta_text()
        if with_epsilon:
            _epsilon_by_number()
    delta = _delta(text)
    Guarantee(DEFAULT_EPSILON, delta)
    return delta


def _delta_text() -> str:
    delta = st.selectbox(
        "δ",
        _with_current(state.DELTA, DELTAS),
        key=state.DELTA,
        bind=state.BIND,
        accept_new_options=True,
        help="0: pure ε-differential privacy with Laplace noise. Above 0: Gaussian noise, accounted by zCDP, and with "
        "probability δ more may leak; choose δ well below 1/n.",
    )
    return delta or "0"


def _epsilon_by_number() -> None:
    st.text_input("ε by number", key=EPSILON_TEXT, placeholder="a value between the marks", on_change=_set_from_text)


def _with_current(key: str, choices: tuple[str, ...]) -> list[str]:
    """The choices, and the current value if the user typed another one or the address holds one."""
    current = st.session_state.get(key) or st.query_params.get(key)
    return [*choices, *([current] if current and current not in choices else [])]


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
