"""Guess: the DPN network and its rollouts. torch, imported when the network is first asked for."""

from typing import TYPE_CHECKING, Any

from .policy_config import PolicyConfig

if TYPE_CHECKING:
    from .policy import Policy
    from .published_weights import import_weights

__all__ = ["Policy", "PolicyConfig", "import_weights"]


def __getattr__(name: str) -> Any:
    """`Policy` and `import_weights`, imported late: label workers read configs without torch."""
    if name == "Policy":
        from .policy import Policy

        return Policy
    if name == "import_weights":
        from .published_weights import import_weights

        return import_weights
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
