"""The policy as users meet it."""

from pathlib import Path

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.policy import Policy
from minmaxvrp.policy.weights_file import save_weights
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution

from .problems import KINDS, random_instance, small_network


def instances(kind: str, sizes: list[tuple[int, int]], **fields: object) -> list[Instance]:
    """Random instances of given numbers of customers and vehicles."""
    rng = np.random.default_rng(5)
    return [random_instance(kind, rng, n, m, **fields) for n, m in sizes]  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", list(KINDS))
def test_mixed_lists_come_back_in_order_and_feasible(kind: str) -> None:
    """Instances of different shapes are grouped inside; each answer belongs to its instance."""
    policy = Policy(small_network(kind))
    asked = instances(kind, [(6, 2), (9, 3), (6, 2), (1, 4), (9, 3)])
    answers = policy.construct(asked, permutations=4)
    assert [len(found) for found in answers] == [1] * 5
    for instance, (solution,) in zip(asked, answers, strict=True):
        assert violations(instance, solution) == []
        alone = policy.construct([instance], permutations=4)[0][0]
        assert makespan(instance, alone) == pytest.approx(makespan(instance, solution), rel=1e-6)


@pytest.mark.parametrize(("temperature", "sample"), [(0.0, 1), (1.0, 2)])
def test_memory_limits_change_nothing_but_memory(temperature: float, sample: int) -> None:
    """In chunks of one copy at a time the answers are the same."""
    policy, asked = Policy(small_network("mtsp")), instances("mtsp", [(8, 3)] * 3)

    def construct(max_memory: int) -> list[list[Solution]]:
        return policy.construct(
            asked, permutations=3, temperature=temperature, sample=sample, top=3, max_memory=max_memory
        )

    assert construct(1) == construct(2**30)


def test_top_solutions_are_distinct_and_sorted() -> None:
    """At most `top`, best first, no two alike."""
    policy, (instance,) = Policy(small_network("mtsp")), instances("mtsp", [(12, 3)])
    found = policy.construct([instance], temperature=1.0, sample=4, top=5)[0]
    lengths = [makespan(instance, solution) for solution in found]
    assert len(found) == 5
    assert lengths == sorted(lengths)
    assert len({frozenset(solution.routes) for solution in found}) == 5


def test_more_views_never_do_worse() -> None:
    """The best of 8 symmetries × 16 orders is at most that of one view, and on some instance less."""
    policy, asked = Policy(small_network("mdvrp")), instances("mdvrp", [(10, 3)] * 4)
    many = [makespan(i, s[0]) for i, s in zip(asked, policy.construct(asked), strict=True)]
    plain = policy.construct(asked, symmetries=1, permutations=1)
    one = [makespan(i, s[0]) for i, s in zip(asked, plain, strict=True)]
    assert all(a <= b + 1e-9 for a, b in zip(many, one, strict=True))
    assert sum(many) < sum(one)


def test_answers_are_chosen_by_the_true_distance() -> None:
    """With a matrix that has nothing to do with the coordinates, the best by the matrix comes first."""
    rng = np.random.default_rng(1)
    matrix = rng.random((9, 9))
    plain = random_instance("mtsp", rng, 8, 2)
    instance = Instance(plain.coordinates, 1, 2, kind=Distance.MATRIX, matrix=matrix)
    policy = Policy(small_network("mtsp"))
    found = policy.construct([instance], temperature=1.0, sample=3, top=50)[0]
    lengths = [makespan(instance, solution) for solution in found]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1]
    assert policy.construct([instance], temperature=1.0, sample=3)[0] == found[:1]


def test_scale_and_place_do_not_matter() -> None:
    """Metres or kilometres, here or there: the same routes."""
    policy, (instance,) = Policy(small_network("fmdvrp")), instances("fmdvrp", [(7, 3)])
    unit = (instance.coordinates - instance.coordinates.min(axis=0)) / np.ptp(
        instance.coordinates, axis=0
    ).max()
    here = Instance(unit, 3, 3, return_to="any")
    there = Instance(unit * 1024.0 + 4096.0, 3, 3, return_to="any")  # powers of two: exact in floats
    assert policy.construct([here]) == policy.construct([there])


def test_latitude_and_longitude_are_seen_as_a_map() -> None:
    """Geographic instances are constructed on the map and measured on the globe."""
    rng = np.random.default_rng(3)
    places = np.array([46.0, 7.0]) + rng.random((8, 2))
    instance = Instance(places, 1, 2, kind=Distance.GREAT_CIRCLE)
    (solution,) = Policy(small_network("mtsp")).construct([instance])[0]
    assert violations(instance, solution) == []


def test_depot_limits_are_kept() -> None:
    """Vehicles per depot bind every answer."""
    limits = np.array([1, 0, 2])
    asked = instances("mdvrp", [(8, 3)] * 3, vehicles_per_depot=limits)
    policy = Policy(small_network("mdvrp"))
    for instance, found in zip(asked, policy.construct(asked, temperature=1.0, top=20), strict=True):
        assert all(violations(instance, solution) == [] for solution in found)


def test_a_policy_for_several_depots_serves_one() -> None:
    """One depot is a case of several; pairs are not."""
    policy = Policy(small_network("mdvrp"))
    instance, pairs = instances("mtsp", [(6, 2)])[0], instances("mpdp", [(6, 2)])[0]
    assert violations(instance, policy.construct([instance])[0][0]) == []
    with pytest.raises(InputError, match="without pairs"):
        policy.construct([pairs])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("symmetries", 9),
        ("symmetries", 0),
        ("permutations", 0),
        ("sample", 0),
        ("sample", 2),
        ("top", 0),
        ("temperature", -1),
    ],
)
def test_options_out_of_range_are_refused(option: str, value: int) -> None:
    """The message names the option and the value. Two greedy rollouts of one view would be the same."""
    with pytest.raises(InputError, match=f"{option} = {value}"):
        Policy(small_network("mtsp")).construct(instances("mtsp", [(3, 1)]), **{option: value})  # type: ignore[arg-type]


def test_policies_are_found_by_name_and_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are files of the weights folder; the nearest in size with the same rule is chosen."""
    monkeypatch.setattr("minmaxvrp.policy.shipped_weights.WEIGHTS", tmp_path)
    for kind in ("mtsp", "mdvrp", "fmdvrp"):
        for size in (50, 100):
            trained = {"training": {"customers": [size, size]}}
            save_weights(tmp_path / f"{kind}{size}.safetensors", small_network(kind), trained)
    assert Policy.available() == ["fmdvrp100", "fmdvrp50", "mdvrp100", "mdvrp50", "mtsp100", "mtsp50"]
    assert Policy.load("mtsp50").provenance == {"training": {"customers": [50, 50]}}
    assert Policy.load(tmp_path / "mdvrp100.safetensors").name == "mdvrp100"
    rng = np.random.default_rng(0)
    chosen = {}
    for kind in KINDS:
        policy = Policy.for_instance(random_instance(kind, rng, 90, 3))
        chosen[kind] = None if policy is None else policy.name
    assert chosen == {"mtsp": "mtsp100", "mpdp": None, "mdvrp": "mdvrp100", "fmdvrp": "fmdvrp100"}
    with pytest.raises(InputError, match="'mtsp75': no such file, and not among the shipped weights"):
        Policy.load("mtsp75")
