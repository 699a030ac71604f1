"""Attention scores of vehicles and customers: the Equity-Transformer's joint attention beside the DPN's
parts.

As in the paper's figure: mean over heads and layers for one mTSP instance, before and after the softmax. In
the Equity-Transformer one matrix holds all tokens; the DPN has three matrices, each with a softmax of its
own.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...problem.generate import uniform
from .catalogue import Item
from .drawing import save_figure
from .networks import trained_for, trained_weights
from .runs import ResultsPlace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor, nn

    Found = dict[str, dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]]]

SEED = 3333
WHAT = ("scores", "after softmax")
KEPT = "attention.npz"
"""The scores by `network|part|what`, so that the picture can be drawn again without the networks."""


def make(item: Item, place: ResultsPlace) -> str:
    """Draw the scores of every network of the item."""
    import numpy as np

    found = {
        f"{name}, {trained_for(path)}": scores(item, path)
        for name, path in trained_weights(item, place).items()
    }
    arrays = {
        f"{name}|{part}|{what}": matrix.numpy().astype(np.float32)
        for name, parts in found.items()
        for part, pair in parts.items()
        for what, matrix in zip(WHAT, pair, strict=True)
    }
    place.folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(place.folder / KEPT, **arrays)  # type: ignore[arg-type]
    return show(item, place)


def show(item: Item, place: ResultsPlace) -> str:
    """The picture and what it says in numbers, from the kept scores; empty without them."""
    import numpy as np

    path = place.folder / KEPT
    if not path.is_file():
        return ""
    found: Found = {}
    with np.load(path) as arrays:
        for key in arrays.files:
            name, part, what = key.split("|")
            if what == WHAT[0]:
                found.setdefault(name, {})[part] = (arrays[key], arrays[f"{name}|{part}|{WHAT[1]}"])
    target = place.folder / "attention.svg"
    _draw(found, target)
    return f"![attention scores]({target.name})\n\n{_table(found)}"


def scores(item: Item, policy: str) -> "dict[str, tuple[Tensor, Tensor]]":
    """By part: scores before and after the softmax, mean over heads and layers, [queries, keys]."""
    import torch

    from ...policy import Policy
    from ...policy.layers import Attention
    from ...policy.tokens import TokenMap, batch_of

    network = Policy.load(policy).network
    size, vehicles = int(item.settings["size"]), int(item.settings["vehicles"])
    (instance,) = uniform("mtsp", size, vehicles, seed=SEED, count=1)
    parts: dict[str, list[tuple[Tensor, Tensor]]] = {}

    def note(name: str) -> Any:
        def hook(module: "nn.Module", inputs: "tuple[Tensor, ...]", output: "Tensor") -> None:
            assert isinstance(module, Attention)
            parts.setdefault(name, []).append(_scores(module, *inputs))

        return hook

    handles = [
        module.register_forward_hook(note(_part(name)))
        for name, module in network.encoder.named_modules()
        if isinstance(module, Attention)
    ]
    with torch.no_grad():
        network.encoder(batch_of([TokenMap.of(instance, network.config.form)]))
    for handle in handles:
        handle.remove()
    return {
        name: (torch.stack([a for a, _ in every]).mean(0), torch.stack([b for _, b in every]).mean(0))
        for name, every in parts.items()
    }


def _scores(module: Any, x: "Tensor", context: "Tensor") -> "tuple[Tensor, Tensor]":
    """[n, m] before and after the softmax, mean over the heads."""
    from ...policy.layers import split_heads

    key, _ = module.key_value(context).chunk(2, dim=-1)
    q, k = (split_heads(part, module.num_heads) for part in (module.query(x), key))
    raw = module.scale * q @ k.transpose(-2, -1)  # [1, H, n, m]
    return raw.mean(1)[0], raw.softmax(-1).mean(1)[0]


def _part(name: str) -> str:
    """What an attention of the encoder relates."""
    kinds = {"joint": "all tokens", "navigation": "customers to customers", "gather": "vehicles to customers"}
    kinds["assign"] = "customers to vehicles"
    return next((text for kind, text in kinds.items() if f".{kind}." in f"{name}."), name)


def _draw(found: "Found", path: Path) -> None:
    from matplotlib.figure import Figure

    columns = [(f"{name}: {part}", pair) for name, parts in found.items() for part, pair in parts.items()]
    figure = Figure(figsize=(3.6 * len(columns), 6.6), layout="constrained")
    panels = figure.subplots(2, len(columns), squeeze=False)
    for k, (heading, pair) in enumerate(columns):
        for row, (what, matrix) in enumerate(zip(WHAT, pair, strict=True)):
            shown = panels[row][k].imshow(matrix, cmap="viridis", aspect="auto")
            axes = panels[row][k]
            axes.set_title(f"{heading}\n{what}", fontsize=8)
            axes.xaxis.get_major_locator().set_params(integer=True)
            axes.yaxis.get_major_locator().set_params(integer=True)
            axes.set_xlabel("key", fontsize=8)
            axes.set_ylabel("query", fontsize=8)
            figure.colorbar(shown, ax=axes, shrink=0.7)
    save_figure(figure, path)


def _table(found: "Found") -> str:
    """Mean and standard deviation of each part's scores, and the largest weight after the softmax."""
    lines = ["| network | part | mean score | spread | largest share after softmax |"]
    lines.append("| --- | --- | --- | --- | --- |")
    for name, parts in found.items():
        for part, (raw, soft) in parts.items():
            numbers = f"{raw.mean():.3f} | {raw.std():.3f} | {soft.max():.3f}"
            lines.append(f"| {name} | {part} | {numbers} |")
    return "\n".join(lines) + "\n"
