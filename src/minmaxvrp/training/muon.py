"""Muon: momentum whose matrices are made orthogonal before they are added (Jordan et al. 2024).

`optimiser` uses it for the matrices of the encoder's layers where the config says so; Adam keeps the rest.
torch has a Muon of its own, which orthogonalises in bfloat16: on processors without instructions for it one
128 × 512 matrix takes 27 times as long as here in float32.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

MOMENTUM = 0.95
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the quintic iteration: chosen by its authors for a steep slope at 0, so that five rounds are enough."""
ROUNDS = 5
ADAM_SIZE = 0.2
"""Root mean square of an update, in learning rates: about that of Adam, so that both use one rate."""


class Muon:
    """The momentum of some matrices, and the step that they take."""

    def __init__(self, parameters: Mapping[str, Tensor]) -> None:
        self.parameters = dict(parameters)
        self.momentum = {name: torch.zeros_like(p) for name, p in self.parameters.items()}

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Change the matrices by the gradients that they hold."""
        for names in _by_shape(self.parameters):
            updates = []
            for name in names:
                gradient = self.parameters[name].grad
                assert gradient is not None
                momentum = self.momentum[name].lerp_(gradient, 1.0 - MOMENTUM)
                updates.append(gradient.lerp(momentum, MOMENTUM))  # Nesterov's look ahead
            shape = self.parameters[names[0]].shape
            size = rate * ADAM_SIZE * max(shape) ** 0.5
            for name, update in zip(names, orthogonal(torch.stack(updates)), strict=True):
                self.parameters[name].sub_(update, alpha=size)


def orthogonal(matrices: Tensor) -> Tensor:
    """The nearest matrices with orthonormal rows (or columns, if fewer), roughly: [n, a, b].

    Their singular values are between about 0.7 and 1.2, which serves as well as 1 (Newton-Schulz iteration).
    """
    a, b, c = COEFFICIENTS
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.transpose(1, 2) if tall else matrices
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(ROUNDS):
        gram = x @ x.transpose(1, 2)
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.transpose(1, 2) if tall else x


def _by_shape(parameters: Mapping[str, Tensor]) -> Iterable[list[str]]:
    """Names of matrices of equal shape, which are computed together."""
    groups = defaultdict(list)
    for name, parameter in parameters.items():
        groups[tuple(parameter.shape)].append(name)
    return groups.values()
