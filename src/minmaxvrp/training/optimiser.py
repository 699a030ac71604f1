"""One step of the weights: Adam or Muon, learning-rate schedule, gradient clipping, moving average.

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
    """Adam over the trainable parameters of a network, and the average of all its weights.

    With `muon` the matrices of the encoder's layers take steps along the orthogonal matrix nearest to their
    mean gradient, as long as Adam's steps typically are, so that one learning rate serves both.
    """

    def __init__(self, network: Network, config: TrainConfig) -> None:
        self.config, self.network = config, network
        for name, parameter in network.named_parameters():
            chosen = config.trainable == "all" or name.startswith("decoder.context_head.")
            parameter.requires_grad_(chosen)
        self.trained = {n: p for n, p in network.named_parameters() if p.requires_grad}
        self._names = {p: n for n, p in self.trained.items()}
        matrices = _encoder_matrices(self.trained) if config.optimiser == "muon" else []
        rest = [p for n, p in self.trained.items() if n not in matrices]
        rate = config.learning_rate
        self.parts: dict[str, torch.optim.Optimizer] = {
            "adam": torch.optim.Adam(rest, lr=rate, foreach=False)
        }
        if matrices:
            self.parts["muon"] = torch.optim.Muon(
                [self.trained[n] for n in matrices], lr=rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"
            )
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
        for part in self.parts.values():
            for group in part.param_groups:
                group["lr"] = rate
            part.step()
        # The average of few steps forgets its beginning faster.
        decay = min(self.config.average_weights, (1.0 + step) / (10.0 + step))
        for name, mean in self.average.items():
            mean.lerp_(self.network.get_parameter(name).detach(), 1.0 - decay)

    def tensors(self) -> dict[str, Tensor]:
        """Everything that a resumed run needs, by name."""
        found = {f"weights.{n}": p.detach() for n, p in self.network.named_parameters()}
        found |= {f"average.{n}": mean for n, mean in self.average.items()}
        for label, part in self.parts.items():
            for name, parameter in self.trained.items():
                for key, value in part.state.get(parameter, {}).items():
                    found[f"{label}.{key}.{name}"] = value
        return found

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Take over what `tensors` gave. Raises `KeyError` or `ValueError` when it is of another network."""
        with torch.no_grad():
            for name, parameter in self.network.named_parameters():
                _fill(parameter, tensors[f"weights.{name}"])
        for name, mean in self.average.items():
            _fill(mean, tensors[f"average.{name}"])
        for label, part in self.parts.items():
            for parameter in part.param_groups[0]["params"]:
                state = {f"{label}.{key}.{self._names[parameter]}": key for key in _STATE[label]}
                if state.keys() <= tensors.keys():
                    part.state[parameter] = {key: tensors[name].clone() for name, key in state.items()}

    def best_weights(self) -> dict[str, Tensor]:
        """The weights to use: the average where there is one, else the current ones."""
        return self.average or {n: p.detach() for n, p in self.network.named_parameters()}


_STATE = {"adam": ("step", "exp_avg", "exp_avg_sq"), "muon": ("momentum_buffer",)}
"""What each optimiser remembers of a parameter."""


def _encoder_matrices(parameters: dict[str, torch.nn.Parameter]) -> list[str]:
    """Names of the weight matrices of the encoder's layers."""
    return [n for n, p in parameters.items() if n.startswith("encoder.layers.") and p.ndim == 2]


def _fill(target: Tensor, source: Tensor) -> None:
    if target.shape != source.shape:
        raise ValueError(f"a tensor of shape {list(source.shape)}, expected {list(target.shape)}")
    target.copy_(source)
