"""Weights into and out of a run: where it starts from, what it leaves behind.

`loop` reads them before the first step and writes them at each validation.
"""

from dataclasses import asdict
from pathlib import Path

import torch

from .. import __version__
from ..errors import InputError
from ..policy.network import Network
from ..policy.policy_config import PolicyConfig
from ..policy.shipped_weights import find_shipped
from ..policy.weights_file import Precision, load_weights, save_weights
from .checkpoint import Counters
from .run import BEST, WEIGHTS
from .train_config import TrainConfig

_PLACES = ("start_from", "label_folder")
"""Settings that name folders of the machine."""


_ADDED = ("decoder.context_head.", "decoder.start.")
"""Tensors that weights to start from may lack."""

_NAVIGATION = ".navigation."
"""In the names of tensors that a network without the navigation part leaves out."""

_LAST_ADDED = ("decoder.context_head.2.weight", "decoder.start.weight")
"""Those of them that, when zero, leave the context as it is."""


def find_weights(start: str) -> Path:
    """The weights file of `start`: a file, the best (else the latest) of a run folder, or a shipped name."""
    path = Path(start)
    if not path.exists():
        return find_shipped(start) or path
    if path.is_file():
        return path
    for name in (BEST, WEIGHTS):
        if (path / name).is_file():
            return path / name
    raise InputError(f"{path}: has neither {BEST} nor {WEIGHTS}, expected a run that has validated once")


def read_weights(network: Network, start: str) -> None:
    """Put the weights of `start` into `network`; parts of the context that they lack begin as no change.

    A network without the navigation part takes all other parts of one that has it. Raises `InputError` when
    they are of another network.
    """
    path = find_weights(start)
    if not path.is_file():
        raise InputError(
            f"start_from = {start!r}: no such file or run, expected weights, a run folder or a shipped name"
        )
    own, source = network.state_dict(), load_weights(path)[0].state_dict()
    if not any(_NAVIGATION in name for name in own):
        source = {name: tensor for name, tensor in source.items() if _NAVIGATION not in name}
    odd = sorted(set(source) - set(own)) + [
        n for n in sorted(set(own) - set(source)) if not n.startswith(_ADDED)
    ]
    odd += [n for n in source if n in own and source[n].shape != own[n].shape]
    if odd:
        raise InputError(f"start_from = {start!r}: tensor {odd[0]} does not fit the network of this run")
    network.load_state_dict({**own, **source})
    for name in _LAST_ADDED:
        if name in own and name not in source:  # q + 0: training begins with the function it was given
            torch.nn.init.zeros_(network.get_parameter(name))


def export_weights(
    source: Path, target: Path, *, precision: Precision = "float16", note: str = ""
) -> PolicyConfig:
    """Write the weights of a run (or of a file) to `target`, without the folders of the machine it ran on.

    Raises `InputError` when there are none or `target` cannot be written.
    """
    network, header = load_weights(find_weights(str(source)))
    provenance = dict(header.provenance)
    training = provenance.get("training")
    if isinstance(training, dict):
        provenance["training"] = {k: v for k, v in training.items() if k not in _PLACES}
    if note:
        provenance["note"] = note
    save_weights(target, network, provenance, precision)
    return header.config


def write_weights(path: Path, network: Network, config: TrainConfig, counters: Counters) -> None:
    """Write what a run has learnt so far, with its config and counters as provenance."""
    provenance = {"minmaxvrp": __version__, "training": config.to_dict(), "progress": asdict(counters)}
    save_weights(path, network, provenance)
