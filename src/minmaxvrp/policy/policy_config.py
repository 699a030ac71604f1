"""Sizes and choices of one network: `PolicyConfig`, kept beside its weights in every file.

The defaults are the paper's DPN. The other values are its ablations, its variant for very large
instances and the Equity-Transformer baseline.
"""

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from ..errors import InputError

ReturnRule = Literal["start", "any"]
"""Where the routes of a network end; it does not serve open ones."""
Form = Literal["single", "pairs", "multi"]
"""What the network is built for: one depot; one depot and pickup-delivery pairs; several depots."""

EncoderKind = Literal["pn", "pn-no-navigation", "equity"]
PositionKind = Literal["rotation", "sinusoidal"]
ResidualInit = Literal["uniform", "zero"]

HOTTEST = 1.2
"""The highest temperature, for few customers."""

_CHOICES: dict[str, tuple[str, ...]] = {
    "form": get_args(Form),
    "return_to": get_args(ReturnRule),
    "encoder": get_args(EncoderKind),
    "position": get_args(PositionKind),
    "residual_init": get_args(ResidualInit),
}


@dataclass(frozen=True)
class PolicyConfig:
    """Everything needed to build a `Network`. Raises `InputError` for values that do not fit together."""

    form: Form = "single"
    return_to: ReturnRule = "start"
    """The rule the weights were trained for; the network is the same function for both."""
    embed: int = 128
    num_layers: int = 6
    num_heads: int = 8
    hidden: int = 512
    """Hidden units of every feed-forward block."""
    tanh_clip: float = 50.0
    """C of the paper: logits lie between -C and C."""
    encoder: EncoderKind = "pn"
    position: PositionKind = "rotation"
    distance_bias: bool = True
    """Whether the distance to the current node is taken off the logits (the paper's alpha_d)."""
    context_head: bool = False
    """The "+LP" variant: a two-layer head on the context, the only part that fine-tuning trains."""
    depot_token: bool = False
    """Equity-Transformer's extra token: the depot itself, besides the M vehicles."""
    start_context: bool = False
    """Beyond the paper, for several depots: the context also reads the depot where the open route started
    and the way back to it, without which a vehicle cannot know where it must return. And when a start
    depot is chosen, what counts is not its distance to the current node, the last vehicle's depot, which
    would keep all vehicles at one depot, but the mean distance to its nearest unvisited customers, as many
    as are a fair share for one vehicle."""
    masked_glimpse: bool = False
    """Beyond the paper: the glimpse sees only what is left, i.e. no visited customers and, with pairs, a
    delivery only while its pickup is on board. The published glimpse sees all tokens at every step, so
    that nothing but the mask of the last softmax tells the decoder which customers are gone."""
    heat: float = 0.0
    """How rollouts are best drawn: at a temperature of `heat` over the number of customers, at most
    `HOTTEST`; 0 for greedy rollouts, as published. Greedy ones of a trained network hardly differ, drawn ones
    do; and longer rollouts have more occasions to go wrong."""
    residual_init: ResidualInit = "uniform"
    """First value of the residual scalars: uniform in (-1, 1) as published, or zero (ReZero)."""

    def __post_init__(self) -> None:
        for key, known in _CHOICES.items():
            if getattr(self, key) not in known:
                raise InputError(f"policy {key} = {getattr(self, key)!r}, expected one of {', '.join(known)}")
        for key in ("embed", "num_layers", "num_heads", "hidden"):
            value = getattr(self, key)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"policy {key} = {value!r}, expected a whole number of 1 or more")
        if self.embed % self.num_heads or self.embed % 2:
            raise InputError(
                f"policy embed = {self.embed}, expected an even multiple of num_heads = {self.num_heads}"
            )
        if not self.tanh_clip > 0:
            raise InputError(f"policy tanh_clip = {self.tanh_clip}, expected more than 0")
        if not 0 <= self.heat < float("inf"):
            raise InputError(f"policy heat = {self.heat}, expected 0 or more")
        if self.form == "multi" and (
            self.encoder == "equity" or self.position == "sinusoidal" or self.depot_token
        ):
            raise InputError("policy form = 'multi', expected a P&N encoder with position 'rotation'")
        if self.start_context and self.form != "multi":
            raise InputError(f"policy start_context with form = {self.form!r}, expected 'multi'")
        if self.depot_token and self.encoder != "equity":
            raise InputError(f"policy depot_token with encoder = {self.encoder!r}, expected 'equity'")

    @classmethod
    def equity_transformer(cls, form: Form = "single", num_layers: int = 3) -> "PolicyConfig":
        """The Equity-Transformer baseline as its authors publish it."""
        return cls(
            form=form,
            num_layers=num_layers,
            encoder="equity",
            position="sinusoidal",
            depot_token=True,
            distance_bias=False,
            tanh_clip=10.0,
        )

    @property
    def head_size(self) -> int:
        """Embedding size of one head."""
        return self.embed // self.num_heads

    @property
    def num_lengths(self) -> int:
        """Length features of the context: five with pairs, else three."""
        return 5 if self.form == "pairs" else 3

    def temperature(self, num_customers: int) -> float:
        """At which rollouts are drawn for so many customers; 0 for greedy ones."""
        return min(HOTTEST, self.heat / num_customers)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for metadata."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "PolicyConfig":
        """The config of `values`. Raises `InputError` when a field is missing or unknown.

        Files from before `start_context`, `masked_glimpse` and `heat` lack them and mean none.
        """
        values = {"start_context": False, "masked_glimpse": False, "heat": 0.0, **values}
        known = {f.name for f in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise InputError(f"policy config has unknown fields {', '.join(unknown)}")
        if missing := sorted(known - set(values)):
            raise InputError(f"policy config lacks the fields {', '.join(missing)}")
        return cls(**values)
