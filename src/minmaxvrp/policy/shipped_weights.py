"""Where weights are: those that come with the package, by name, and others by file. Without torch.

`solve` asks before it computes anything, `policy` when it loads them.
"""

from pathlib import Path

from ..errors import InputError

WEIGHTS = Path(__file__).parent / "weights"


def shipped_names() -> list[str]:
    """Names of the weights that come with the package."""
    return sorted(path.stem for path in WEIGHTS.glob("*.safetensors"))


def find_shipped(name: str) -> Path | None:
    """The file of the weights that come with the package under that name; None without any."""
    path = WEIGHTS / f"{name}.safetensors"
    return path if path.is_file() else None


def find_policy(name_or_path: str | Path) -> Path:
    """The weights file of that name (see `shipped_names`) or path. Raises `InputError` when there is none."""
    path = Path(name_or_path)
    found = path if path.is_file() else find_shipped(str(name_or_path))
    if found is None:
        known = ", ".join(shipped_names()) or "none"
        raise InputError(
            f"policy {str(name_or_path)!r}: no such file, and not among the shipped weights ({known})"
        )
    return found
