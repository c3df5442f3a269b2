"""A noise source whose standard draws are given, and which keeps what it was asked."""

import numpy as np

from mwem_core.privacy import laws


class GivenNoise:
    """Adds given standard draws, zeros by default, at the scale of the mechanism. Keeps exact values and scales."""

    def __init__(self, draws=0.0):
        self.draws, self.all_exact, self.scales = np.asarray(draws), [], []

    def laplace(self, exact, epsilon, sensitivity):
        """The exact values plus the scaled draws."""
        return self._scaled(exact, laws.laplace_scale(epsilon, sensitivity))

    def gaussian(self, exact, rho, sensitivity):
        """The exact values plus the scaled draws."""
        return self._scaled(exact, laws.gaussian_scale(rho, sensitivity))

    def _scaled(self, exact, scale):
        self.all_exact.append(np.array(exact))
        self.scales.append(scale)
        return exact + scale * (self.draws.reshape(np.shape(exact)) if self.draws.ndim else self.draws)

    @property
    def exact(self):
        """What was measured last."""
        return self.all_exact[-1]

    @property
    def scale(self):
        """The scale of the last measurement."""
        return self.scales[-1]
