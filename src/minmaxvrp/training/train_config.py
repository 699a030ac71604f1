"""Everything a training run needs to know: `TrainConfig`, from preset files and `--set key=value`.

First on the walk of train: `presets.load` → `TrainConfig` → `loop.train`. The defaults are the paper's
settings; what goes beyond the paper is off unless a preset turns it on.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..errors import InputError
from ..policy.policy_config import PolicyConfig

Baseline = Literal["permutations", "symmetries"]
Schedule = Literal["constant", "cosine"]
Shapes = Literal["batch", "piece"]
FleetSizes = Literal["uniform", "log"]
Precision = Literal["float32", "bfloat16", "auto"]
Trainable = Literal["all", "context_head"]
OptimiserName = Literal["adam", "muon"]
Range = tuple[int, int]


@dataclass(frozen=True)
class TrainConfig:
    """One training run. Raises `InputError` for values that do not fit together."""

    network: PolicyConfig = field(default_factory=PolicyConfig)
    seed: int = 1

    # Instances: sizes are drawn uniformly from these ranges, both ends included.
    customers: Range = (49, 49)
    vehicles: Range = (2, 10)
    depots: Range = (1, 1)
    shapes: Shapes = "batch"
    """Whether one N, M, D is drawn for a whole batch (the paper) or for each piece of it."""

    fleet_sizes: FleetSizes = "uniform"
    """How M is drawn from its range: `log` draws 2 or 3 as often as 4 to 7, so that long routes, which few
    vehicles have and which are hardest to learn, come up more often."""

    # Steps
    steps: int = 500_000
    batch_size: int = 256
    """Instances per step, over all processes."""
    piece_size: int = 16
    """Instances computed at once; a batch is cut into pieces, so this bounds memory."""
    start_from: str = ""
    """Weights to begin with: a file, a run folder, or the name of shipped ones; empty: random."""
    trainable: Trainable = "all"
    precision: Precision = "float32"
    """Of matrix products, with their gradients; everything else is float32. `auto`: bfloat16 where the
    processor has instructions for it and it is known to work, see `policy.half_products`."""

    # REINFORCE
    rollouts: int = 60
    """K: rollouts per instance."""
    baseline: Baseline = "permutations"
    """Mean over K vehicle orders (APS loss), or over the 8 symmetric copies in a fixed order."""
    normalise_advantage: bool = False
    leader: float = 0.0
    """What is added to the advantage of the best rollout of each instance, in multiples of it: more than 0
    rewards that some order does well, not that all do, because the best of many is what is used."""

    heat: float = 0.0
    """Rollouts are drawn, and learnt from, at a temperature of `heat` over the number of customers, at most
    1; 0: always at 1. With the network's own `heat` they are drawn as they will be when it is used."""

    # Imitation
    imitation_steps: int = 0
    """Steps at the beginning that only imitate."""
    imitation_share: float = 0.0
    """Share of the later steps that imitate."""
    imitation_batch: int = 256
    imitation_orders: int = 1
    """Vehicle orders per label."""
    label_iterations: int = 20_000
    """Search iterations behind one label."""
    label_reuse: int = 8
    """Times that a label is used, on average, before the next is waited for."""
    label_workers: int = 1
    label_folder: str = ""
    """Where labels are kept for later runs; empty: the user's cache folder."""

    # Optimiser
    optimiser: OptimiserName = "adam"
    """Of the matrices in the encoder's layers; everything else takes Adam's steps."""
    learning_rate: float = 1e-4
    schedule: Schedule = "constant"
    final_rate: float = 0.0
    """Learning rate at the end of a cosine schedule."""
    warmup_steps: int = 0
    clip_gradient: float = 0.0
    """Largest norm of the gradient; 0: not clipped."""
    average_weights: float = 0.0
    """Decay of the exponential moving average of the weights; 0: none."""

    # Validation and checkpoints
    validate_every: int = 1_000
    validation_customers: int = 49
    validation_vehicles: tuple[int, ...] = (3, 5, 7)
    validation_depots: int = 1
    validation_instances: int = 100
    validation_symmetries: int = 1
    validation_permutations: int = 1
    validation_reference: int = 5_000
    """Search iterations behind each solution that the gap is measured against; 0: no gap."""
    checkpoint_every: int = 1_000
    keep_checkpoints: int = 3
    log_every: int = 10

    def __post_init__(self) -> None:
        self._check_ranges()
        self._check_numbers()
        for key, least in _LEAST.items():
            if getattr(self, key) < least:
                raise InputError(f"{key} = {getattr(self, key)}, expected {least} or more")
        multi, paired = self.network.form == "multi", self.network.form == "pairs"
        if not multi and (self.depots != (1, 1) or self.validation_depots != 1):
            raise InputError(f"depots = {list(self.depots)}, expected [1, 1] with form {self.network.form!r}")
        if paired and any(n % 2 for n in (*self.customers, self.validation_customers)):
            raise InputError(f"customers = {list(self.customers)}, expected even numbers with pairs")
        if self.trainable == "context_head" and not self.network.context_head:
            raise InputError("trainable = 'context_head', expected network.context_head = true with it")

    def _check_ranges(self) -> None:
        for key in ("customers", "vehicles", "depots"):
            low, high = getattr(self, key)
            if not 1 <= low <= high:
                raise InputError(f"{key} = [{low}, {high}], expected two numbers of 1 or more, in order")
        if not self.validation_vehicles or min(self.validation_vehicles) < 1:
            raise InputError(
                f"validation_vehicles = {list(self.validation_vehicles)}, expected numbers of 1 or more"
            )

    def _check_numbers(self) -> None:
        if self.validation_symmetries not in range(1, 9):
            raise InputError(f"validation_symmetries = {self.validation_symmetries}, expected 1 to 8")
        if not 0.0 <= self.average_weights < 1.0:
            raise InputError(f"average_weights = {self.average_weights}, expected 0 or more, less than 1")
        if not 0.0 <= self.imitation_share <= 1.0:
            raise InputError(f"imitation_share = {self.imitation_share}, expected 0 to 1")
        if not 0.0 < self.learning_rate < 1.0:
            raise InputError(f"learning_rate = {self.learning_rate}, expected more than 0, less than 1")

    def temperature(self, num_customers: int) -> float:
        """At which rollouts of so many customers are drawn while learning."""
        return min(1.0, self.heat / num_customers) if self.heat else 1.0

    @property
    def imitates(self) -> bool:
        """Whether any step needs labels."""
        return self.imitation_steps > 0 or self.imitation_share > 0.0

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, the network's in a table of their own."""
        return dataclasses.asdict(self)


_LEAST: dict[str, float] = {
    "seed": 0,
    "steps": 1,
    "batch_size": 1,
    "piece_size": 1,
    "rollouts": 2,
    "leader": 0.0,
    "heat": 0.0,
    "imitation_steps": 0,
    "imitation_batch": 1,
    "imitation_orders": 1,
    "label_iterations": 1,
    "label_reuse": 1,
    "label_workers": 1,
    "final_rate": 0.0,
    "warmup_steps": 0,
    "clip_gradient": 0.0,
    "validate_every": 1,
    "validation_customers": 1,
    "validation_depots": 1,
    "validation_instances": 1,
    "validation_permutations": 1,
    "validation_reference": 0,
    "checkpoint_every": 1,
    "keep_checkpoints": 1,
    "log_every": 1,
}


def from_dict(values: Mapping[str, Any], where: str) -> TrainConfig:
    """The config of `values`, as read from a file; `where` names it in messages.

    A key that is not given has its default. Raises `InputError` for unknown keys and wrong kinds of values.
    """
    flat = dict(values)
    network = flat.pop("network", {})
    if not isinstance(network, Mapping):
        raise InputError(f"{where}: network = {network!r}, expected a table")
    parts = _typed(PolicyConfig, network, where, "network.")
    return TrainConfig(network=PolicyConfig(**parts), **_typed(TrainConfig, flat, where, ""))


def known_keys() -> list[str]:
    """Every key that presets and `--set` understand."""
    own = [f.name for f in dataclasses.fields(TrainConfig) if f.name != "network"]
    return own + [f"network.{f.name}" for f in dataclasses.fields(PolicyConfig)]


def _typed(config: type, values: Mapping[str, Any], where: str, prefix: str) -> dict[str, Any]:
    kinds = get_type_hints(config)
    found = {}
    for key, value in values.items():
        if key not in kinds or key == "network":
            known = ", ".join(known_keys())
            raise InputError(f"{where}: unknown key {prefix + key!r}, expected one of {known}")
        found[key] = _value(f"{where}: {prefix}{key}", value, kinds[key])
    return found


def _value(what: str, value: Any, kind: Any) -> Any:
    """`value` as the kind that a field has; whole numbers and text in their own kinds only."""
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise InputError(f"{what} = {value!r}, expected one of {', '.join(get_args(kind))}")
        return value
    if get_origin(kind) is tuple:
        many = get_args(kind)[-1] is Ellipsis
        if isinstance(value, int) and not isinstance(value, bool):
            value = [value] if many else [value, value]
        fits = isinstance(value, list | tuple) and all(type(v) is int for v in value)
        if not fits or (not many and len(value) != 2):
            expected = "a list of whole numbers" if many else "a whole number or two"
            raise InputError(f"{what} = {value!r}, expected {expected}")
        return tuple(value)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        name = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}[kind]
        raise InputError(f"{what} = {value!r}, expected {name}")
    return value
