"""Positional encodings that tell vehicles apart: rotation-based (DPN) and sinusoidal (Equity-Transformer).

The initial embeddings use them, and the multi-depot encoder rotates inside its attention.
"""

import torch
from torch import Tensor

ROTATION_BASE = 1_000.0
SINUSOIDAL_BASE = 10_000.0


def rotation_table(num_vehicles: int, embed: int, like: Tensor) -> tuple[Tensor, Tensor]:
    """(sin, cos) of the angles m·θ_i, θ_i = 1000^(-2i/E): each [M, E/2], device and type of `like`."""
    index = torch.arange(embed // 2, device=like.device, dtype=torch.float64)
    theta = ROTATION_BASE ** (-2.0 * index / embed)  # [E/2]
    angle = torch.arange(num_vehicles, device=like.device, dtype=torch.float64)[:, None] * theta  # [M, E/2]
    return angle.sin().to(like.dtype), angle.cos().to(like.dtype)


def rotate(vectors: Tensor) -> Tensor:
    """`vectors` [..., M, E] with vector m rotated by π/2 − mθ_i in each pair (e[2i], e[2i+1])."""
    sin, cos = rotation_table(vectors.shape[-2], vectors.shape[-1], vectors)
    u, v = vectors[..., 0::2], vectors[..., 1::2]  # [..., M, E/2]
    return torch.stack((u * sin - v * cos, v * sin + u * cos), dim=-1).flatten(-2)


def sinusoidal(first: int, num_rows: int, embed: int, like: Tensor) -> Tensor:
    """The paper's SPE(m, q) for m = first .. first + num_rows - 1: [num_rows, E]."""
    index = torch.arange(embed, device=like.device)
    wave = SINUSOIDAL_BASE ** (-(index // 2).double() / embed)  # [E]
    angle = torch.arange(first, first + num_rows, device=like.device, dtype=torch.float64)[:, None] * wave
    return torch.where(index % 2 == 0, angle.sin(), angle.cos()).to(like.dtype)
