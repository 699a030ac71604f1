"""Presets: one TOML file per run, named as `minmaxvrp train --preset NAME`.

`base` names the preset that a file builds on; `about` says in one line what it is. `load` gives the
`TrainConfig`.
"""

import tomllib
from collections.abc import Sequence
from importlib import resources
from typing import Any

from ...errors import InputError
from ...natural_order import natural_key
from ..train_config import TrainConfig, from_dict, known_keys


def names() -> list[str]:
    """All presets, in the order of their names with sizes as numbers."""
    found = [p.name.removesuffix(".toml") for p in resources.files(__package__).iterdir()]
    return sorted((n for n in found if "." not in n and not n.startswith("_")), key=natural_key)


def about(name: str) -> str:
    """One line on a preset."""
    return str(_read(name).get("about", ""))


def load(name: str, settings: Sequence[str] = ()) -> TrainConfig:
    """The config of preset `name` with `settings` such as "steps=100" or "network.embed=64" put over it.

    Raises `InputError` for an unknown preset, an unknown key or a value of the wrong kind.
    """
    return override(_merged(name), settings, f"preset {name}")


def override(values: dict[str, Any], settings: Sequence[str], where: str) -> TrainConfig:
    """The config of `values` with `settings` put over them."""
    config = from_dict(values, where)
    if not settings:
        return config
    changed = {**config.to_dict()}
    changed["network"] = dict(changed["network"])
    for setting in settings:
        key, equals, text = setting.partition("=")
        key = key.strip()
        if not equals:
            raise InputError(f"--set {setting!r}, expected key=value")
        if key not in known_keys():
            raise InputError(f"--set: unknown key {key!r}, expected one of {', '.join(known_keys())}")
        table = changed["network"] if key.startswith("network.") else changed
        table[key.removeprefix("network.")] = _parse(text.strip())
    return from_dict(changed, "--set")


def _parse(text: str) -> Any:
    """A TOML value; text may come without quotation marks, and a list without brackets."""
    for attempt in (text, f"[{text}]" if "," in text else text):
        try:
            return tomllib.loads(f"value = {attempt}")["value"]
        except tomllib.TOMLDecodeError:
            continue
    return text


def _merged(name: str) -> dict[str, Any]:
    """A preset's values over those of the presets it builds on."""
    values = _read(name)
    values.pop("about", None)
    base = values.pop("base", None)
    if base is None:
        return values
    below = _merged(base)
    below["network"] = {**below.get("network", {}), **values.pop("network", {})}
    return {**below, **values}


def _read(name: str) -> dict[str, Any]:
    if name not in names():
        raise InputError(f"preset = {name!r}, expected one of {', '.join(names())}")
    text = resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
