"""Pictures: what they show, for every kind of instance, in every format."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp import Distance, InputError, Instance, Route, Solution
from minmaxvrp.picture import draw, length_text, save
from minmaxvrp.picture.scene import COLOURS, DASHES, MAX_DOTS, MAX_LISTED, Scene
from minmaxvrp.search.construct import construct

RNG = np.random.default_rng(7)
SQUARE = Instance.mtsp([0, 0], [[0, 1], [1, 1], [1, 0], [3, 0]], 2)
LOOPS = Solution.of([[1, 2, 3], [4]])  # lengths 4 and 6


def texts(figure: Any) -> list[str]:
    """Every text on a figure."""
    from matplotlib.text import Text

    return [t.get_text() for t in figure.findobj(Text) if t.get_text()]


def symbols(figure: Any) -> list[str]:
    """The words of the legend of symbols."""
    return [t.get_text() for t in figure.axes[0].get_legend().get_texts()]


def test_longest_route_is_thickest_and_labelled_with_its_length() -> None:
    """Route 2 (there and back, 6) is longer than the square (4)."""
    axes: Any = draw(SQUARE, LOOPS).axes[0]
    label = [t for t in axes.texts if t.get_text().startswith("longest")]
    assert [t.get_text() for t in label] == ["longest 6.0000"]
    thick = max(axes.lines, key=lambda line: line.get_zorder() + (line.get_color() != "white"))
    assert thick.get_linewidth() > 2 * axes.collections[0].get_linewidths()[0]
    assert thick.get_color() == COLOURS[1]
    assert thick.get_xydata()[:, 0].max() == 1.0  # the far stop, scaled to the unit square


def test_list_names_every_route_with_length_and_stops() -> None:
    """An empty route is left out, the others keep their numbers."""
    plan = Solution((*LOOPS.routes[:1], Route.of([]), *LOOPS.routes[1:]))
    found = texts(draw(SQUARE, plan))
    assert "1   4.0000   3 stops" in found
    assert "3   6.0000   1 stop" in found
    assert not any(text.startswith("2   ") for text in found)


def test_used_and_unused_depots_pickups_and_deliveries_have_their_own_symbols() -> None:
    """The legend lists exactly the symbols that appear."""
    depots = Instance.mdvrp([[0, 0], [1, 1]], [[0, 1]], 1)
    assert symbols(draw(depots, Solution.of([[2]]))) == ["depot", "unused depot", "stop"]
    pairs = Instance.mpdp([0, 0], [[0, 1]], [[1, 1]], 1)
    assert symbols(draw(pairs)) == ["depot", "pickup", "delivery"]


def test_first_48_routes_look_different() -> None:
    """Colour and dash pattern together tell them apart."""
    instance = Instance.mtsp([0, 0], np.arange(96).reshape(48, 2), 48)
    scene = Scene.of(instance, Solution.of([[k] for k in range(1, 49)]))
    looks = {(scene.colour(k), str(scene.dash(k))) for k in range(48) if k != scene.longest}
    assert len(looks) == 47
    assert len(set(COLOURS)) * len(DASHES) == 48


def test_names_do_not_cover_one_another() -> None:
    """The boxes of all texts on the map are apart, in a crowd of named stops."""
    points = RNG.random((60, 2))
    names = tuple(f"Street number {k}" for k in range(61))
    instance = Instance.mtsp([0.5, 0.5], points, 4, names=names)
    figure = draw(instance, construct(instance))
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    boxes = [t.get_window_extent(renderer) for t in figure.axes[0].texts if t.get_text() in names]
    assert 20 < len(boxes) <= 61
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:k])


def test_lengths_are_for_people() -> None:
    """Kilometres with two decimals, plain numbers with four digits or more, extremes in powers."""
    assert length_text(Distance.GREAT_CIRCLE, 12.3456) == "12.35 km"
    assert length_text(Distance.EUCLIDEAN, 2.43006) == "2.4301"
    assert length_text(Distance.EUC_2D, 15931) == "15931.00"
    assert length_text(Distance.EUCLIDEAN, 1.5e9) == "1.5e+09"
    assert length_text(Distance.EUCLIDEAN, 2e-9) == "2e-09"
    assert length_text(Distance.EUCLIDEAN, 0.0) == "0.0000"


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_ending_names_the_format(tmp_path: Path, ending: str, magic: bytes) -> None:
    """The file starts as files of its format do, and the same picture is the same file."""
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    save(first, SQUARE, LOOPS)
    save(second, SQUARE, LOOPS)
    assert first.read_bytes().startswith(magic)
    assert first.read_bytes() == second.read_bytes()


def test_unknown_ending_is_an_error_with_the_list(tmp_path: Path) -> None:
    """Nothing is written."""
    with pytest.raises(InputError, match=r"'\.gif', expected one of \.png, \.svg, \.pdf"):
        save(tmp_path / "a.gif", SQUARE)
    assert not list(tmp_path.iterdir())


DEGENERATE = {
    "identical": np.zeros((4, 2)),
    "one customer on the depot": np.zeros((1, 2)),
    "collinear": np.stack([np.arange(5), np.zeros(5)], axis=1),
    "huge": 1e9 * RNG.random((5, 2)),
    "tiny": 1e-9 * RNG.random((5, 2)),
    "extreme": 1e150 * RNG.random((5, 2)) - 5e149,
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_instances_are_drawn(name: str, tmp_path: Path) -> None:
    """With and without a plan, more vehicles than customers, names with special characters."""
    points = DEGENERATE[name]
    names = tuple(f"${k}_{{<&" for k in range(len(points) + 1))
    instance = Instance.mtsp([0, 0], points, 9, names=names, name="$x_1$ & <y>")
    save(tmp_path / "a.png", instance)
    save(tmp_path / "b.svg", instance, construct(instance))
    assert {path.name for path in tmp_path.iterdir()} == {"a.png", "b.svg"}


def test_latitude_and_longitude_are_drawn_to_scale_with_a_scale_bar() -> None:
    """At 60° north a degree of longitude is half as wide as one of latitude."""
    instance = Instance.mtsp([60, 10], [[60, 12], [61, 10]], 1, kind=Distance.GREAT_CIRCLE)
    scene = Scene.of(instance, None)
    width, height = np.ptp(scene.points, axis=0)
    assert width / height == pytest.approx(2 * np.cos(np.radians(60.5)))
    assert any(text.endswith(" km") for text in texts(draw(instance)))


def test_matrix_instances_are_drawn() -> None:
    """Where distances come from a matrix, the label shows its length, not the map's."""
    matrix = np.full((5, 5), 7.0)
    instance = dataclasses.replace(SQUARE, kind=Distance.MATRIX, matrix=matrix)
    assert "longest 28.0000" in texts(draw(instance, LOOPS))


def test_many_routes_leave_list_and_numbers_out() -> None:
    """With more than MAX_LISTED routes only the longest is labelled."""
    count = MAX_LISTED + 1
    instance = Instance.mtsp([0, 0], RNG.random((count, 2)), count)
    figure = draw(instance, Solution.of([[k] for k in range(1, count + 1)]))
    assert [t.get_text()[:7] for t in figure.axes[0].texts] == ["longest"]
    assert not figure.legends


def test_large_plans_are_drawn_as_an_image_inside_svg(tmp_path: Path) -> None:
    """The file does not grow with the number of stops as vectors would."""
    instance = Instance.mtsp([0.5, 0.5], RNG.random((MAX_DOTS + 1, 2)), 50)
    save(tmp_path / "a.svg", instance, construct(instance))
    text = (tmp_path / "a.svg").read_text()
    assert "<image" in text
    assert len(text) < 3_000_000
