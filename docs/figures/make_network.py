"""Draw network.svg, the picture of the network in docs/method.md.

Run `python docs/figures/make_network.py` after a change here.
"""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

VEHICLE, CUSTOMER, DECODER, PLAIN = "#f6d9b8", "#cfe3f5", "#d9ead3", "#ffffff"
INK = "#30343b"


def box(ax: Any, x: float, y: float, width: float, height: float, text: str, colour: str = PLAIN) -> None:
    """A rounded box with its lower left corner at (x, y)."""
    shape = FancyBboxPatch(
        (x, y),
        width,
        height,
        boxstyle="round,pad=0,rounding_size=0.08",
        facecolor=colour,
        edgecolor=INK,
        linewidth=0.9,
    )
    ax.add_patch(shape)
    ax.text(
        x + width / 2,
        y + height / 2,
        text,
        ha="center",
        va="center",
        fontsize=7.4,
        color=INK,
        linespacing=1.35,
    )


def arrow(ax: Any, start: tuple[float, float], end: tuple[float, float], bend: float = 0.0) -> None:
    """An arrow from `start` to `end`."""
    style = {"arrowstyle": "-|>", "color": INK, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}
    style["connectionstyle"] = f"arc3,rad={bend}"
    ax.annotate("", xy=end, xytext=start, arrowprops=style)


def title(ax: Any, x: float, y: float, text: str) -> None:
    """A heading over a group of boxes."""
    ax.text(x, y, text, fontsize=9.5, weight="bold", color=INK, ha="left", va="bottom")


def draw_embeddings(ax: Any) -> None:
    """Coordinates to first embeddings."""
    title(ax, 0.0, 6.25, "First embeddings")
    box(ax, 0.0, 4.9, 2.3, 1.1, "depot $x_d$  [B, 1, 2]\n$W_d x_d + \\alpha\\,W_p\\,R_m(W_a x_d)$", VEHICLE)
    box(ax, 0.0, 2.6, 2.3, 1.1, "customers $x$  [B, N, 2]\n$W x + b$", CUSTOMER)
    arrow(ax, (2.3, 5.45), (3.1, 5.45))
    arrow(ax, (2.3, 3.15), (3.1, 3.15))
    ax.text(2.7, 5.55, "[B, M, E]", fontsize=6.5, ha="center", va="bottom", color=INK)
    ax.text(2.7, 3.25, "[B, N, E]", fontsize=6.5, ha="center", va="bottom", color=INK)


def draw_encoder(ax: Any) -> None:
    """One P&N layer."""
    title(ax, 3.1, 6.25, "P&N encoder layer, × L (one depot)")
    frame = FancyBboxPatch(
        (3.0, 1.45), 6.0, 4.7, boxstyle="round,pad=0,rounding_size=0.1", fill=False, edgecolor=INK
    )
    frame.set_linestyle((0, (4, 3)))
    ax.add_patch(frame)
    box(ax, 3.2, 2.5, 1.55, 1.3, "navigation\ncustomers\n← customers", CUSTOMER)
    box(ax, 5.15, 4.8, 1.55, 1.3, "partition\nvehicles\n← customers", VEHICLE)
    box(ax, 7.25, 2.5, 1.55, 1.3, "partition\ncustomers\n← vehicles, sharp", CUSTOMER)
    arrow(ax, (3.1, 5.45), (5.15, 5.45))
    arrow(ax, (4.75, 3.5), (5.6, 4.8), bend=-0.15)
    arrow(ax, (4.75, 3.0), (7.25, 3.0))
    arrow(ax, (6.3, 4.8), (7.3, 3.8), bend=0.15)
    arrow(ax, (6.7, 5.45), (9.0, 5.45))
    arrow(ax, (8.8, 3.0), (9.0, 3.0))
    ax.text(
        6.0,
        1.65,
        "each box: $x + a_1\\,$MHA$(x, \\cdot)$, then $x + a_2\\,$FF$(x)$;  no masks, no normalisation",
        fontsize=7.5,
        ha="center",
        va="bottom",
        color=INK,
    )


def draw_decoder(ax: Any) -> None:
    """One decision."""
    title(ax, 9.55, 6.25, "Decoder, one decision")
    box(
        ax,
        9.55,
        4.55,
        2.05,
        1.5,
        "tables, once\nkeys, values [B,H,S,k]\nlogit keys [B,S,E]\ncontext rows [B,S,E]",
        DECODER,
    )
    box(ax, 12.0, 4.55, 2.0, 1.5, "context $q$  [B,K,E]\nmean + current node\n+ vehicle + features", DECODER)
    box(ax, 12.0, 2.9, 2.0, 1.1, "glimpse, 8 heads\nover all S tokens,\nnot masked", DECODER)
    box(ax, 9.55, 2.9, 2.05, 1.1, "score [B,K,S]\n$g\\cdot L_j - \\lambda\\,$dist$_j$", DECODER)
    box(ax, 9.55, 1.45, 2.05, 0.95, "$50\\,\\tanh$, mask,\nsoftmax → action", DECODER)
    box(ax, 12.0, 1.45, 2.0, 0.95, "state [B,K]\nmoves, lengths, mask", PLAIN)
    arrow(ax, (9.0, 5.45), (9.55, 5.45))
    arrow(ax, (9.0, 3.0), (9.55, 4.8), bend=0.1)
    arrow(ax, (11.6, 5.3), (12.0, 5.3))
    arrow(ax, (13.0, 4.55), (13.0, 4.0))
    arrow(ax, (12.0, 3.45), (11.6, 3.45))
    arrow(ax, (10.45, 2.9), (10.45, 2.4))
    arrow(ax, (11.6, 1.92), (12.0, 1.92))
    arrow(ax, (14.0, 1.92), (14.0, 5.3), bend=0.25)


def main() -> None:
    """Write the picture beside this script."""
    plt.rcParams.update({"svg.hashsalt": "minmaxvrp", "font.family": "DejaVu Sans"})
    figure, ax = plt.subplots(figsize=(12.6, 4.9))
    ax.set_xlim(-0.1, 14.7)
    ax.set_ylim(1.2, 6.6)
    ax.axis("off")
    draw_embeddings(ax)
    draw_encoder(ax)
    draw_decoder(ax)
    figure.savefig(Path(__file__).with_name("network.svg"), bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
