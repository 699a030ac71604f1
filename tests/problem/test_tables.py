"""Tables as planners have them: Excel exports of several countries, workbooks, routing services' matrices."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem import files
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.instance import Instance

GERMAN = """Kunde;Adresse;Breite;Länge
Lager;Hof 1;52,5;13,25
;;;
Müller;Weg 2;52,75;13,5
Bäcker;Weg 3;52,25;13
;;;
"""


def read(path: Path, data: bytes, notices: tuple[str, ...] = (), **options: Any) -> Instance:
    """Read `data` as a file; every notice must be given, in order, and no other."""
    path.write_bytes(data)
    if not notices:
        return files.read(path, vehicles=2, **options)
    with pytest.warns(files.FormatWarning) as caught:
        instance = files.read(path, vehicles=2, **options)
    assert len(caught) == len(notices), [str(warning.message) for warning in caught]
    for warning, notice in zip(caught, notices, strict=True):
        assert notice in str(warning.message)
    return instance


UNUSED, NO_ROLE = (
    "column 'Adresse': not used beside 'Kunde'",
    "no column 'role': the first stop (line 2) is the depot",
)


@pytest.mark.parametrize(
    ("data", "notices"),
    [
        (GERMAN.encode(), (UNUSED, NO_ROLE)),
        (GERMAN.encode("utf-8-sig"), (UNUSED, NO_ROLE)),
        (GERMAN.encode("utf-16"), (UNUSED, NO_ROLE)),
        (GERMAN.encode("cp1252"), ("read as Windows-1252", UNUSED, NO_ROLE)),
        (GERMAN.replace(";", "\t").replace("Breite", "BREITE").encode(), (UNUSED, NO_ROLE)),
        (GERMAN.replace("\n", "\r\n").encode(), (UNUSED, NO_ROLE)),
    ],
)
def test_excel_exports_of_stops_are_read(tmp_path: Path, data: bytes, notices: tuple[str, ...]) -> None:
    """Semicolons or tabs, decimal commas, empty rows, any encoding; the first row is the depot."""
    instance = read(tmp_path / "s.csv", data, notices)
    assert instance.kind is Distance.GREAT_CIRCLE
    assert instance.coordinates.tolist() == [[52.5, 13.25], [52.75, 13.5], [52.25, 13.0]]
    assert instance.names is not None
    assert [name.casefold() for name in instance.names] == ["lager", "müller", "bäcker"]


@pytest.mark.parametrize("header", ["Latitude,Longitude", "LAT,Lng", "latitud,longitud", "lat,LONG"])
def test_headings_of_several_languages_are_known(tmp_path: Path, header: str) -> None:
    """Capitals do not matter."""
    text = f"Role,{header}\nDepot,50,10\nKUNDE,51,11\n"
    assert read(tmp_path / "s.csv", text.encode()).coordinates.tolist() == [[50.0, 10.0], [51.0, 11.0]]


def test_other_headings_are_given(tmp_path: Path) -> None:
    """`columns` names them; a heading that is not there is named with those that are."""
    text = b"Filiale,nord,ost,role\nA,50,10,depot\nB,51,11,customer\n"
    instance = read(tmp_path / "s.csv", text, columns={"name": "filiale", "lat": "Nord", "lon": "Ost"})
    assert instance.names == ("A", "B")
    with pytest.raises(InputError, match="no column 'Breite' for lat, got 'Filiale', 'nord'"):
        files.read(tmp_path / "s.csv", vehicles=1, columns={"lat": "Breite"})
    with pytest.raises(InputError, match="columns: 'latitude', expected one of name, role"):
        files.read(tmp_path / "s.csv", vehicles=1, columns={"latitude": "Nord"})
    with pytest.raises(
        InputError, match=r"coordinate columns: none.*'Filiale', 'nord', 'ost'.*--columns lat="
    ):
        files.read(tmp_path / "s.csv", vehicles=1)


def test_a_name_that_appears_again_is_numbered(tmp_path: Path) -> None:
    """With a number that no other name has."""
    text = b"name,role,x,y\nd,depot,0,0\na,customer,1,0\na,customer,2,0\na (2),customer,3,0\na,customer,4,0\n"
    instance = read(tmp_path / "s.csv", text, ("are numbered: 'a (3)', 'a (4)'",))
    assert instance.names == ("d", "a", "a (3)", "a (2)", "a (4)")


def test_all_faults_of_a_file_are_said_at_once(tmp_path: Path) -> None:
    """In one line, each with its place; beyond twenty they are counted."""
    rows = "d,depot,0,0,\na,shop,1,0,\nb,customer,abc,0,\n,customer,1,91 N,-4\n"
    path = tmp_path / "s.csv"
    path.write_text("name,role,x,y,service\n" + rows)
    with pytest.raises(InputError) as caught:
        files.read(path, vehicles=1)
    text = str(caught.value)
    assert "5 faults: line 4: x = 'abc', expected a number; line 5: y = '91 N'" in text
    assert "line 3: role = 'shop'" in text
    assert "line 5: service = '-4', expected 0 or more" in text
    assert "line 5: name = ''" in text
    path.write_text("role,x,y\n" + "depot,a,b\n" * 20)
    with pytest.raises(InputError, match=r"41 faults: .*; and 21 more"):
        files.read(path, vehicles=1)


def workbook(rows: list[list[Any]]) -> bytes:
    """An Excel file with these rows."""
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_a_workbook_of_stops_is_read_and_written(tmp_path: Path) -> None:
    """Numbers as numbers or as text with a comma, empty rows; places are rows of the sheet."""
    rows: list[list[Any]] = [
        ["Name", "Rolle", "Breite", "Länge"],
        ["L", "Lager", 52.5, "13,5"],
        [],
        ["M", "Kunde", 52, 13],
    ]
    instance = read(tmp_path / "s.xlsx", workbook(rows))
    assert instance.coordinates.tolist() == [[52.5, 13.5], [52.0, 13.0]]
    rows[3][2] = "fern"
    with pytest.raises(InputError, match=r"s\.xlsx row 4: latitude = 'fern', expected a number"):
        read(tmp_path / "s.xlsx", workbook(rows))
    files.write(instance, tmp_path / "t.xlsx")
    again = files.read(tmp_path / "t.xlsx")
    assert again.names == instance.names
    np.testing.assert_array_equal(again.coordinates, instance.coordinates)
    (tmp_path / "t.xlsx").write_bytes(b"PK no workbook")
    with pytest.raises(InputError, match="not a readable xlsx file"):
        files.read(tmp_path / "t.xlsx", vehicles=2)


@pytest.mark.parametrize(
    "text", ["0;1,5;2\n1,5;0;3\n2;3,25;0\n", ";a;b;c\na;0;1,5;2\nb;1,5;0;3\nc;2;3,25;0\n"]
)
def test_a_matrix_may_have_semicolons_and_decimal_commas(tmp_path: Path, text: str) -> None:
    """As an instance of its own, with labels or without."""
    instance = read(tmp_path / "m.csv", text.encode())
    assert instance.matrix is not None
    assert instance.matrix.tolist() == [[0.0, 1.5, 2.0], [1.5, 0.0, 3.0], [2.0, 3.25, 0.0]]


TIMES: list[list[float]] = [[0, 60, 90], [70, 0, 30.5], [80, 40, 0]]
OSRM: dict[str, Any] = {
    "code": "Ok",
    "durations": TIMES,
    "distances": [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
    "sources": [{"location": [13.0 + k / 8, 52.0], "name": "street"} for k in range(3)],
}
VALHALLA: dict[str, Any] = {
    "sources_to_targets": [[{"time": t, "distance": 1.0} for t in row] for row in TIMES],
    "sources": [{"lat": 52.0, "lon": 13.0 + k / 8} for k in range(3)],
}
CONCISE: dict[str, Any] = {
    "sources_to_targets": {"durations": TIMES, "distances": TIMES},
    "units": "miles",
}


@pytest.mark.parametrize("document", [OSRM, VALHALLA, CONCISE, {"distances": TIMES}])
def test_matrices_of_routing_services_are_read(tmp_path: Path, document: dict[str, Any]) -> None:
    """OSRM and Valhalla, beside a table of stops or alone; durations count first."""
    path = tmp_path / "m.json"
    instance = read(path, json.dumps(document).encode(), ("the first place is the depot",))
    assert instance.matrix is not None
    assert instance.matrix.tolist() == TIMES
    if "sources" in document:
        assert instance.latlon is not None
        assert instance.latlon[2].tolist() == [52.0, 13.25]
    stops = tmp_path / "s.csv"
    stops.write_text("role,lat,lon\ndepot,52,13\ncustomer,52,13.125\ncustomer,52,13.25\n")
    beside = files.read(stops, vehicles=2, matrix=path)
    assert beside.matrix is not None
    assert beside.matrix.tolist() == TIMES


@pytest.mark.parametrize(
    ("document", "kilometre"),
    [(OSRM, 0.001), (VALHALLA, 1.0), (CONCISE, 90 * 1.609344), ({"durations": TIMES}, None)],
)
@pytest.mark.filterwarnings("ignore::minmaxvrp.problem.files.source.FormatWarning")
def test_distances_beside_durations_are_kilometres(
    tmp_path: Path, document: dict[str, Any], kilometre: float | None
) -> None:
    """OSRM's metres and Valhalla's unit, as an instance and as `matrix`; none where there are none."""
    path, stops = tmp_path / "m.json", tmp_path / "s.csv"
    path.write_text(json.dumps(document))
    stops.write_text("role,lat,lon\ndepot,52,13\ncustomer,52,13.125\ncustomer,52,13.25\n")
    for instance in (files.read(path, vehicles=2), files.read(stops, vehicles=2, matrix=path)):
        assert instance.unit == "s"
        assert float(instance.distance(0, 2)) == 90.0
        found = None if instance.kilometres is None else instance.kilometres[0, 2]
        assert found == (None if kilometre is None else pytest.approx(kilometre))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"durations": [[0, None], [1, 0]]}, r"durations\[0\]\[1\] is null: no way"),
        ({"durations": [[0, 1, 2], [1, 0, 2]]}, r"durations\[0\] has 3 entries, expected 2"),
        ({"durations": []}, "durations is empty"),
        ({"durations": [[0, -1], [1, 0]]}, "-1, expected 0 or more"),
        ({"sources_to_targets": [[{"time": 0}, {}], [{"time": 1}, {"time": 0}]]}, "is null"),
        ({"durations": [[0, 1], [1, 0]], "distances": [[0, None], [1, 0]]}, r"distances\[0\]\[1\] is null"),
        ({"durations": [[0, 1], [1, 0]], "distances": [[0]]}, "distances of 1 places and durations of 2"),
    ],
)
def test_a_damaged_matrix_is_named_by_place(tmp_path: Path, document: Any, message: str) -> None:
    """Places without a way between them, tables that are not square, negative times."""
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=message):
        files.read(tmp_path / "m.json", vehicles=2)


def test_excels_unicode_text_is_read(tmp_path: Path) -> None:
    """UTF-16 with tabs and the ending .txt."""
    data = GERMAN.replace(";", "\t").encode("utf-16")
    assert read(tmp_path / "s.txt", data, (UNUSED, NO_ROLE)).num_customers == 2


def test_headings_that_nobody_knows_are_asked_for(tmp_path: Path) -> None:
    """A table that is no matrix has a header, whatever its words; a matrix that lacks a row stays one."""
    path = tmp_path / "s.csv"
    path.write_text("Filiale;Nord;Ost;Zeit\nZentrale;48,1;11,5;\nA;48,2;11,6;5\nB;48,3;11,4;\nC;48;11;\n")
    with pytest.raises(InputError, match=r"the file has 'Filiale', 'Nord', .*--columns lat=…,lon=…"):
        files.read(path, vehicles=2)
    path.write_text("Filiale;Nord;Ost\nNord;0;1\n")
    with pytest.raises(InputError, match="expected"):
        files.read_matrix(path)
    path.write_text("a,b\n0,1\n1,0\n")
    assert files.read(path, vehicles=1).num_customers == 1


def test_minutes_beside_distances_without_a_unit_are_refused(tmp_path: Path) -> None:
    """The heading says minutes, the distances say nothing: an error that says what to give."""
    path = tmp_path / "s.csv"
    path.write_text("role;x;y;Minuten\ndepot;0;0;\nkunde;3;4;10\n")
    with pytest.raises(InputError, match=r"times and distances without a unit, expected a speed"):
        files.read(path, vehicles=1)
    assert files.read(path, vehicles=1, unit="min").node_service[1] == 10.0
    assert files.read(path, vehicles=1, unit="m", speed=6000.0).node_service[1] == 1000.0
    with pytest.raises(InputError, match=r"--speed 40000, in m per hour"):
        files.read(path, vehicles=1, unit="m")
