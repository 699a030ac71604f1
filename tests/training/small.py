"""The smallest network and run that still have every part, one per form."""

from typing import Any

from minmaxvrp.training.train_config import TrainConfig, from_dict

FORMS: dict[str, dict[str, Any]] = {
    "mtsp": {"customers": [7, 9], "network": {"form": "single"}},
    "mpdp": {"customers": [6, 8], "validation_customers": 8, "network": {"form": "pairs"}},
    "mdvrp": {"customers": [7, 9], "depots": [2, 3], "validation_depots": 2, "network": {"form": "multi"}},
    "fmdvrp": {
        "customers": [7, 9],
        "depots": [2, 3],
        "validation_depots": 2,
        "network": {"form": "multi", "return_to": "any"},
    },
}


def small_config(form: str = "mtsp", **changes: Any) -> TrainConfig:
    """A config whose steps take milliseconds."""
    sizes = FORMS[form]
    network = {"embed": 16, "num_layers": 1, "num_heads": 2, "hidden": 16, **sizes["network"]}
    network |= changes.pop("network", {})
    values: dict[str, Any] = {
        "vehicles": [2, 3],
        "steps": 6,
        "batch_size": 6,
        "piece_size": 2,
        "rollouts": 4,
        "learning_rate": 1e-3,
        "average_weights": 0.9,
        "clip_gradient": 1.0,
        "validate_every": 3,
        "validation_customers": 9,
        "validation_vehicles": [2],
        "validation_instances": 3,
        "validation_reference": 0,
        "checkpoint_every": 2,
        "log_every": 1,
        "imitation_batch": 6,
        "label_iterations": 50,
    }
    return from_dict(values | sizes | changes | {"network": network}, "test")
