"""Random questions to random tables, from the usual to the perverse, and all that is said of a run before it starts.

Question i is always the same. Some rules leave little possible, some predicates always hold or never, and weights, ε, δ
and n go to the ends of what is allowed.
"""

import dis
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mwem_app.run import describe_noise
from mwem_core.algorithm import Algorithm
from mwem_core.audit import domain_of, random_records
from mwem_core.automatic import effort
from mwem_core.domain import Domain, PublicTable
from mwem_core.mwem import MWEM, best_rounds, theorem_bound
from mwem_core.privacy import RECORD, Unit
from mwem_core.release import Terms, TotalPolicy, guarantee_in_words, public_facts, total_in_words
from mwem_core.systems import SYSTEMS, MeasuredTotal
from mwem_core.workload import Workload, parse_workload

ROOT = Path(__file__).parents[2]
SIZES = (2, 2, 2, 3, 4, 7, 12)  # of an attribute
MAX_CELLS = 5_000  # of a domain
# With δ > 0, of few pairs, as a pair that has not been converted to ρ before takes a tenth of a second.
EPSILONS, DELTAS = (1e-6, 1e-4, 0.01, 0.05, 0.3, 1.0, 3.0, 30.0, 1e6), (1e-300, 1e-9, 1e-6, 1e-3)
WEIGHTS = ("0.5", "2", "7", "999", "1000")
MAX_N = 10**10
MAX_PUBLIC = 100  # records of a public table
RAISE = dis.opmap["RAISE_VARARGS"]


@dataclass(frozen=True, eq=False)
class Question:
    """A workload for n records at (ε, δ) for a unit, with a public table to start from, or none."""

    number: int
    workload: Workload
    n: int
    epsilon: float
    delta: float
    unit: Unit
    public: PublicTable | None

    def terms(self, total: TotalPolicy) -> Terms:
        """Those of a release, with n measured or public."""
        asked = {"epsilon": self.epsilon, "delta": self.delta, "unit": self.unit, "public": self.public}
        return Terms(dataset="random", workload=self.workload, provenance="file", total=total, **asked)

    def __str__(self) -> str:
        Q, start = self.workload, f" from {self.public.records.total} public records" if self.public else ""
        asked = f"ε = {self.epsilon!r}, δ = {self.delta:g}, n = {self.n:,}, {self.unit}{start}"
        return f"{Q.spec} on {Q.domain.shape} never {Q.domain.never}, {asked}"


def question(number: int) -> Question:
    """Question i."""
    rng = np.random.default_rng([2045, number])
    Q = _workload(rng)
    start = PublicTable("public", random_records(Q.domain, int(rng.integers(1, MAX_PUBLIC)), rng))
    delta = 0.0 if rng.random() < 0.5 else float(rng.choice(DELTAS))
    any_epsilon = 10 ** (rng.uniform(-6, 6) if rng.random() < 0.3 else rng.uniform(-2, 1))
    return Question(
        number,
        Q,
        n=round(math.exp(rng.uniform(0, math.log(MAX_N if rng.random() < 0.7 else 5)))),
        epsilon=float(rng.choice(EPSILONS)) if delta else any_epsilon,
        delta=delta,
        unit=Unit("a", 3) if rng.random() < 0.2 else RECORD,
        public=start if rng.random() < 0.3 else None,
    )


def forecasts(asked: Question) -> None:
    """Everything that checks a run or tells what it will be, with n public and with n measured.

    For MWEM, a release, and one more system, all in turn. Raises AssertionError for an exception that is not a
    ValueError with a sentence, and where what a release checked is refused once the noisy n, here `asked.n`, is known.
    """
    Q, n, numbers = asked.workload, asked.n, {"epsilon": asked.epsilon, "delta": asked.delta}
    for name in ("mwem", list(SYSTEMS)[asked.number % len(SYSTEMS)]):
        system = SYSTEMS[name]
        start = asked.public if name.startswith("mwem") else None
        answered(asked, lambda: forecast(system.settings(Q, n=n, **numbers, public=start), Q, n))  # noqa: B023
    for total in ("measured", "public"):
        answered(asked, lambda: before_a_release(asked.terms(total), n))  # noqa: B023
    answered(asked, lambda: best_theorem(Q, n, asked.epsilon))


def forecast(settings: Algorithm, Q: Workload, n: int) -> None:
    """What is said of a run with these settings on n records."""
    settings.check(Q)
    T = settings.planned_rounds(n, Q)
    assert T is None or 0 <= T < math.inf
    assert settings.guarantee.budget.amount >= 0
    if isinstance(settings, MWEM):
        assert 0 < effort(settings, Q, n).seconds < math.inf
        assert "nan" not in describe_noise(settings, Q, n)


def before_a_release(terms: Terms, n: int) -> None:
    """What a release checks before it is charged, and says of itself; then what runs once n is known."""
    settings = terms.settings(n)
    settings.check(terms.workload)
    assert terms.amount(settings).value > 0
    for said in (guarantee_in_words(terms.promise(settings)), total_in_words(terms), str(public_facts(terms))):
        assert "nan" not in said
    if isinstance(settings, MeasuredTotal):
        try:
            forecast(settings.settings(terms.workload, n), terms.workload, n)
        except ValueError as error:
            raise AssertionError(f"refused after n was paid for: {error}") from error


def best_theorem(Q: Workload, n: int, epsilon: float) -> None:
    sizes = {"n": n, "domain_size": Q.domain.size, "queries": Q.size, "epsilon": epsilon}
    assert 0 <= theorem_bound(rounds=best_rounds(**sizes), **sizes) < math.inf


def answered(asked: Question, call: Callable[[], object]) -> bool:
    """Whether the call ends well; if not, it must raise a ValueError that this program words."""
    try:
        call()
    except ValueError as error:
        if not _worded_here(error) or len(str(error).split()) < 4:
            raise AssertionError(f"{asked}: {error}") from error
        return False
    except Exception as error:
        raise AssertionError(f"{asked}: {type(error).__name__}: {error}") from error
    return True


def _worded_here(error: ValueError) -> bool:
    """Whether a `raise` of the core made it, not a library or a built-in function that the core called."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    assert last is not None
    code = last.tb_frame.f_code
    return Path(code.co_filename).is_relative_to(ROOT / "mwem_core") and code.co_code[last.tb_lasti] == RAISE


def _workload(rng: np.random.Generator) -> Workload:
    """One to four terms over a random domain."""
    while True:
        sizes = rng.choice(SIZES if rng.random() < 0.6 else [2], size=rng.integers(1, 7)).tolist()
        while math.prod(sizes) > MAX_CELLS:
            sizes = sizes[1:]
        domain = domain_of(sizes)
        try:
            if rng.random() < 0.2:
                domain = Domain(domain.attributes, (_predicate(domain, rng),))
            return parse_workload(" + ".join(_term(domain, rng) for _ in range(rng.choice([1, 1, 2, 2, 3, 4]))), domain)
        except ValueError:
            continue  # a rule that forbids everything, parities of three values


def _term(domain: Domain, rng: np.random.Generator) -> str:
    d, names = len(domain), [str(name) for name in rng.permutation(domain.names)]
    family = rng.choice(["marginals", "marginals", "cuboids", "parities", "ranges", "ranges", "where", "where"])
    if family == "ranges":
        columns, which = ",".join(names[: rng.integers(1, 3)]), rng.choice(["all", "prefixes", "1", "3", "20@7"])
        made = f"ranges:{columns}:{which}"
    elif family == "where":
        made = "where:" + "; ".join(_predicate(domain, rng) for _ in range(rng.integers(1, 6)))
    else:
        made = f"{family}:{'<=' if family != 'parities' and rng.random() < 0.3 else ''}{rng.integers(1, min(d, 4) + 1)}"
    return made if rng.random() < 0.4 else f"{rng.choice(WEIGHTS)}*{made}"


def _predicate(domain: Domain, rng: np.random.Generator) -> str:
    """A comparison, or several; it may hold of every record, or of none."""

    def comparison() -> str:
        a = int(rng.integers(len(domain)))
        return f"{domain.names[a]} {rng.choice(['==', '!=', '<', '>='])} {rng.integers(domain.shape[a])}"

    return f" {rng.choice(['and', 'or'])} ".join(comparison() for _ in range(rng.integers(1, 4)))
