"""Bad files end in one clear line that says what, got, expected and where; nothing is left behind."""

import gzip
import json
import os
import pickle
import stat
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem import files
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.files import atomic
from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution

HEAD = "name,role,x,y\n"
DEPOT = "d,depot,0,0\n"
GEO = "name,role,lat,lon\nd,depot,0,0\n"
PAIR = "name,role,x,y,pair\nd,depot,0,0,\n"

BAD_CSV = [
    (GEO + "a,customer,abc,0\n", "line 3: latitude = 'abc', expected a number"),
    (GEO + "a,customer,90.5,0\n", "line 3: latitude = '90.5', expected -90 to 90"),
    (GEO + "a,customer,0,-181\n", "line 3: longitude = '-181', expected -180 to 180"),
    (HEAD + DEPOT + "a,customer,nan,0\n", "line 3: x = 'nan', expected a finite number"),
    (HEAD + DEPOT + "a,customer,0,1e999\n", "line 3: y = '1e999', expected a finite number"),
    (HEAD + DEPOT + "a,customer,0,1_0\n", "line 3: y = '1_0', expected a number"),
    (HEAD + DEPOT + "a,customer,0,1e200\n", "expected at most 1e+150"),
    (HEAD + DEPOT + "a,customer,0\n", "line 3: 3 cells, expected 4"),
    (
        HEAD + DEPOT + "a,shop,0,1\n",
        "line 3: role = 'shop', expected depot, customer, pickup, delivery or vehicle",
    ),
    (HEAD + DEPOT + ",customer,0,1\n", "line 3: name = '', expected a text"),
    (HEAD + DEPOT, "no customers"),
    (HEAD + "a,customer,0,1\n", "no depot"),
    (HEAD, "no stops below the header"),
    ("", "empty file"),
    (" \n\n", "empty file"),
    ("\ufeff\n", "empty file"),
    ("name,role,x\nd,depot,0\n", "coordinate columns: x, expected x and y, or lat and lon"),
    ("name,role,x,x,y\n", "column 'x' appears twice"),
    (HEAD + DEPOT + '"a,customer,0,1\n', "not valid CSV"),
    (PAIR + "a,pickup,1,1,p\n", "line 3: pair = 'p' has a pickup but no delivery"),
    (PAIR + "a,delivery,1,1,p\n", "line 3: pair = 'p' has a delivery but no pickup"),
    (PAIR + "a,pickup,1,1,\n", "line 3: pickup without a value in pair"),
    (PAIR + "a,customer,1,1,p\n", "line 3: pair = 'p' at a customer"),
    (PAIR + "a,pickup,1,1,p\nb,pickup,1,1,p\n", "line 4: pair = 'p' has a second pickup"),
    ("role,x,y,service\ndepot,0,0,4\ncustomer,1,1,1\n", "line 2: service = '4' at a depot"),
    ("role,x,y,service\ndepot,0,0,\ncustomer,1,1,1e308\n", "service = 1e+308, expected at most 1e+150"),
    ("role,x,y,service\ndepot,0,0,\ncustomer,1,1,-1\n", "line 3: service = '-1', expected 0 or more"),
    (
        "role,x,y,vehicles\ndepot,0,0,1.5\ncustomer,1,1,\n",
        "line 2: vehicles = '1.5', expected a whole number",
    ),
    ("role,x,y,vehicles\ndepot,0,0,1\ncustomer,1,1,2\n", "line 3: vehicles = '2' at a customer"),
    ("role,x,y,vehicles\ndepot,0,0,1\ndepot,0,0,\ncustomer,1,1,\n", "line 3: vehicles is empty"),
]


@pytest.mark.parametrize(("text", "message"), BAD_CSV)
def test_a_bad_csv_is_named_by_line(tmp_path: Path, text: str, message: str) -> None:
    """Each damage gives its own message, which starts with the name of the file."""
    expect(tmp_path / "stops.csv", text.encode(), message)


def expect(path: Path, data: bytes, message: str) -> None:
    """Fail unless reading `data` ends in one line with the file's name and `message`."""
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        files.read(path, vehicles=None if "vehicles" in message else 2)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert message in text
    assert "\n" not in text


def test_a_missing_or_wrong_number_of_vehicles_is_named(tmp_path: Path) -> None:
    """Without a number in file or call, the message says how to give it; less than 1 is refused."""
    path = tmp_path / "stops.csv"
    path.write_text(HEAD + DEPOT + "a,customer,1,1\n")
    with pytest.raises(InputError, match="give --vehicles"):
        files.read(path)
    for number in (0, -3):
        with pytest.raises(InputError, match=f"num_vehicles = {number}, expected 1 or more"):
            files.read(path, vehicles=number)


def document(**changes: Any) -> bytes:
    """A valid JSON instance with some fields changed."""
    good: dict[str, Any] = {
        "format": "minmaxvrp-instance",
        "version": 1,
        "vehicles": 2,
        "depots": [{"x": 0, "y": 0}],
        "customers": [{"x": 1, "y": 0}, {"x": 0, "y": 1}],
    }
    return json.dumps(
        {key: value for key, value in {**good, **changes}.items() if value != "absent"}
    ).encode()


BAD_JSON = [
    (document(version=2), "version = 2, expected 1"),
    (document(version=True), "version = True, expected 1"),
    (document(format="other"), "format = 'other', expected 'minmaxvrp-instance'"),
    (document(format="minmaxvrp-solution"), "holds a solution"),
    (document(vehicles=0), "vehicles = 0, expected 1 or more"),
    (document(vehicles="absent"), "no number of vehicles"),
    (document(vehicles=10**400), "vehicles = 1000000"),
    (document(depots=[]), "no depots"),
    (document(customers="absent"), "customers is None, expected a list"),
    (document(customers=[{"x": 1}]), "customers[0]: y = None, expected a number"),
    (document(customers=[{"x": 10**400, "y": 1}]), "expected a number"),
    (document(customers=[{"x": True, "y": 1}]), "x = True, expected a number"),
    (document(customers=[{"x": 1, "y": 1, "lat": 4}]), "expected x, y or lat, lon in all"),
    (document(customers=[3]), "customers[0] is 3, expected an object"),
    (document(distance="miles"), "distance = 'miles', expected one of euclidean"),
    (document(distance="matrix"), "give --matrix"),
    (document(distance=[1]), "distance = [1], expected"),
    (document(distance="great_circle"), "expected lat, lon"),
    (document(return_to="home"), "return_to = 'home', expected 'start', 'any' or 'nowhere'"),
    (document(return_to=[]), "return_to = [], expected 'start', 'any' or 'nowhere'"),
    (document(pairs=[[1]]), "pairs[0] is [1], expected [pickup, delivery]"),
    (document(pairs=[[1, 1.0]]), "node = 1.0, expected a node number"),
    (document(pairs=[[1, 9]]), "node 9 is not a customer"),
    (document(pairs=[[1, 1]]), "node 1 is in more than one pair"),
    (document(matrix=[[0, 1], [1, 0]]), "distance matrix has shape (2, 2), expected (3, 3)"),
    (document(matrix=[[0, 1, 1], [1, 0], [1, 1, 0]]), "matrix row 1 has 2 entries, expected 3"),
    (document(matrix=[[0, 1, 1], [1, 0, -2], [1, 1, 0]]), "row 1 column 2 = -2, expected 0 or more"),
    (document(name=7), "name = 7, expected a text"),
    (document(depots=[{"x": 0, "y": 0, "name": "\ud800"}]), "name = '\\ud800', expected valid Unicode"),
    (b'{"a": 1, "a": 2}', "field 'a' appears twice"),
    (b'{"x": NaN}', "NaN is not a number of JSON"),
    (b'{"x": ' + b"9" * 5000 + b"}", "not valid JSON"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"a":' * 100_000, "nested too deeply"),
    (b"[1, 2]", "the file is [1, 2], expected an object"),
    (document()[:-20], "line 1: not valid JSON"),
    (b"\xff\xfe{\x00}\x00", "line 1: byte 0xff is not UTF-8 text"),
    (gzip.compress(document()), "is not UTF-8 text"),
]


@pytest.mark.parametrize(("data", "message"), BAD_JSON)
def test_a_bad_json_is_named_by_field(tmp_path: Path, data: bytes, message: str) -> None:
    """Each damage gives its own message."""
    expect(tmp_path / "i.json", data, message)


TSP = "NAME : t\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 1 1\nEOF\n"
EXPLICIT = TSP.replace("EUC_2D", "EXPLICIT\nEDGE_WEIGHT_FORMAT : UPPER_ROW\nEDGE_WEIGHT_SECTION\n3")

BAD_TEXT = [
    ("t.tsp", TSP.replace(": 2", ": 3"), "2 rows of coordinates, expected DIMENSION = 3"),
    ("t.tsp", TSP.replace("DIMENSION : 2\n", ""), "no DIMENSION"),
    ("t.tsp", TSP.replace("DIMENSION : 2", "DIMENSION : x"), "line 2: DIMENSION = 'x', expected a number"),
    ("t.tsp", TSP.replace("EUC_2D", "EUC_3D"), "EDGE_WEIGHT_TYPE = 'EUC_3D', expected one of EUC_2D"),
    ("t.tsp", TSP.replace("2 1 1", "1 1 1"), "line 6: id 1 appears twice"),
    ("t.tsp", TSP.replace("2 1 1", "2 1"), "line 6: 2 words, expected: id x y"),
    ("t.tsp", TSP.replace("2 1 1", "2 1 1\nDEPOT_SECTION\n5\n-1"), "line 8: depot 5 is no node"),
    ("t.tsp", TSP.replace("2 1 1", "2 1 1\nDEPOT_SECTION\n-1"), "no depot in the DEPOT_SECTION"),
    ("t.tsp", TSP.replace("NAME : t", "NAME t"), "line 1: 'NAME t', expected KEYWORD : value"),
    ("t.tsp", "1 2 3\n", "'1 2 3' before any section"),
    ("t.tsp", "NAME : a\nNAME : b\n", "line 2: NAME appears twice"),
    ("t.vrp", EXPLICIT.replace("\n3\n", "\n3 4\n"), "has 2 numbers, expected 1 for UPPER_ROW"),
    ("t.vrp", EXPLICIT.replace("UPPER_ROW", "ROUND"), "EDGE_WEIGHT_FORMAT = 'ROUND', expected one of"),
    ("t.vrp", EXPLICIT.replace("\n3\n", "\n-3\n"), "expected 0 or more"),
    ("m.txt", "m EUC_2D 1 2\n1 0 0\n", "no customers"),
    ("m.txt", "m EUC_2D 2 0\n1 0 0\n2 1 1\n", "line 1: SALESMEN = '0', expected 1 or more"),
    ("m.txt", "m EUC_2D 2 2\n1 0 0\n2 1\n", "line 3: 2 words, expected: id x y"),
    ("m.txt", "m EUC_2D 2 2\n1 0 0\n2 1 inf\n", "line 3: y = 'inf', expected a finite number"),
    ("m.txt", "m 2 1 9\n1 0 0 1\n1 5 5 2\n", "2 rows, expected 1 depots and 2 customers"),
    ("m.txt", "m 1 1 9\n1 0 0\n1 5 5 2\n", "line 2: 3 words, expected: id x y VEHICLES"),
    ("m.txt", "hello world\n", "format not recognised"),
    ("m.sol", "Route #1: 1\n", "a solution, expected an instance"),
    ("m.csv", "0,1\n1,0,2\n", "line 1: 2 cells, expected 3"),
    ("m.csv", "0,1\n-1,0\n", "matrix row 1 column 0 = -1, expected a distance of 0 or more"),
    ("m.csv", "a,b\n0,1\nx,0\n", "distance = "),
    ("m.csv", ",a,b\na,0,1\nc,1,0\n", "labels of the rows are not those of the columns"),
    ("g.geojson", '{"type": "Feature"}', "type = 'Feature', expected 'FeatureCollection'"),
    ("g.geojson", '{"type": "FeatureCollection", "features": []}', "no points"),
    ("g.geojson", '{"type": "FeatureCollection", "features": {}}', "features is {}, expected a list"),
    ("g.geojson", '{"type": "FeatureCollection", "features": [4]}', "feature 0 is 4, expected an object"),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD_TEXT)
def test_a_bad_text_file_is_named_by_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    """Each damage of the other text formats gives its own message."""
    expect(tmp_path / name, text.encode(), message)


@pytest.mark.parametrize("name", ["i.json", "i.csv", "i.tsp", "i.txt", "i.npz", "i.pkl", "i.geojson", "i"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    """Missing files, folders, devices, empty files, garbage and impossible names: one line each."""
    path = tmp_path / name
    with pytest.raises(InputError, match="no such file"):
        files.read(path, vehicles=1)
    expect(path, b"", "empty file")
    expect(path, bytes(range(256)) * 20, "")
    expect(path, gzip.compress(b"role,x,y\n"), "")
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match="a folder, expected a file"):
        files.read(path, vehicles=1)
    with pytest.raises(InputError, match="a folder, expected a file name"):
        atomic.write_text(path, "text")
    with pytest.raises(InputError, match="cannot be read"):
        files.read(f"{path}\0{name}", vehicles=1)
    with pytest.raises(InputError, match="cannot be read: File name too long"):
        files.read(tmp_path / ("long" * 100 + name), vehicles=1)
    link = tmp_path / f"device{Path(name).suffix}"
    link.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="a device, expected a file"):
        files.read(link, vehicles=1)


def test_npz_with_characters_that_do_not_exist_is_refused(tmp_path: Path) -> None:
    """A damaged text array: Unicode ends at 0x10FFFF."""
    path, points = tmp_path / "set.npz", np.random.default_rng(1).random((2, 3, 2))
    broken = np.full((2, 4), 0x41424344, dtype=np.uint32).view("<U4").reshape(2)
    np.savez(path, depots=points[:, :1], customers=points, vehicles=np.int64(2), name=broken)
    with pytest.raises(InputError, match="expected valid Unicode"):
        files.read_set(path)


def test_npz_of_objects_or_of_wrong_shape_is_refused(tmp_path: Path) -> None:
    """Pickled arrays are never loaded; shapes, types and missing arrays are named."""
    path = tmp_path / "set.npz"
    depots, customers = np.zeros((2, 1, 2)), np.ones((2, 3, 2))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"depots": np.array([[object()]]), "customers": customers}, "not objects"),
        ({"depots": depots}, "no array 'customers'"),
        ({"depots": depots[0], "customers": customers}, "array 'depots' has shape"),
        ({"depots": depots[:1], "customers": customers}, "depots of 1 and customers of 2 instances"),
        ({"depots": depots, "customers": customers * np.nan}, "expected a finite number"),
        ({"depots": depots, "customers": customers, "vehicles": np.array(2.5)}, "expected a whole number"),
        ({"depots": depots, "customers": customers, "vehicles": [1, 2, 3]}, "has 3 entries, expected 2"),
        ({"depots": depots, "customers": customers, "return_to": np.array(3)}, "array 'return_to' has type"),
        ({"depots": depots, "customers": customers, "version": np.array(7)}, "version = 7, expected 1"),
        ({"matrix": np.zeros((2, 3))}, "shape (2, 3), expected as many rows as columns"),
        ({"one": np.zeros(2), "two": np.zeros(2)}, "expected one called 'matrix'"),
    ]
    for arrays, message in wrong:
        np.savez(path, allow_pickle=True, **arrays)
        with pytest.raises(InputError) as caught:
            files.read_set(path, vehicles=None if "vehicles" in arrays else 2)
        assert message in str(caught.value)


def test_an_array_larger_than_its_file_takes_no_memory(tmp_path: Path) -> None:
    """A header that claims a petabyte is refused before anything is reserved for it."""
    header = np.lib.format.magic(1, 0)
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 70000000000000, 2)}\n"
    with zipfile.ZipFile(tmp_path / "set.npz", "w") as archive:
        archive.writestr("depots.npy", header + len(text).to_bytes(2, "little") + text)
    with pytest.raises(InputError, match="do not fit its shape"):
        files.read_set(tmp_path / "set.npz", vehicles=2)


def test_unknown_fields_warn_by_name(tmp_path: Path) -> None:
    """No field is passed over in silence, in any format."""
    path = tmp_path / "i.json"
    path.write_bytes(document(colour="red"))
    with pytest.warns(files.FormatWarning, match="unknown field 'colour' in the instance"):
        files.read(path)
    path.write_bytes(document(customers=[{"x": 1, "y": 1, "demand": 3}]))
    with pytest.warns(files.FormatWarning, match="unknown field 'demand' in customers"):
        files.read(path)
    path.write_bytes(document(problem="mpdp"))
    with pytest.warns(files.FormatWarning, match="problem = 'mpdp', but the fields make it 'mtsp'"):
        files.read(path)
    stops = tmp_path / "stops.csv"
    stops.write_text("role,x,y,demand\ndepot,0,0,\ncustomer,1,1,5\n")
    with pytest.warns(files.FormatWarning, match="unknown column 'demand'"):
        files.read(stops, vehicles=1)
    stops.write_text("role,x,y,,\ndepot,0,0,,\ncustomer,1,1,,\n")
    assert files.read(stops, vehicles=1).num_customers == 1  # empty columns say nothing
    stops.write_text("role,x,y,,\ndepot,0,0,,\ncustomer,1,1,,5\n")
    with pytest.warns(files.FormatWarning, match="column 5 has no name"):
        files.read(stops, vehicles=1)
    np.savez(tmp_path / "s.npz", depots=np.zeros((1, 1, 2)), customers=np.ones((1, 2, 2)), demand=np.ones(2))
    with pytest.warns(files.FormatWarning, match="unknown array 'demand'"):
        files.read(tmp_path / "s.npz", vehicles=1)
    point = {"type": "Point", "coordinates": [1, 2]}
    features = [
        {"geometry": point, "properties": {"role": r, "colour": "red"}} for r in ("depot", "customer")
    ]
    (tmp_path / "g.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    with pytest.warns(files.FormatWarning, match="unknown field 'colour' in the points"):
        files.read(tmp_path / "g.geojson", vehicles=1)


def test_units_that_would_be_misread_are_refused(tmp_path: Path) -> None:
    """Great-circle distances are kilometres; a file that says miles is not taken."""
    stops = {"depots": [{"lat": 0, "lon": 0}], "customers": [{"lat": 1, "lon": 0}]}
    expect(
        tmp_path / "i.json",
        document(**stops, units={"distance": "miles"}),
        "distance = 'miles', expected 'km'",
    )


SOLUTION = '{"format": "minmaxvrp-solution", "version": 1, "routes": [{"customers": [%s]}]}'

BAD_SOLUTIONS = [
    ("p.json", SOLUTION % "1.5", "routes[0]: customer = 1.5, expected a node number"),
    ("p.json", SOLUTION % ("9" * 30), "expected a node number"),
    ("p.json", SOLUTION.replace('"version": 1', '"version": 9') % "", "version = 9, expected 1"),
    ("p.json", '{"format": "minmaxvrp-instance"}', "holds an instance"),
    ("p.json", '{"format": "minmaxvrp-solution", "version": 1}', "routes is None, expected a list"),
    ("p.sol", "Route 1 2 3\n", "line 1: 'Route 1 2 3', expected Route #1: 3 5 7"),
    ("p.sol", "Route #1: 1 x\n", "line 1: customer = 'x', expected a number"),
    ("p.sol", "Route #1: 0\n", "line 1: customer = '0', expected 1 or more"),
    ("p.sol", "# nothing\n", "no routes"),
    ("p.geojson", '{"type": "FeatureCollection", "features": []}', "no routes"),
    ("p.csv", "x", "ending '.csv', expected one of .json, .sol, .geojson"),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD_SOLUTIONS)
def test_a_bad_solution_file_is_named_by_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    """Damage to a plan is an input error; a plan that breaks rules is the checker's business."""
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        files.read_solution(tmp_path / name, Instance.mtsp([0, 0], [[1, 1]], 1))
    assert message in str(caught.value)


def test_a_sol_file_for_several_depots_must_name_them(tmp_path: Path) -> None:
    """A route without start and end is refused where it could mean any depot."""
    instance = Instance.mdvrp([[0, 0], [1, 1]], [[2, 2]], 1)
    (tmp_path / "p.sol").write_text("Route #1: 1\nCost 3\n")
    with pytest.raises(InputError, match="a route without"):
        files.read_solution(tmp_path / "p.sol", instance)


def test_a_format_that_cannot_hold_an_instance_says_so(tmp_path: Path) -> None:
    """Nothing is written instead of a different problem; recoverable losses are warned about."""
    pairs = Instance.mpdp([0, 0], [[1, 1]], [[2, 2]], 1)
    with pytest.raises(InputError, match="cannot hold pairs"):
        files.write(pairs, tmp_path / "i.tsp")
    circle = Instance.mtsp([0, 0], [[1, 1]], 1, kind=Distance.GREAT_CIRCLE)
    with pytest.raises(InputError, match="cannot hold distance = 'great_circle'"):
        files.write(circle, tmp_path / "i.txt")
    with pytest.raises(InputError, match=r"ending '\.xyz', expected one of"):
        files.write(circle, tmp_path / "i.xyz")
    with pytest.raises(InputError, match=r"ending '\.xyz', expected one of"):
        files.write_solution(tmp_path / "p.xyz", circle, Solution.of([[1]]))
    assert list(tmp_path.iterdir()) == []
    several = Instance.fmdvrp([[0, 0], [1, 1]], [[2, 2]], 3)
    with pytest.warns(files.FormatWarning, match="no place for vehicles=3, return_to='any'"):
        files.write(several, tmp_path / "i.csv")


def test_writing_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure leaves the old file and no temporary one; a success keeps links and modes."""
    path = tmp_path / "plan.json"
    atomic.write_text(path, "old")
    path.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    atomic.write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InputError, match=r"plan\.json: cannot be written: No space left on device"):
        atomic.write_text(path, "newer")
    assert path.read_text() == "new"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "plan.json"]
    with pytest.raises(InputError, match="No such file or directory"):
        atomic.write_text(tmp_path / "absent" / "plan.json", "text")
    with pytest.raises(InputError, match="not valid Unicode"):
        atomic.write_text(tmp_path / "bad.json", "\ud800")


def test_small_files_made_to_take_forever_are_refused_at_once(tmp_path: Path) -> None:
    """Endless spaces, columns, fields and shared lists do not make a reader explode."""
    (tmp_path / "p.sol").write_text("Route" + " " * 20_000 + "x\n")
    with pytest.raises(InputError, match="expected Route #1"):
        files.read_solution(tmp_path / "p.sol", Instance.mtsp([0, 0], [[1, 1]], 1))
    columns = ",".join(f"c{k}" for k in range(50_000))
    expect(tmp_path / "i.csv", f"role,{columns},role\n".encode(), "column 'role' appears twice")
    fields = ",".join(f'"f{k}": 1' for k in range(50_000))
    expect(tmp_path / "i.json", f'{{{fields}, "f49999": 1}}'.encode(), "field 'f49999' appears twice")
    nested: Any = []
    for _ in range(100):
        nested = [nested] * 10
    expect(tmp_path / "i.pkl", pickle.dumps(nested), "expected a point")


def test_units_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """A list where the unit of service should be."""
    path = tmp_path / "i.json"
    files.write(Instance([[50, 8], [50, 9]], 1, 1, kind=Distance.GREAT_CIRCLE, service=[1.0]), path)
    document = json.loads(path.read_text())
    document["units"]["service"] = ["km"]
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="units: service"):
        files.read(path)


def test_a_route_whose_vehicle_is_no_text_is_refused(tmp_path: Path) -> None:
    """A list where the name of a vehicle should be."""
    path = tmp_path / "plan.json"
    routes = [{"vehicle": ["Anna"], "customers": [1]}]
    path.write_text(json.dumps({"format": "minmaxvrp-solution", "version": 1, "routes": routes}))
    with pytest.raises(InputError, match="is no vehicle of the instance"):
        files.read_solution(path, Instance.mtsp([0, 0], [[1, 1]], 1, fleet=(Vehicle("Anna"),)))
