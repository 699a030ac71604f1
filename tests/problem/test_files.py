"""Every format gives back what was written, and the public files of the literature are read right."""

import csv
import json
import os
import pickle
import re
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem import files
from minmaxvrp.problem.check import makespan
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution

from .same import assert_same
from .small import random_instance

CITY = """name,role,lat,lon,pair,service,vehicles
Depot,depot,52.5,13.4,,,2
"Müller, Bäckerei",customer,52.51,13.41,,3,
A,pickup,52.52,13.42,a,1,
B,delivery,52.53,13.43,a,,
"""


def named(instance: Instance) -> Instance:
    """The same instance with awkward names of stops."""
    awkward = ["a,b", 'say "hi"', "zeile\nzwei", " blank ", "Zürich", "日本", ";", "0", "\ttab"]
    names = [f"{awkward[k % len(awkward)]}{k}" for k in range(instance.num_nodes)]
    return replace(instance, names=tuple(names), name="a name; with, marks")


@pytest.mark.parametrize("seed", range(150))
def test_json_and_npz_give_back_every_field(tmp_path: Path, seed: int) -> None:
    """Random instances of every variant and distance come back from JSON and npz bit for bit."""
    instance = random_instance(seed)
    for variant in (instance, named(instance)):
        for ending in (".json", ".npz"):
            path = tmp_path / f"instance{ending}"
            files.write(variant, path)
            found = files.read(path)
            assert_same(found, variant)
            assert found.name == variant.name


def read_back(instance: Instance, path: Path) -> Instance:
    """Write, then read with exactly the options that the writer's warnings ask for."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        files.write(instance, path)
    text = " ".join(str(w.message) for w in caught)
    options: dict[str, Any] = {}
    if "vehicles=" in text:
        options["vehicles"] = instance.num_vehicles
    if "return_to=" in text:
        options["return_to"] = instance.return_to
    if "rounded=" in text:
        options["rounded"] = True
    if "matrix=" in text:
        np.save(path.with_suffix(".npy"), np.asarray(instance.matrix))
        options["matrix"] = path.with_suffix(".npy")
    return files.read(path, **options)


def without_hollow_fields(instance: Instance) -> Instance:
    """Drop what asks nothing: the cap of a lone depot, `any` with one depot, service of zero."""
    lone = instance.num_depots == 1
    hollow = instance.service is None or not instance.service.any()
    return replace(
        instance,
        vehicles_per_depot=None if lone else instance.vehicles_per_depot,
        return_to="start" if lone else instance.return_to,
        service=None if hollow else instance.service,
    )


@pytest.mark.parametrize("ending", [".csv", ".geojson", ".tsp", ".txt"])
def test_a_format_gives_back_the_instance_or_refuses_it(tmp_path: Path, ending: str) -> None:
    """What a format takes comes back equal once the options named by its warnings are given."""
    taken = 0
    for seed in range(200):
        instance = without_hollow_fields(random_instance(seed))
        if ending in (".csv", ".geojson"):
            instance = named(instance)
        path = tmp_path / f"{seed}{ending}"
        try:
            found = read_back(instance, path)
        except InputError as error:
            assert "cannot hold" in str(error)  # noqa: PT017
            assert not path.exists()
            continue
        assert_same(found, instance, on_map=ending == ".geojson" and instance.kind is Distance.GEO)
        taken += 1
    assert taken >= {".csv": 60, ".geojson": 200, ".tsp": 60, ".txt": 20}[ending]


@pytest.mark.parametrize("scale", [1e9, 1e-9, 1e149, 5e-324, 0.0])
@pytest.mark.parametrize("ending", [".json", ".csv", ".tsp", ".txt", ".npz", ".geojson"])
def test_extreme_but_legal_coordinates_survive(tmp_path: Path, ending: str, scale: float) -> None:
    """Huge, tiny and identical points and a lone customer come back bit for bit."""
    for points in (np.array([[1.0, 2.0]]), np.array([[3.0, 1 / 3], [1.0, 0.1], [1.0, 0.1]])):
        instance = Instance.mtsp([1.0 * scale, 0.0], points * scale, 9)
        files.write(instance, tmp_path / f"i{ending}")
        assert_same(files.read(tmp_path / f"i{ending}"), instance)


def test_a_set_keeps_the_unit_and_the_speed(tmp_path: Path) -> None:
    """Kilometres at 40 km/h, and seconds of a matrix, are still durations when read again."""
    town = Instance.mtsp([0, 0], [[1, 2], [3, 4]], 2, unit="km", speed=40.0)
    matrix = Instance(matrix=[[0, 60], [60, 0]], num_vehicles=1, unit="s")
    for instance in (town, matrix, Instance.mtsp([0, 0], [[1, 2]], 1)):
        files.write(instance, tmp_path / "one.npz")
        found = files.read(tmp_path / "one.npz")
        assert (found.unit, found.speed) == (instance.unit, instance.speed)
    np.savez(tmp_path / "bad.npz", depots=[[[0, 0]]], customers=[[[1, 1]]], vehicles=1, unit="mile")
    with pytest.raises(InputError, match="unit = 'mile', expected one of"):
        files.read(tmp_path / "bad.npz")


def test_a_set_gives_back_all_instances(tmp_path: Path) -> None:
    """An npz set of three instances comes back in order; as one instance it is refused."""
    rng = np.random.default_rng(5)
    instances = [Instance.mpdp(rng.random(2), rng.random((4, 2)), rng.random((4, 2)), m) for m in (2, 3, 4)]
    files.write_set(instances, tmp_path / "set.npz")
    found = files.read_set(tmp_path / "set.npz")
    assert len(found) == 3
    for one, other in zip(found, instances, strict=True):
        assert_same(one, other)
    assert [i.num_vehicles for i in files.read_set(tmp_path / "set.npz", vehicles=7)] == [7, 7, 7]
    with pytest.raises(InputError, match="a set of 3 instances"):
        files.read(tmp_path / "set.npz")
    with pytest.raises(InputError, match="same size"):
        files.write_set([instances[0], Instance.mtsp([0, 0], [[1, 1]], 1)], tmp_path / "bad.npz")


def test_pickled_sets_of_plain_lists_are_read(tmp_path: Path) -> None:
    """Lists of nodes, (depot, customers) tuples, several depots, dicts and paired customers."""
    path, nodes = tmp_path / "set.pkl", [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8], [0.9, 1.0]]
    path.write_bytes(pickle.dumps([nodes, nodes]))
    plain = files.read_set(path, vehicles=2)
    assert [i.problem for i in plain] == ["mtsp", "mtsp"]
    assert plain[1].coordinates.tolist() == nodes
    assert files.read_set(path, vehicles=2, paired=True)[0].pairs.tolist() == [[1, 3], [2, 4]]
    path.write_bytes(pickle.dumps([(nodes[0], nodes[1:], [1, 2], 30.0)]))
    with pytest.warns(files.FormatWarning, match="entry 2, entry 3"):
        tuples = files.read_set(path, vehicles=2)
    assert_same(tuples[0], plain[0])
    path.write_bytes(pickle.dumps([{"depot": nodes[:2], "loc": nodes[2:], "demand": [1]}], protocol=0))
    with pytest.warns(files.FormatWarning, match="'demand'"):
        several = files.read(path, vehicles=2)
    assert (several.num_depots, several.coordinates.tolist()) == (2, nodes)


def test_a_pickle_never_runs_code(tmp_path: Path) -> None:
    """A pickle that would call a function, and arrays of objects or of texts, are refused unexecuted."""

    class Evil:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
            return os.mkdir, (str(tmp_path / "pwned"),)

    path = tmp_path / "set.pkl"
    path.write_bytes(pickle.dumps([[[0.0, 0.0], Evil()]]))
    with pytest.raises(InputError, match="classes are not loaded"):
        files.read_set(path, vehicles=2)
    assert not (tmp_path / "pwned").exists()
    for array in (np.array([Evil()]), np.zeros(3, dtype="datetime64[s]"), np.array(["text"])):
        path.write_bytes(pickle.dumps([array]))
        with pytest.raises(InputError):
            files.read_set(path, vehicles=2)
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("protocol", range(6))
def test_pickled_arrays_are_read_without_numpys_unpickling(tmp_path: Path, protocol: int) -> None:
    """A set as one array, as a list of arrays, and as depots and customers; other byte orders too."""
    points = np.random.default_rng(protocol).uniform(size=(3, 5, 2))
    path = tmp_path / "set.pkl"
    sets: list[Any] = [
        points,
        list(points.astype(">f4")),
        [(one[0], np.asfortranarray(one[1:])) for one in points],
        [{"depot": one[0], "loc": one[1:], "size": np.float64(2.0)} for one in points],
    ]
    for number, value in enumerate(sets):
        path.write_bytes(pickle.dumps(value, protocol))
        with pytest.warns(files.FormatWarning, match="'size'") if number == 3 else nullcontext():
            found = files.read_set(path, vehicles=2)
        assert len(found) == 3
        for instance, one in zip(found, points, strict=True):
            np.testing.assert_allclose(instance.coordinates, one, rtol=1e-6)


def test_a_pickle_of_shared_lists_does_not_explode(tmp_path: Path) -> None:
    """A few bytes that refer to one list a million times are refused."""
    points = [[0.0, 0.0]] * 2000
    path = tmp_path / "set.pkl"
    path.write_bytes(pickle.dumps([points] * 2000))
    with pytest.raises(InputError, match="refers to its lists too often"):
        files.read_set(path, vehicles=2)


def test_csv_is_read_as_people_write_it(tmp_path: Path) -> None:
    """Byte order mark, CRLF, semicolons, tabs, column order, capitals and blank lines are taken."""
    plain = tmp_path / "plain.csv"
    plain.write_text(CITY, encoding="utf-8")
    instance = files.read(plain, speed=60.0)  # a kilometre a minute
    assert instance.names == ("Depot", "Müller, Bäckerei", "A", "B")
    assert instance.kind is Distance.GREAT_CIRCLE
    assert instance.pairs.tolist() == [[2, 3]]
    assert instance.num_vehicles == 2
    assert instance.service is not None
    assert instance.service.tolist() == [3.0, 1.0, 0.0]
    rows = list(csv.reader(CITY.splitlines()))
    for mark in ";\t,":
        with open(tmp_path / "odd.csv", "w", encoding="utf-8-sig", newline="") as handle:
            handle.write("\r\n")
            writer = csv.writer(handle, delimiter=mark, lineterminator="\r\n\r\n")
            writer.writerow(cell.upper() for cell in reversed(rows[0]))
            for row in (rows[3], rows[1], rows[2], rows[4]):  # a depot may come later
                writer.writerow(reversed(row))
        odd = files.read(tmp_path / "odd.csv", speed=60.0)
        assert odd.names == ("Depot", "A", "Müller, Bäckerei", "B")
        assert odd.pairs.tolist() == [[1, 3]]
        assert odd.coordinates[2].tolist() == [52.51, 13.41]


def test_vehicles_and_returns_follow_the_caller(tmp_path: Path) -> None:
    """Arguments replace what the file says, and a fleet at several depots stays a limit."""
    path = tmp_path / "stops.csv"
    path.write_text("role,x,y,vehicles\ndepot,0,0,2\ndepot,1,1,1\ncustomer,2,2,\n")
    instance = files.read(path)
    assert instance.num_vehicles == 3
    assert instance.vehicles_per_depot is not None
    assert files.read(path, vehicles=1, return_to="any").problem == "fmdvrp"
    with pytest.raises(InputError, match="the depots have only 3 vehicles"):
        files.read(path, vehicles=4)


def test_tsplib_kinds_are_read(tmp_path: Path) -> None:
    """Every edge weight type gives its distance; EUC_2D is plain unless rounding is asked for."""
    head = "NAME: t\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: {}\nNODE_COORD_SECTION\n"
    rows = "1 0 0\n2 1 1\n3 3 4\nEOF\n"
    path = tmp_path / "t.tsp"
    for word, kind in (
        ("EUC_2D", Distance.EUCLIDEAN),
        ("CEIL_2D", Distance.CEIL_2D),
        ("ATT", Distance.ATT),
        ("GEO", Distance.GEO),
    ):
        path.write_text(head.format(word) + rows)
        assert files.read(path, vehicles=2).kind is kind
    path.write_text(head.format("EUC_2D") + rows)
    assert float(files.read(path, vehicles=2).distance(0, 1)) == 2**0.5
    assert float(files.read(path, vehicles=2, rounded=True).distance(0, 1)) == 1.0
    assert files.read(path, vehicles=2, num_depots=2).problem == "mdvrp"


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("FULL_MATRIX", "0 1 2 1 0 3 2 3 0"),
        ("UPPER_ROW", "1 2 3"),
        ("LOWER_ROW", "1 2 3"),
        ("UPPER_DIAG_ROW", "0 1 2 0 3 0"),
        ("LOWER_DIAG_ROW", "0 1 0 2 3 0"),
        ("UPPER_COL", "1 2 3"),
        ("LOWER_DIAG_COL", "0 1 2 0 3 0"),
    ],
)
def test_explicit_matrices_of_every_form_are_read(tmp_path: Path, form: str, numbers: str) -> None:
    """The distances 0–1, 0–2 and 1–2 are 1, 2 and 3 in each form."""
    path = tmp_path / "t.vrp"
    path.write_text(
        f"NAME : t\nDIMENSION : 3\nVEHICLES : 2\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : {form}\n"
        f"EDGE_WEIGHT_SECTION\n{numbers}\nEOF\n"
    )
    instance = files.read(path)
    assert instance.distance_matrix().tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]


def test_vrplib_depots_service_and_capacity(tmp_path: Path) -> None:
    """Depots come first and ids become names; capacity and demands are named as not used."""
    path = tmp_path / "t.vrp"
    path.write_text(
        "NAME : t\nTYPE : CVRP\nDIMENSION : 3\nVEHICLES : 2\nCAPACITY : 9\nSERVICE_TIME : 5\n"
        "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 1 1\n3 3 4\n"
        "DEMAND_SECTION\n1 0\n2 1\n3 1\nDEPOT_SECTION\n 3\n -1\nEOF\n"
    )
    with pytest.warns(files.FormatWarning, match="'CAPACITY', 'DEMAND_SECTION': not part"):
        instance = files.read(path)
    assert instance.coordinates.tolist() == [[3, 4], [0, 0], [1, 1]]
    assert instance.names == ("3", "1", "2")
    assert instance.node_service.tolist() == [0, 5, 5]


def test_a_matrix_alone_is_an_instance_and_beside_one_replaces_its_distances(tmp_path: Path) -> None:
    """Labels in any order are matched with names; points of a bare matrix keep its distances."""
    labelled = tmp_path / "matrix.csv"
    labelled.write_text(",b,depot,a\nb,0,1,2\ndepot,3,0,4\na,5,6,0\n")
    stops = tmp_path / "stops.csv"
    stops.write_text("name,role,lat,lon\ndepot,depot,50,10\na,customer,51,10\nb,customer,52,11\n")
    instance = files.read(stops, vehicles=2, matrix=labelled)
    assert instance.distance_matrix().tolist() == [[0, 4, 3], [6, 0, 5], [1, 2, 0]]
    assert instance.coordinates[1, 1] == 51  # north is up
    alone = files.read(labelled, vehicles=2)
    assert alone.names == ("b", "depot", "a")
    assert alone.distance_matrix().tolist() == files.read_matrix(labelled).tolist()
    points = np.random.default_rng(3).random((12, 2))
    exact = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    np.savez(tmp_path / "m.npz", matrix=exact)
    flat = files.read(tmp_path / "m.npz", vehicles=2, num_depots=2)
    assert flat.num_depots == 2
    again = np.hypot(*(flat.coordinates[:, None] - flat.coordinates[None]).transpose(2, 0, 1))
    np.testing.assert_allclose(again, exact, atol=1e-9)
    np.savetxt(tmp_path / "plain.csv", exact, delimiter=";")
    np.testing.assert_allclose(files.read_matrix(tmp_path / "plain.csv"), exact)


SOLUTION_ENDINGS = [".json", ".sol", ".geojson"]


@pytest.mark.parametrize("ending", SOLUTION_ENDINGS)
def test_solutions_come_back(tmp_path: Path, ending: str) -> None:
    """Routes with their depots come back for every variant, empty routes included."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        instance = random_instance(seed)
        if seed % 2:
            instance = named(instance)
        cut = int(rng.integers(0, instance.num_customers + 1))
        order = (instance.num_depots + rng.permutation(instance.num_customers)).tolist()
        ends = rng.integers(0, instance.num_depots, 2).tolist()
        solution = Solution((Route.of(order[:cut], *ends), Route.of(order[cut:])))
        path = tmp_path / f"{seed}{ending}"
        files.write_solution(path, instance, solution, lower_bound=0.5, seed=seed)
        assert files.read_solution(path, instance) == solution
        if ending == ".geojson" and instance.kind is not Distance.MATRIX:
            assert files.read(path).num_customers == instance.num_customers


def test_a_solution_file_says_how_good_it_is(tmp_path: Path) -> None:
    """JSON has units, makespan, lower bound, gap and the length of each route."""
    instance = Instance.mtsp([0, 0], [[3, 4], [0, 1]], 2, names=("d", "p", "q"))
    solution = Solution.of([[1], [2]])
    path = tmp_path / "plan.json"
    files.write_solution(path, instance, solution, lower_bound=8.0, seconds=0.5)
    plan = json.loads(path.read_text())
    assert (plan["makespan"], plan["lower_bound"], plan["gap"], plan["seconds"]) == (10.0, 8.0, 0.25, 0.5)
    assert plan["routes"][1] == {"start": 0, "end": 0, "customers": [2], "names": ["q"], "length": 2.0}
    assert list(plan)[:3] == ["format", "version", "units"]
    files.write_solution(path.with_suffix(".sol"), instance, solution)
    assert path.with_suffix(".sol").read_text() == "Route #1: 1\nRoute #2: 2\nCost 10.0\n"
    other = replace(instance, names=("d", "x", "y"))
    with pytest.raises(InputError, match="'p' is no stop of the instance"):
        files.read_solution(path, other)


def test_public_files_are_read(shared: Path) -> None:
    """All files of the literature parse; proven optima equal 2·max depot distance within 0.01."""
    with open(shared / "figures" / "best_known.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    proven = 0
    for row in rows:
        folder = {"mtsp": "mtsp_set*", "mdvrp": "minmax_mdvrp"}[row["problem"]]
        stem = row["instance"] + (f"_{row['vehicles']}" if row["problem"] == "mtsp" else "")
        (path,) = (shared / "data").glob(f"{folder}/{stem}.txt")
        instance = files.read(path)
        assert instance.num_vehicles == int(row["vehicles"])
        if row["proven_optimal"] == "yes":
            farthest = float(instance.distance(0, np.array(instance.customers)).max())
            assert 2 * farthest == pytest.approx(float(row["best_known"]), abs=0.01)
            proven += 1
    assert proven == sum(row["proven_optimal"] == "yes" for row in rows) > 0


@pytest.mark.parametrize("text", ["r EUC_2D 2\n1 0 0\n2 3 4\nEOF\n", "m 1 1 0\n1 0 0 2\n1 3 4 0\nEOF \n\n"])
def test_a_text_file_may_end_with_eof(tmp_path: Path, text: str) -> None:
    """As rat783_3.txt of the public mTSP set does."""
    path = tmp_path / "r.txt"
    path.write_text(text)
    assert files.read(path).num_customers == 1


def test_public_files_with_a_wrong_or_missing_dimension_are_read(shared: Path) -> None:
    """The mtsp51 files hold 51 nodes, whatever their headers say; TSPLIB's eil51 is the same."""
    folder = shared / "data" / "mtsp_set1"
    with pytest.warns(files.FormatWarning, match="DIMENSION = 50, but there are 51 rows"):
        wrong = files.read(folder / "mtsp51_3.txt")
    missing = files.read(folder / "mtsp51_5.txt")
    eil51 = files.read(shared / "data" / "mtsp_lib" / "eil51.tsp", vehicles=5)
    assert (wrong.num_vehicles, missing.num_vehicles) == (3, 5)
    for instance in (wrong, missing):
        np.testing.assert_array_equal(instance.coordinates, eil51.coordinates)
    for path in sorted((shared / "data" / "mtsp_lib").glob("*.tsp")):
        assert files.read(path, vehicles=3).num_nodes == int("".join(filter(str.isdigit, path.stem)))


def test_a_public_file_survives_every_format(shared: Path, tmp_path: Path) -> None:
    """MS19 (400 customers, limits per depot) has the same makespan after each conversion."""
    instance = files.read(shared / "data" / "minmax_mdvrp" / "MS19.txt")
    customers = np.array(instance.customers)
    solution = Solution((Route.of(customers[:200], 1), Route.of(customers[200:], 2)))
    for ending in (".json", ".csv", ".txt", ".npz", ".geojson"):
        files.write(instance, tmp_path / f"i{ending}")
        found = files.read(tmp_path / f"i{ending}")
        assert_same(found, instance)
        assert makespan(found, solution) == makespan(instance, solution)


def test_the_examples_of_the_document_are_valid(tmp_path: Path) -> None:
    """Every file shown in docs/formats.md is read without a warning and says what the text says."""
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    stops, drivers, instance, plan, routes = re.findall(r"^```\w*\n(.*?)^```", text, re.S | re.M)
    paths = [tmp_path / name for name in ("stops.csv", "town.json", "plan.json", "plan.sol")]
    for path, content in zip(paths, (stops, instance, plan, routes), strict=True):
        path.write_text(content, encoding="utf-8")
    table, town = files.read(paths[0], speed=40.0), files.read(paths[1])
    assert (table.problem, table.num_vehicles, table.pairs.tolist()) == ("mpdp", 5, [[3, 4]])
    assert (town.problem, town.num_vehicles, town.names) == ("mdvrp", 5, table.names and table.names[:4])
    (tmp_path / "drivers.csv").write_text(drivers, encoding="utf-8")
    fleet = files.read(tmp_path / "drivers.csv")
    assert [(v.name, v.start, v.end, v.speed, v.done) for v in fleet.vehicles] == [
        *(("Anna", 1, 0, 1.0, 0.0), ("Ben", 2, 0, 0.8, 14.5), ("Cleo", None, "nowhere", 1.0, 0.0))
    ]
    assert fleet.allowed == {3: (0,), 4: (1, 2)}
    small = Instance.mtsp([0, 0], [[3, 4], [0, 1], [1, 0]], 2)
    assert files.read_solution(paths[2], small) == Solution.of([[1], [2]])
    assert files.read_solution(paths[3], small) == Solution.of([[3, 1], [2]])
