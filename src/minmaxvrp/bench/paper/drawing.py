"""How the paper's pictures are written: the same results give the same file, byte for byte."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save_figure(figure: "Figure", path: Path) -> None:
    """Write a figure; without dates and random identifiers it changes only with what it shows."""
    import matplotlib

    metadata = {"Date": None} if path.suffix == ".svg" else None
    with matplotlib.rc_context({"svg.hashsalt": "minmaxvrp"}):
        figure.savefig(path, metadata=metadata, dpi=110)
