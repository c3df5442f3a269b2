"""Reconstruct secret bits from counts over groups: from exact answers, then from noisy ones (Dinur & Nissim 2003)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.privacy import NoiseSource, laplace

STUDENTS = 8
SMALLEST = 4  # students in a group that the curator answers for
EPSILONS = 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0  # of all noisy answers together
HALVES = 8  # random halves of the class, each asked about together with the other half
TRIALS = 1000  # classes with random secrets, for each ε
SECRETS = (np.arange(2**STUDENTS)[:, None] >> np.arange(STUDENTS)) & 1  # all possible secrets, (256, 8)
GROUPS = SECRETS[SECRETS.sum(axis=1) >= SMALLEST]  # all groups that may be asked about, (163, 8)

Bits = np.ndarray  # (8,) of 0 and 1: a secret, or the members of a group


def secret(rng: np.random.Generator) -> Bits:
    """One secret bit for each student: 1 for a random half, so that the count of all eight does not settle it."""
    return _half(rng)


def answer(bits: Bits, group: Bits) -> int:
    """How many of the group have the bit 1: exact, so not private at all. Raises ValueError for a small group."""
    if group.sum() < SMALLEST:
        raise ValueError(f"the group must have at least {SMALLEST} students, got {group.sum()}")
    return int(group @ bits)


def consistent(groups: Sequence[Bits], answers: Sequence[int]) -> np.ndarray:
    """The secrets that give these answers for these groups: (m, 8)."""
    left = SECRETS
    for group, each in zip(groups, answers, strict=True):
        left = left[left @ group == each]
    return left


def known_bits(left: np.ndarray) -> list[int | None]:
    """Each student's bit, where all secrets that are left agree on it."""
    return [int(column[0]) if (column == column[0]).all() else None for column in left.T]


def fewest(bits: Bits, left: np.ndarray = SECRETS) -> int:
    """How many more answers a greedy attacker needs for all bits, if the secrets that are `left`, (m, 8), are possible.

    It always asks about the group whose answer has the largest entropy over the secrets left.
    """
    asked = 0
    while len(left) > 1:
        group = GROUPS[np.argmax([_entropy(counts) for counts in (left @ GROUPS.T).T])]
        left, asked = left[left @ group == answer(bits, group)], asked + 1
    return asked


@dataclass(frozen=True, eq=False)
class Recovery:
    """Attacks on noisy counts of the same groups, at each ε of `EPSILONS`.

    `share` is the share of bits found, over all classes; `cap` is the most that ε allows. For the first class,
    `bits` is the secret and `guess`, (ε, 8), what the attack found. `scale` is that of the Laplace noise.
    """

    share: np.ndarray
    cap: np.ndarray
    bits: Bits
    guess: np.ndarray
    scale: np.ndarray

    def least_epsilon(self, share: float) -> float:
        """The least ε of `EPSILONS` at which this share of the bits is found; inf if at none."""
        return next((e for e, found in zip(EPSILONS, self.share, strict=True) if found >= share), math.inf)


def recovery(*, rng: np.random.Generator, noise: NoiseSource) -> Recovery:
    """Attack noisy counts over halves of random classes, at each ε.

    One student is in half of the groups, which is the sensitivity of all answers together. So they are ε-DP.
    """
    groups = random_halves(rng)
    classes = rng.integers(2, size=(TRIALS, STUDENTS))
    found = []
    for epsilon in EPSILONS:
        noisy, scale = laplace(classes @ groups.T, epsilon=epsilon, sensitivity=HALVES, noise=noise)
        found.append((decode(noisy, groups, scale), scale))
    guesses = np.array([guess for guess, _ in found])
    return Recovery(
        share=(guesses == classes).mean(axis=(1, 2)),
        cap=np.array([1 / (1 + math.exp(-epsilon)) for epsilon in EPSILONS]),
        bits=classes[0],
        guess=guesses[:, 0],
        scale=np.array([scale for _, scale in found]),
    )


def random_halves(rng: np.random.Generator) -> np.ndarray:
    """Random halves of the class, each followed by the other half: (2 · `HALVES`, 8)."""
    some = np.array([_half(rng) for _ in range(HALVES)])
    return np.stack([some, 1 - some], axis=1).reshape(-1, STUDENTS)


def decode(noisy: np.ndarray, groups: np.ndarray, scale: float) -> np.ndarray:
    """For each row of noisy answers, (m, groups), the more probable value of every bit: (m, 8).

    All 256 secrets are weighed by the probability that Laplace noise makes these answers from theirs.
    """
    logs = -np.stack([np.abs(noisy - exact).sum(axis=1) for exact in SECRETS @ groups.T], axis=1) / scale
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return (weights @ SECRETS > weights.sum(axis=1, keepdims=True) / 2).astype(int)


def _half(rng: np.random.Generator) -> Bits:
    """A random half of the class."""
    return (rng.permutation(STUDENTS) < STUDENTS // 2).astype(int)


def _entropy(counts: np.ndarray) -> float:
    """The entropy of a column of answers, in nats, where each row is equally likely."""
    shares = np.bincount(counts) / len(counts)
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())
