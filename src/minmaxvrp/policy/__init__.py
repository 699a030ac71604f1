"""Guess: the DPN network and its rollouts. torch."""

from .config import PolicyConfig
from .construct import Policy
from .published import import_weights

__all__ = ["Policy", "PolicyConfig", "import_weights"]
