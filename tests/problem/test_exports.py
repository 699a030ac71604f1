"""Plans for drivers: CSV, XLSX, GPX, KML and pages to print say the same as the plan."""

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem import files
from minmaxvrp.problem.check import route_lengths
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution

TOWN = Instance.mtsp(
    [50.0, 10.0],
    [[50.1, 10.0], [50.1, 10.2], [50.0, 10.3]],
    3,
    kind=Distance.GREAT_CIRCLE,
    service=[1.0, 0.0, 2.5],
    names=("Lager", "=Müller & <Söhne>", "Bäcker", "Nord"),
    name="town",
)
PLAN = Solution.of([[2, 1], [], [3]])


def export(folder: Path, ending: str, instance: Instance = TOWN) -> bytes:
    """The bytes of the plan in the format of `ending`."""
    path = folder / f"plan{ending}"
    files.write_solution(path, instance, PLAN)
    return path.read_bytes()


def test_csv_has_a_row_per_visit_with_lengths_so_far(tmp_path: Path) -> None:
    """The last row of each route carries its length; a name that looks like a formula is made text."""
    rows = list(csv.DictReader(io.StringIO(export(tmp_path, ".csv").decode("utf-8-sig"))))
    assert [row["name"] for row in rows[:4]] == ["Lager", "Bäcker", "'=Müller & <Söhne>", "Lager"]
    assert [(row["route"], row["role"]) for row in rows[4:]] == [("3", "start"), ("3", "stop"), ("3", "end")]
    lengths = route_lengths(TOWN, PLAN)
    assert float(rows[3]["length"]) == pytest.approx(lengths[0])
    assert float(rows[-1]["length"]) == pytest.approx(lengths[2])
    assert (rows[1]["lat"], rows[1]["lon"], rows[2]["service"]) == ("50.1", "10.2", "1.0")


def test_xlsx_has_a_sheet_per_vehicle(tmp_path: Path) -> None:
    """An overview, then one sheet for each route with stops."""
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    workbook = openpyxl.load_workbook(io.BytesIO(export(tmp_path, ".xlsx")))
    assert workbook.sheetnames == ["routes", "route 1", "route 3"]
    rows = list(workbook["route 1"].values)
    assert rows[0][:4] == ("route", "visit", "name", "role")
    assert rows[3][2] == "=Müller & <Söhne>"
    assert workbook["route 1"].cell(4, 3).data_type == "s"
    assert rows[-1][-1] == pytest.approx(route_lengths(TOWN, PLAN)[0])


@pytest.mark.parametrize(
    ("ending", "point"), [(".gpx", "{*}rte/{*}rtept/{*}name"), (".kml", ".//{*}Placemark/{*}Point")]
)
def test_navigation_files_hold_every_visit(tmp_path: Path, ending: str, point: str) -> None:
    """Well-formed XML with the 4 + 3 visits of both routes, names escaped."""
    data = export(tmp_path, ending)
    assert len(ElementTree.fromstring(data).findall(point)) == 7
    assert "=Müller &amp; &lt;Söhne&gt;" in data.decode()


def test_navigation_needs_latitude_and_longitude(tmp_path: Path) -> None:
    """Stops at x, y are refused; stops with a matrix beside latitude and longitude are not."""
    flat = Instance.mtsp([0, 0], [[1, 2], [3, 4], [5, 6]], 3)
    with pytest.raises(InputError, match=r"plan\.gpx: GPX needs latitude and longitude"):
        export(tmp_path, ".gpx", flat)
    stops = tmp_path / "stops.csv"
    stops.write_text("role,lat,lon\ndepot,50,10\n" + "customer,51,11\n" * 3)
    matrix = tmp_path / "m.npy"
    np.save(matrix, np.ones((4, 4)))
    instance = files.read(stops, vehicles=3, matrix=matrix)
    assert b'lat="51.0" lon="11.0"' in export(tmp_path, ".gpx", instance)
    files.write(instance, tmp_path / "i.json")
    again = files.read(tmp_path / "i.json")
    np.testing.assert_array_equal(again.latlon, instance.latlon)
    np.testing.assert_allclose(again.plane, instance.plane)


def test_driver_pages_are_whole_and_need_no_network(tmp_path: Path) -> None:
    """A section and a map per driver, names escaped, nothing loaded from anywhere."""
    page = export(tmp_path, ".html").decode()
    assert page.count("<section>") == page.count("<svg ") == 2
    assert "=Müller &amp; &lt;Söhne&gt;" in page
    assert "http" not in page
    assert "<script" not in page
    assert f"{route_lengths(TOWN, PLAN)[2]:.2f} km" in page
    assert re.findall(r"<circle", page) == ["<circle"] * 3
