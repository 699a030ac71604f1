"""Suites and folders give the instances that the literature measured."""

import pickle
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from minmaxvrp.bench.suites import BestKnown, folder_cases, named_suites, read_best, suite_cases
from minmaxvrp.errors import InputError
from minmaxvrp.problem.files import write_set
from minmaxvrp.problem.generate import uniform

SQUARE = "NAME : square\nTYPE : TSP\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n"
SQUARE += "1 0 0\n2 0 3\n3 4 3\n4 4 0\nEOF\n"


def test_every_row_of_the_paper_has_its_suite() -> None:
    """Fourteen suites, with the numbers of vehicles of the tables."""
    suites = named_suites()
    sizes = (50, 100, 200, 500, 1000)
    names = [f"{p}{n}" for p in ("mtsp", "mpdp") for n in sizes]
    names += [f"{p}{n}" for p in ("mdvrp", "fmdvrp") for n in (50, 100)]
    assert set(suites) == set(names)
    assert suites["mtsp50"].vehicles == (3, 5, 7)
    assert suites["mpdp1000"].vehicles == (50, 75, 100)
    assert (suites["mdvrp100"].depots, suites["fmdvrp50"].depots) == (8, 6)


def test_a_suite_is_the_published_set() -> None:
    """mTSP of size 50: row 0 of each of the 100 instances of RandomState(3333) is the depot."""
    cases = suite_cases("mtsp50", vehicles=(3, 5), limit=4)
    assert [(c.instance.num_vehicles, c.index) for c in cases] == [(m, k) for m in (3, 5) for k in range(4)]
    expected = np.random.RandomState(3333).uniform(size=(100, 50, 2))
    for case in cases:
        assert np.array_equal(case.instance.coordinates, expected[case.index])


@pytest.mark.parametrize("name", ["mpdp50", "mdvrp50", "fmdvrp100"])
def test_a_suite_has_its_problem_and_the_published_vehicles(name: str) -> None:
    """Without a choice of vehicles, those of the table."""
    suite = named_suites()[name]
    cases = suite_cases(name, limit=1)
    assert [c.instance.num_vehicles for c in cases] == list(suite.vehicles)
    for case in cases:
        assert case.instance.problem == suite.problem
        assert case.instance.num_customers == suite.size
        assert case.instance.num_depots == suite.depots


def test_another_seed_gives_other_instances() -> None:
    """So that nothing needs to be tuned on the published ones."""
    ours, theirs = suite_cases("mtsp50", limit=1, set_seed=1)[0], suite_cases("mtsp50", limit=1)[0]
    assert not np.array_equal(ours.instance.coordinates, theirs.instance.coordinates)


def test_an_unknown_suite_is_answered_with_the_list() -> None:
    """The message names the suites."""
    with pytest.raises(InputError, match=r"suite = 'mtsp51', expected a folder or one of mtsp50, "):
        suite_cases("mtsp51")
    with pytest.raises(InputError, match="expected a folder or one of mtsp50"):
        folder_cases(Path("no-such-folder"))


def test_files_without_vehicles_are_taken_with_the_given_ones(tmp_path: Path) -> None:
    """A TSPLIB file names no vehicles."""
    (tmp_path / "square.tsp").write_text(SQUARE)
    cases = folder_cases(tmp_path, vehicles=(1, 2))
    assert [(c.name, c.instance.num_vehicles, c.best) for c in cases] == [
        ("square", 1, None),
        ("square", 2, None),
    ]
    with pytest.raises(InputError, match="vehicles"):
        folder_cases(tmp_path)


def test_files_are_matched_with_best_known_values_by_name_and_vehicles(tmp_path: Path) -> None:
    """square_2.txt is the instance `square` with 2 salesmen."""
    (tmp_path / "square_2.txt").write_text("square EUC_2D 4 2\n1 0 0\n2 0 3\n3 4 3\n4 4 0\n")
    best = tmp_path / "best.csv"
    best.write_text(
        "problem,instance,vehicles,best_known,proven_optimal\nmtsp,square,2,10,yes\nmtsp,square,3,8,no\n"
    )
    (case,) = folder_cases(tmp_path, best=best)
    assert (case.name, case.suite, case.best) == (
        "square",
        tmp_path.name,
        BestKnown(10.0, proven_optimal=True),
    )
    assert folder_cases(tmp_path / "square_2.txt", best=best)[0].best == case.best
    with pytest.raises(InputError, match="no instance with 3 vehicles"):
        folder_cases(tmp_path, vehicles=(3,), best=best)


def test_files_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """MS3 before MS11."""
    for name in ("MS11", "MS3", "MS1"):
        (tmp_path / f"{name}.tsp").write_text(SQUARE)
    assert [c.name for c in folder_cases(tmp_path, vehicles=(1,))] == ["MS1", "MS3", "MS11"]


def test_every_public_file_has_a_best_known_value(shared: Path) -> None:
    """46 files with all their numbers of vehicles; whole numbers where only the paper has them."""
    best = shared / "figures" / "best_known.csv"
    counts = {}
    for folder in ("mtsp_set1", "mtsp_lib", "minmax_mdvrp"):
        with pytest.warns() if folder == "mtsp_set1" else nullcontext():  # mtsp51 says 50 nodes
            cases = folder_cases(shared / "data" / folder, best=best)
        counts[folder] = len(cases)
        assert all(c.best is not None for c in cases)
        rounded = {c.name for c in cases if c.best is not None and c.best.rounded}
        assert rounded == {"mtsp_set1": {"mtsp51"}, "minmax_mdvrp": set()}.get(
            folder, {"eil51", "berlin52", "eil76", "rat99"}
        )
    assert counts == {"mtsp_set1": 20, "mtsp_lib": 16, "minmax_mdvrp": 22}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("instance,vehicles\na,2\n", "line 1: no column 'best_known'"),
        ("instance,vehicles,best_known\na,2,3\nb,x,4\n", "line 3: vehicles = 'x'"),
        ("instance,vehicles,best_known\na,2\n", "line 2: vehicles = '2', best_known = None"),
        ("instance,vehicles,best_known\na,2,-1\n", "line 2: best_known = -1, expected a number above 0"),
        ("", "line 1: no column 'instance'"),
    ],
)
def test_a_bad_file_of_best_known_values_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    """What, got, expected, where."""
    path = tmp_path / "best.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_best(path)


def test_a_missing_file_of_best_known_values_is_refused(tmp_path: Path) -> None:
    """The message names the file."""
    with pytest.raises(InputError, match=r"none\.csv: No such file"):
        read_best(tmp_path / "none.csv")


def test_sets_in_a_folder_are_measured_instance_by_instance(tmp_path: Path) -> None:
    """An npz set of three and a pickled list of two: five instances."""
    write_set(uniform("mtsp", 9, 2, seed=5, count=3), tmp_path / "set.npz")
    pairs = [([0.5, 0.5], [[0.1, 0.2], [0.3, 0.9]]), ([0.5, 0.4], [[0.2, 0.2], [0.3, 0.8]])]
    (tmp_path / "others.pkl").write_bytes(pickle.dumps(pairs))
    cases = folder_cases(tmp_path, vehicles=(2,))
    assert [case.instance.num_customers for case in cases] == [2, 2, 8, 8, 8]
