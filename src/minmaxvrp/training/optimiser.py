"""One step of the weights: Adam, learning-rate schedule, gradient clipping, moving average.

Its whole state is tensors and one counter, so `checkpoint` can save it exactly. `loop` calls it after the
gradients of all pieces and processes are summed.
"""

import math

import torch
from torch import Tensor

from ..policy.network import Network
from .train_config import TrainConfig


def learning_rate(config: TrainConfig, step: int) -> float:
    """The rate of step `step` (from 0): a linear warm-up, then constant or a half cosine."""
    if step < config.warmup_steps:
        return config.learning_rate * (step + 1) / config.warmup_steps
    if config.schedule == "constant":
        return config.learning_rate
    span = max(1, config.steps - config.warmup_steps)
    share = min(1.0, (step - config.warmup_steps) / span)
    drop = config.learning_rate - config.final_rate
    return config.final_rate + drop * 0.5 * (1.0 + math.cos(math.pi * share))


class Optimiser:
    """Adam over the trainable parameters of a network, and the average of all its weights."""

    def __init__(self, network: Network, config: TrainConfig) -> None:
        self.config, self.network = config, network
        for name, parameter in network.named_parameters():
            chosen = config.trainable == "all" or name.startswith("decoder.context_head.")
            parameter.requires_grad_(chosen)
        self.trained = {n: p for n, p in network.named_parameters() if p.requires_grad}
        self.adam = torch.optim.Adam(self.trained.values(), lr=config.learning_rate, foreach=False)
        self.average: dict[str, Tensor] = {}
        if config.average_weights > 0.0:
            self.average = {n: p.detach().clone() for n, p in network.named_parameters()}

    def zero_gradient(self) -> None:
        """Set all gradients to 0, also those of weights that no piece of this process uses."""
        for parameter in self.trained.values():
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            parameter.grad.zero_()

    def gradient_norm(self) -> float:
        """Euclidean norm of the whole gradient, which is clipped on the way where the config says so."""
        limit = self.config.clip_gradient if self.config.clip_gradient > 0.0 else math.inf
        return float(torch.nn.utils.clip_grad_norm_(self.trained.values(), limit))

    def step(self, step: int) -> None:
        """Change the weights by the gradients that they hold."""
        rate = learning_rate(self.config, step)
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.step()
        # The average of few steps forgets its beginning faster.
        decay = min(self.config.average_weights, (1.0 + step) / (10.0 + step))
        for name, mean in self.average.items():
            mean.lerp_(self.network.get_parameter(name).detach(), 1.0 - decay)

    def tensors(self) -> dict[str, Tensor]:
        """Everything that a resumed run needs, by name."""
        found = {f"weights.{n}": p.detach() for n, p in self.network.named_parameters()}
        found |= {f"average.{n}": mean for n, mean in self.average.items()}
        for name, parameter in self.trained.items():
            for key, value in self.adam.state.get(parameter, {}).items():
                found[f"adam.{key}.{name}"] = value
        return found

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Take over what `tensors` gave. Raises `KeyError` or `ValueError` when it is of another network."""
        with torch.no_grad():
            for name, parameter in self.network.named_parameters():
                _fill(parameter, tensors[f"weights.{name}"])
        for name, mean in self.average.items():
            _fill(mean, tensors[f"average.{name}"])
        for name, parameter in self.trained.items():
            if f"adam.step.{name}" in tensors:
                self.adam.state[parameter] = {
                    key: tensors[f"adam.{key}.{name}"].clone() for key in ("step", "exp_avg", "exp_avg_sq")
                }

    def best_weights(self) -> dict[str, Tensor]:
        """The weights to use: the average where there is one, else the current ones."""
        return self.average or {n: p.detach() for n, p in self.network.named_parameters()}


def _fill(target: Tensor, source: Tensor) -> None:
    if target.shape != source.shape:
        raise ValueError(f"a tensor of shape {list(source.shape)}, expected {list(target.shape)}")
    target.copy_(source)
