"""A plan that changes: stops are matched by name, gone ones dropped, new ones inserted."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem import files
from minmaxvrp.problem.check import violations
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.repair import repaired
from minmaxvrp.problem.solution import Route, Solution
from tests.problem.small import random_instance

LINE = Instance.mtsp([0, 0], [[1, 0], [2, 0], [3, 0], [9, 9]], 2, names=("d", "a", "b", "c", "z"))
PLAN = Solution.of([[1, 2, 3], [4]])


def written(folder: Path, ending: str = ".json") -> Path:
    """The plan as a file."""
    path = folder / f"plan{ending}"
    files.write_solution(path, LINE, PLAN)
    return path


@pytest.mark.parametrize("ending", [".json", ".geojson"])
def test_plans_match_stops_by_name(tmp_path: Path, ending: str) -> None:
    """With the stops in another order in the instance, the plan visits the same names."""
    order = [0, 3, 1, 4, 2]
    names = tuple(LINE.names[k] for k in order) if LINE.names else ()
    other = replace(LINE, coordinates=LINE.coordinates[order], names=names)
    solution = files.read_solution(written(tmp_path, ending), other)
    assert [[other.label(node) for node in route.customers] for route in solution.routes] == [
        ["a", "b", "c"],
        ["z"],
    ]
    unnamed = replace(LINE, names=None)
    assert files.read_solution(written(tmp_path, ending), unnamed) == PLAN


def test_a_plan_with_names_that_do_not_fit_is_refused(tmp_path: Path) -> None:
    """Instead of measuring other stops."""
    other = replace(LINE, names=("d", "a", "x", "c", "y"))
    with pytest.raises(InputError, match=r"routes\[0\]: 'b' is no stop of the instance"):
        files.read_solution(written(tmp_path), other)
    document: dict[str, Any] = json.loads(written(tmp_path).read_text())
    document["routes"][0]["names"] = ["a"]
    (tmp_path / "plan.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match="1 names for 3 customers"):
        files.read_solution(tmp_path / "plan.json", LINE)


def test_a_start_drops_stops_that_are_gone_and_inserts_new_ones(tmp_path: Path) -> None:
    """b is gone; n between a and c, and m beside z, are new: each goes where it is cheap."""
    points: list[list[float]] = [[1, 0], [2, 0.1], [3, 0], [4, 3], [4, 4]]
    today = Instance.mtsp([0, 0], points, 2, names=("d", "a", "n", "c", "z", "m"))
    with pytest.warns(files.FormatWarning, match="1 stops that the instance does not have dropped, 2 ins"):
        solution = files.read_start(written(tmp_path), today)
    assert not violations(today, solution)
    assert set(solution.routes[0].customers) == {1, 2, 3}
    assert set(solution.routes[1].customers) == {4, 5}
    assert files.read_start(written(tmp_path), LINE) == PLAN
    strangers = replace(LINE, names=("d", "e", "f", "g", "h"))
    with pytest.raises(InputError, match="none of its stops is one of the instance"):
        files.read_start(written(tmp_path), strangers)


@pytest.mark.parametrize("seed", range(60))
def test_any_routes_are_repaired(seed: int) -> None:
    """Random routes with unknown, missing and repeated nodes become feasible in every variant."""
    instance = random_instance(seed, 7)
    rng = np.random.default_rng(seed)
    routes = [
        Route.of(rng.integers(-1, instance.num_nodes + 2, rng.integers(0, 6)), int(rng.integers(0, 4)))
        for _ in range(rng.integers(0, 5))
    ]
    solution, inserted = repaired(instance, routes)
    assert not violations(instance, solution)
    assert 0 <= inserted <= instance.num_customers
    assert repaired(instance, solution.routes) == (solution, 0)


@pytest.mark.parametrize("ending", [".json", ".geojson"])
def test_plans_match_depots_by_name(tmp_path: Path, ending: str) -> None:
    """With the depots in another order, each route starts where its name says; an unknown one is refused."""
    pair = Instance.mdvrp([[0, 0], [9, 0]], [[1, 0], [8, 0]], 2, names=("west", "east", "a", "b"))
    path = tmp_path / f"plan{ending}"
    files.write_solution(path, pair, Solution((Route(0, (2,), 0), Route(1, (3,), 1))))
    turned = replace(pair, coordinates=pair.coordinates[[1, 0, 2, 3]], names=("east", "west", "a", "b"))
    assert files.read_solution(path, turned).routes == (Route(1, (2,), 1), Route(0, (3,), 0))
    with pytest.raises(InputError, match="start_name = 'west' is no depot of the instance"):
        files.read_solution(path, replace(turned, names=("east", "north", "a", "b")))
