"""Names are sorted by the numbers in them."""

from minmaxvrp.natural_order import natural_key


def test_numbers_in_names_count_as_numbers() -> None:
    """Also several in one name, at its start, and names without any."""
    names = ["MS1", "MS3", "MS11", "MS11b", "a2-9", "a2-10", "a10-1", "b", "b1"]
    mixed = [*names[1::2], *names[::2]]
    assert sorted(mixed, key=natural_key) == names
    assert sorted(["10", "9", "x"], key=natural_key) == ["9", "10", "x"]
