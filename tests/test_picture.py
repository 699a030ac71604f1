"""Pictures: what they show, for every kind of instance, in every format."""

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp import Distance, InputError, Instance, Route, Solution
from minmaxvrp.picture import draw, route_colours, save
from minmaxvrp.picture.palette import COLOURS
from minmaxvrp.picture.scene import DASHES, MAX_DOTS, MAX_LISTED, Scene
from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.units import Units
from minmaxvrp.search.construction.construct import construct

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


def lines(axes: Any) -> list[Any]:
    """Every collection of lines on the map."""
    from matplotlib.collections import LineCollection

    return [found for found in axes.collections if isinstance(found, LineCollection)]


def test_longest_route_is_thickest_and_labelled_with_its_length() -> None:
    """Route 2 (there and back, 6) is longer than the square (4)."""
    from matplotlib.colors import to_hex

    axes: Any = draw(SQUARE, LOOPS).axes[0]
    label = [t for t in axes.texts if t.get_text().startswith("longest")]
    assert [t.get_text() for t in label] == ["longest 6.0000"]
    others, longest = (next(c for c in lines(axes) if c.get_zorder() == level) for level in (2, 3))
    assert longest.get_linewidths()[0] > 2 * others.get_linewidths()[0]
    assert to_hex(longest.get_colors()[0]).upper() == COLOURS[1]
    assert max(path[:, 0].max() for path in longest.get_segments()) == 1.0  # scaled to the unit square


def test_list_names_every_route_with_length_and_stops() -> None:
    """An empty route is left out, the others keep their numbers."""
    plan = Solution((*LOOPS.routes[:1], Route.of([]), *LOOPS.routes[1:]))
    found = texts(draw(SQUARE, plan))
    assert "R1  4.0000  3 stops" in found
    assert "R3  6.0000  1 stop" in found
    assert not any(text.startswith("R2") for text in found)


def test_used_and_unused_depots_pickups_and_deliveries_have_their_own_symbols() -> None:
    """The legend lists exactly the symbols that appear."""
    depots = Instance.mdvrp([[0, 0], [1, 1]], [[0, 1]], 1)
    assert symbols(draw(depots, Solution.of([[2]]))) == [
        "depot",
        "unused depot",
        "stop, in order of visits",
        "way back",
    ]
    pairs = Instance.mpdp([0, 0], [[0, 1]], [[1, 1]], 1)
    assert symbols(draw(pairs)) == ["depot", "pickup", "delivery", "pickup to delivery"]


def test_first_96_routes_look_different() -> None:
    """Colour and dash pattern together tell them apart."""
    count = len(set(COLOURS)) * len(DASHES)
    instance = Instance.mtsp([0, 0], np.arange(2 * count).reshape(count, 2), count)
    scene = Scene.of(instance, Solution.of([[k] for k in range(1, count + 1)]))
    looks = {(scene.colours[k], str(scene.dash(k))) for k in range(count) if k != scene.longest}
    assert (count, len(looks)) == (96, 95)


MACHADO = {  # full loss of one kind of cones, linear RGB
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


def oklab(colours: list[str], sight: str) -> Any:
    """[colours, 3] how they look, in a space where distance is difference."""
    rgb = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in colours]) / 255.0
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ np.array(MACHADO[sight]).T, 0.0, 1.0)
    cones = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
    lab = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
    return np.cbrt(linear @ np.array(cones).T) @ np.array(lab).T


@pytest.mark.parametrize("sight", MACHADO)
@pytest.mark.parametrize(("count", "apart"), [(12, 0.07), (24, 0.045)])
def test_colours_stay_apart_for_every_kind_of_sight(count: int, apart: float, sight: str) -> None:
    """Differences of 0.02 are just seen side by side; white paper is far from all of them."""
    seen = oklab([*route_colours(count), "#FFFFFF"], sight)
    distances = np.linalg.norm(seen[:, None] - seen[None], axis=2) + np.eye(len(seen))
    assert distances[:-1, :-1].min() > apart
    assert distances[-1].min() > 0.15


def test_colours_of_a_route_do_not_depend_on_how_many_there_are() -> None:
    """And repeat after the last one."""
    assert route_colours(3) == route_colours(30)[:3] == route_colours(30)[24:27]


def test_the_order_of_visits_is_on_the_stops() -> None:
    """Of route 1 first, second and third; of route 2 the only one."""
    axes: Any = draw(SQUARE, Solution.of([[3, 2, 1], [4]])).axes[0]
    visits = {tuple(np.round(t.xy, 6)): t.get_text() for t in axes.texts if t.get_text().isdigit()}
    thirds = [(0.0, 1 / 3), (1 / 3, 1 / 3), (1 / 3, 0.0), (1.0, 0.0)]
    assert [visits[round(x, 6), round(y, 6)] for x, y in thirds] == ["3", "2", "1", "1"]


def test_arrows_point_the_way_a_route_is_driven() -> None:
    """Up, right, down, left around the square; the other way round they point the other way."""
    from matplotlib.collections import PolyCollection

    def directions(plan: list[list[int]]) -> list[tuple[float, float]]:
        axes: Any = draw(SQUARE, Solution.of(plan)).axes[0]
        (heads,) = [c for c in axes.collections if isinstance(c, PolyCollection)]
        corners = [np.asarray(path.vertices) for path in heads.get_paths()[:4]]
        tips = [corner[0] - corner[1:3].mean(axis=0) for corner in corners]
        return [tuple(np.sign(np.round(tip, 6)).tolist()) for tip in tips]

    forward = directions([[1, 2, 3], [4]])
    assert forward == [(0, 1), (1, 0), (0, -1), (-1, 0)]
    assert directions([[3, 2, 1], [4]]) == [(-x, -y) for x, y in reversed(forward)]


def test_the_leg_back_to_a_depot_is_dashed_and_the_list_says_where_routes_start_and_end() -> None:
    """With several depots one sees where a route begins and where it ends."""
    names = ("West", "East", "a", "b")
    instance = Instance.mdvrp([[0, 0], [4, 0]], [[1, 1], [3, 1]], 1, return_to="any", names=names)
    figure: Any = draw(instance, Solution((Route(0, (2, 3), 1),)))
    longest = next(c for c in lines(figure.axes[0]) if c.get_zorder() == 3)
    solid, dashed = longest.get_linestyles()
    assert (solid[1], bool(dashed[1])) == (None, True)
    ends = [np.round(path[-1], 6).tolist() for path in longest.get_segments()]
    assert ends == [[0.75, 0.25], [1.0, 0.0]]
    assert any(text.endswith("2 stops  West → East") for text in texts(figure))


def test_pickups_are_linked_to_their_deliveries() -> None:
    """An arc in the colour of the route, from the one to the other."""
    instance = Instance.mpdp([0, 0], [[0, 1], [1, 1]], [[2, 0], [2, 2]], 2)
    axes: Any = draw(instance, Solution.of([[1, 3], [2, 4]])).axes[0]
    arcs = next(c for c in lines(axes) if c.get_zorder() < 2)
    ends = [(np.round(arc[0], 6).tolist(), np.round(arc[-1], 6).tolist()) for arc in arcs.get_segments()]
    assert ends == [([0.0, 0.5], [1.0, 0.0]), ([0.5, 0.5], [1.0, 1.0])]


def test_a_far_stop_is_in_an_inset_and_does_not_shrink_the_town() -> None:
    """The town fills the map as it does without the far stop, which only the inset shows."""
    town = RNG.random((40, 2))
    plain = Instance.mtsp([0.5, 0.5], town, 2)
    far = Instance.mtsp([0.5, 0.5], [*town, [30.0, 20.0]], 2, names=(*map(str, range(41)), "Far Farm"))
    figure, alone = draw(far, construct(far)), draw(plain, construct(plain))
    assert figure.axes[0].get_xlim() == pytest.approx(alone.axes[0].get_xlim())
    main, small = figure.axes
    assert small.get_xlim()[1] > 25.0
    assert "Far Farm" in [text.get_text() for text in small.texts]
    assert "Far Farm" not in [text.get_text() for text in main.texts]
    assert len(alone.axes) == 1


def test_a_route_that_leaves_the_map_is_labelled_inside_it_and_off_the_stops() -> None:
    """The longest route serves the far stop alone, so that only a part of its legs is on the map."""
    town = np.random.default_rng(3).random((70, 2))
    instance = Instance.mtsp([0.5, 0.5], [*town, [30.0, 20.0]], 3)
    plan = Solution.of([[*range(1, 36)], [*range(36, 71)], [71]])
    figure: Any = draw(instance, plan)
    axes, renderer = figure.axes[0], figure.canvas.get_renderer()
    frame, stops = axes.bbox.padded(2), axes.transData.transform(Scene.of(instance, plan).points[:71])
    found = [t for t in axes.texts if t.get_text() == "R3" or t.get_text().startswith("longest")]
    assert len(found) == 2
    for text in found:
        box = text.get_bbox_patch().get_window_extent(renderer)
        corners = np.array([box.min, box.max])
        assert ((corners > frame.min) & (corners < frame.max)).all(), text.get_text()
        assert not ((stops > box.min) & (stops < box.max)).all(axis=1).any(), text.get_text()


def test_a_far_depot_stays_on_the_map() -> None:
    """Every route begins there."""
    instance = Instance.mtsp([30.0, 20.0], RNG.random((40, 2)), 2)
    assert not Scene.of(instance, None).far.any()


def test_the_title_counts_the_vehicles_used() -> None:
    """Two of three; all of two; without a plan how many there are."""
    three = dataclasses.replace(SQUARE, num_vehicles=3)
    facts = "longest route 6.0000 · total 10.0000 · balance"
    assert f"4 stops · 1 depot · 2 of 3 vehicles used · {facts} 56 %" in texts(draw(three, LOOPS))
    assert f"4 stops · 1 depot · 2 vehicles · {facts} 83 %" in texts(draw(SQUARE, LOOPS))
    assert "4 stops · 1 depot · 3 vehicles" in texts(draw(three))


def test_names_of_stops_stay_off_the_lines() -> None:
    """No point of a route lies within the box of a name."""
    points = RNG.random((30, 2))
    instance = Instance.mtsp([0.5, 0.5], points, 3, names=tuple(f"Stop {k}" for k in range(31)))
    plan = construct(instance)
    figure: Any = draw(instance, plan)
    axes, renderer, scene = figure.axes[0], figure.canvas.get_renderer(), Scene.of(instance, plan)
    names = [t for t in axes.texts if t.get_text().startswith("Stop") and t.get_text() != "Stop 0"]
    assert len(names) > 10
    way = np.linspace(0.0, 1.0, 400)[:, None]
    for name in names:
        box = name.get_window_extent(renderer).padded(-1.5)  # lines are tested every three pixels
        for k in range(len(scene.routes)):
            line = axes.transData.transform(scene.line(k))
            for start, end in itertools.pairwise(line):
                pixels = start + way * (end - start)
                inside = (pixels > box.min).all(axis=1) & (pixels < box.max).all(axis=1)
                assert not inside.any(), name.get_text()


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
    assert Units("km").text(12.3456) == "12.35 km"
    assert Units().text(2.43006) == "2.4301"
    assert Units().text(15931) == "15931.00"
    assert Units().text(1.5e9) == "1.5e+09"
    assert Units().text(2e-9) == "2e-09"
    assert Units().text(0.0) == "0.0000"


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
    assert [t.get_text()[:7] for t in figure.axes[0].texts if not t.get_text().isdigit()] == ["longest"]
    assert not figure.legends


def test_large_plans_are_drawn_as_an_image_inside_svg(tmp_path: Path) -> None:
    """The file does not grow with the number of stops as vectors would."""
    instance = Instance.mtsp([0.5, 0.5], RNG.random((MAX_DOTS + 1, 2)), 50)
    save(tmp_path / "a.svg", instance, construct(instance))
    text = (tmp_path / "a.svg").read_text()
    assert "<image" in text
    assert len(text) < 3_000_000


FLEET = Instance.mdvrp(
    *([[0, 0], [4, 0], [2, 3]], [[1, 0], [1, 1], [3, 1], [3, 2]], 3),
    fleet=(Vehicle("Anna", start=0, end=1), Vehicle(start=2, end="nowhere", speed=2.0), Vehicle("Cleo")),
)
FLEET_PLAN = Solution((Route(0, (3, 4), 1), Route(2, (6, 5), -1), Route(0, (), 0)))


def test_fleets_show_names_starts_ends_and_open_routes() -> None:
    """Names in the list and on the lines; a diamond where routes only end; a ring where one is open."""
    figure = draw(FLEET, FLEET_PLAN)
    found = texts(figure)
    assert "Anna  5.1623  2 stops  depot 0 → depot 1" in found
    assert "R2  1.2071  2 stops  depot 2 → …" in found
    assert {"Anna", "R2"} <= set(found)
    assert symbols(figure) == ["start", "end", "last stop", "stop, in order of visits", "way back"]


def test_an_open_route_has_no_way_back() -> None:
    """No dashed leg, and the line ends at the last customer."""
    plan = Solution((Route(0, (), 0), Route(2, (6, 5, 4, 3), -1), Route(0, (), 0)))
    figure = draw(FLEET, plan)
    assert "way back" not in symbols(figure)
    scene = Scene.of(FLEET, plan)
    assert scene.line(0)[-1].tolist() == scene.points[3].tolist()
    assert len(scene.line(0)) == 5
