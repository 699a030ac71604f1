"""Damaged and random files of every format end in `InputError` or in a valid instance, never else.

A seeded loop breaks valid files in small ways, which gets deep into the readers; hypothesis adds
random text and random JSON values in place of each field.
"""

import io
import json
import pickle
import re
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minmaxvrp.errors import InputError
from minmaxvrp.problem import files
from minmaxvrp.problem.check import violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.files import instance_json
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution

NASTY = [
    *(b"nan", b"inf", b"-1", b"0", b"1e999", b"-1e308", b"9" * 400, b"1e-400", b"0x10", b"1_0", b"", b"\0"),
    *(
        b"\xff",
        b"\xed\xa0\x80",
        b'"',
        b"'",
        b",",
        b";",
        b"\n",
        b"\r",
        b":",
        b"{",
        b"[[",
        b"}",
        b"null",
        b"true",
    ),
    *(
        b"[]",
        b"{}",
        b"-0.0",
        b"2.5",
        b"EOF",
        b"-1\n",
        b"depot",
        b"pickup",
        b"Route #1:",
        b"\xe2\x80\xa8",
        b"\t",
    ),
    *(b"DIMENSION : 999999999999", b"EDGE_WEIGHT_TYPE : EXPLICIT", b"\\ud800", b"minmaxvrp", b"any"),
]
MDVRP = Instance.mdvrp(
    [[0, 0], [9, 9]],
    [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.5, 8.0]],
    3,
    vehicles_per_depot=[1, 2],
    service=[0, 1, 2, 3],
    pairs=[[3, 2]],
    names=("d", "e", "a", "b", "c", "ü"),
    name="city",
)
MTSP = Instance.mtsp([0, 0], [[1.0, 2.0], [3.0, 4.0], [-5.0, 6e3]], 2, name="m")
EARTH = Instance.mtsp([50, 10], [[51.0, 11.0], [52.0, 12.5]], 2, kind=Distance.GREAT_CIRCLE)
FLEET = Instance.mdvrp([[0, 0], [9, 9]], [[1, 2], [3, 4]], 3, vehicles_per_depot=[1, 2])
MATRIX = Instance.mtsp([0, 0], [[1, 2], [3, 4]], 2, kind=Distance.MATRIX, matrix=np.arange(9.0).reshape(3, 3))
PLAN = Solution((Route.of([2, 4], 1), Route.of([3], 0, 1), Route.of([], 0)))
POINTS = [[0.25, 0.5], [0.125, 1.0], [3.0, 7.0]]

Read = Callable[[Path], Instance | Solution | list[Instance]]


def written(folder: Path, ending: str, *instances: Instance) -> list[bytes]:
    """The bytes of each instance in the format of `ending`."""
    found = []
    for instance in instances:
        files.write(instance, folder / f"seed{ending}")
        found.append((folder / f"seed{ending}").read_bytes())
    return found


def planned(folder: Path, ending: str) -> list[bytes]:
    """The bytes of a solution in the format of `ending`."""
    files.write_solution(folder / f"seed{ending}", MDVRP, PLAN, lower_bound=3.0)
    return [(folder / f"seed{ending}").read_bytes()]


def pickles(_: Path) -> list[bytes]:
    """Sets of every shape in every protocol."""
    sets: list[Any] = [
        [POINTS, POINTS],
        [(POINTS[0], POINTS[1:], [1, 2], 3.0)],
        [{"depot": POINTS, "loc": POINTS}],
    ]
    return [pickle.dumps(value, protocol) for value in sets for protocol in (0, 2, 4)]


def arrays(folder: Path) -> list[bytes]:
    """Sets and a bare matrix, stored without compression so that mutations reach the arrays."""
    found = []
    for data in written(folder, ".npz", MDVRP, MATRIX, EARTH):
        with np.load(io.BytesIO(data)) as loaded:
            buffer = io.BytesIO()
            np.savez(buffer, **dict(loaded))
            found.append(buffer.getvalue())
    buffer = io.BytesIO()
    np.save(buffer, np.ones((3, 3)))
    return [*found, buffer.getvalue()]


def read(path: Path) -> Instance:
    """Read as an instance, with what the format may lack."""
    return files.read(path, vehicles=2)


def read_own(path: Path) -> Instance:
    """Read as an instance with the file's own number of vehicles."""
    return files.read(path)


def read_set(path: Path) -> list[Instance]:
    """Read as a set."""
    return files.read_set(path, vehicles=2)


def read_plan(path: Path) -> Solution:
    """Read as a solution."""
    return files.read_solution(path, MDVRP)


EXPLICIT = b"""NAME : x
DIMENSION : 3
EDGE_WEIGHT_TYPE : EXPLICIT
EDGE_WEIGHT_FORMAT : LOWER_DIAG_ROW
SERVICE_TIME : 4
EDGE_WEIGHT_SECTION
0 1 0
2 3 0
SERVICE_TIME_SECTION
2 1
DEPOT_SECTION
1 -1
EOF
"""

FORMATS: dict[str, tuple[str, Read, Callable[[Path], list[bytes]]]] = {
    "json": (".json", read_own, lambda f: written(f, ".json", MDVRP, EARTH, MATRIX)),
    "csv": (".csv", read_own, lambda f: written(f, ".csv", MDVRP, EARTH)),
    "tsplib": (".tsp", read, lambda f: [*written(f, ".tsp", MTSP, MATRIX), EXPLICIT]),
    "literature mtsp": (".txt", read_own, lambda f: written(f, ".txt", MTSP)),
    "literature mdvrp": (".txt", read_own, lambda f: written(f, ".txt", FLEET)),
    "npz": (".npz", read_set, arrays),
    "pickle": (".pkl", read_set, pickles),
    "geojson": (".geojson", read_own, lambda f: written(f, ".geojson", MDVRP, EARTH)),
    "matrix": (
        ".csv",
        read,
        lambda _: [b",a,b\na,0,1.5\nb,2,0\n", b"0;1;2\n1;0;3\n2;3;0\n", b"a,b\n0,1\n1,0\n"],
    ),
    "routing service": (
        ".json",
        read,
        lambda _: [
            b'{"durations": [[0, 1.5], [2, 0]], "sources": [{"location": [1, 2]}, {"location": [3, 4]}]}',
            b'{"sources_to_targets": [[{"time": 0}, {"time": 1}], [{"time": 2}, {"time": 0}]]}',
        ],
    ),
    "spreadsheet": (
        ".csv",
        read,
        lambda _: [
            "Kunde;Breite;Länge\nHof;52,5;13,2\n;;\nA;52,6;13\nA;52,4;13\n".encode("cp1252"),
            "name\tx\ty\tservice\na\t1\t2\t\nb\t3\t4\t5,5\n".encode("utf-16"),
        ],
    ),
    "xlsx": (".xlsx", read_own, lambda f: written(f, ".xlsx", MDVRP, EARTH)),
    "sol": (".sol", read_plan, lambda f: planned(f, ".sol")),
    "json solution": (".json", read_plan, lambda f: planned(f, ".json")),
    "geojson solution": (".geojson", read_plan, lambda f: planned(f, ".geojson")),
}


def mutate(rng: np.random.Generator, data: bytes) -> bytes:
    """One to three small damages, or a whole new content."""
    if rng.random() < 0.03:
        return rng.bytes(int(rng.integers(0, 200)))
    if rng.random() < 0.03:
        return b" ".join(NASTY[k] for k in rng.integers(0, len(NASTY), 8))
    for _ in range(int(rng.integers(1, 4))):
        data = DAMAGES[int(rng.integers(len(DAMAGES)))](rng, data)
    return data


def cut(rng: np.random.Generator, data: bytes) -> tuple[int, int]:
    """A random stretch of up to 12 bytes."""
    start = int(rng.integers(0, len(data) + 1))
    return start, min(len(data), start + int(rng.integers(0, 13)))


def flip(rng: np.random.Generator, data: bytes) -> bytes:
    """Change one byte."""
    start, _ = cut(rng, data)
    return data[:start] + rng.bytes(1) + data[start + 1 :]


def delete(rng: np.random.Generator, data: bytes) -> bytes:
    """Drop a stretch."""
    start, end = cut(rng, data)
    return data[:start] + data[end:]


def truncate(rng: np.random.Generator, data: bytes) -> bytes:
    """Drop the end."""
    return data[: cut(rng, data)[0]]


def insert(rng: np.random.Generator, data: bytes) -> bytes:
    """Put something nasty in."""
    start, end = cut(rng, data)
    return data[:start] + NASTY[int(rng.integers(len(NASTY)))] + data[start if rng.random() < 0.5 else end :]


def replace_word(rng: np.random.Generator, data: bytes) -> bytes:
    """Put something nasty in the place of a number or word."""
    words = list(re.finditer(rb"[-+\w.]+", data))
    if not words:
        return data
    word = words[int(rng.integers(len(words)))]
    return data[: word.start()] + NASTY[int(rng.integers(len(NASTY)))] + data[word.end() :]


def repeat_line(rng: np.random.Generator, data: bytes) -> bytes:
    """Write a line again in a random place."""
    lines = data.split(b"\n")
    lines.insert(int(rng.integers(len(lines) + 1)), lines[int(rng.integers(len(lines)))])
    return b"\n".join(lines)


def swap_words(rng: np.random.Generator, data: bytes) -> bytes:
    """Exchange two words."""
    words = data.split(b" ")
    i, j = rng.integers(0, len(words), 2).tolist()
    words[i], words[j] = words[j], words[i]
    return b" ".join(words)


DAMAGES = [flip, delete, truncate, insert, insert, replace_word, replace_word, repeat_line, swap_words]


def rezip(rng: np.random.Generator, data: bytes) -> bytes:
    """Damage one array inside an npz and close the archive again with the right checksums."""
    if not data.startswith(b"PK"):
        return mutate(rng, data)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        names = old.namelist()
        chosen = names[int(rng.integers(len(names)))]
        for name in names:
            content = old.read(name)
            if name != chosen:
                new.writestr(name, content)
            elif rng.random() < 0.5:
                place = int(rng.integers(0, max(1, (len(content) - 128) // 8)))
                value = rng.choice([np.nan, np.inf, -1.0, 1e308, 0.5, 7.0])
                raw = struct.pack("<d", value) if rng.random() < 0.5 else rng.bytes(8)
                new.writestr(name, content[: 128 + 8 * place] + raw + content[136 + 8 * place :])
            elif rng.random() < 0.8:
                new.writestr(name, mutate(rng, content))
    return out.getvalue()


def ends_well(path: Path, data: bytes, read: Read) -> bool:
    """Whether `data` gives a valid object; fails on any exception but a one-line `InputError`."""
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", files.FormatWarning)
        try:
            found = read(path)
        except InputError as error:
            assert str(path) in str(error)  # noqa: PT017
            assert len(str(error).splitlines()) == 1  # noqa: PT017
            return False
    if isinstance(found, Solution):
        violations(MDVRP, found)
        return True
    for instance in [found] if isinstance(found, Instance) else found:
        assert isinstance(instance, Instance)
        assert np.isfinite(instance.distance(0, np.arange(instance.num_nodes))).all()
        json.loads(instance_json.text(instance).encode())
    return True


def judge_damaged_files(folder: Path, name: str, count: int, seed: int) -> int:
    """How many of `count` damaged files of a format are still valid; fails as `ends_well` does."""
    ending, read, seeds = FORMATS[name]
    valid = seeds(folder)
    path = folder / f"file{ending}"
    for data in valid:
        assert ends_well(path, data, read), name
    rng = np.random.default_rng(seed)
    good = 0
    for number in range(count):
        damage = rezip if ending == ".npz" and number % 4 else mutate
        data = damage(rng, valid[number % len(valid)])
        try:
            good += ends_well(path, data, read)
        except Exception as error:
            pytest.fail(f"{name}: {data!r} ends in {type(error).__name__}: {error}")
    return good


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_end_in_an_input_error_or_a_valid_instance(tmp_path: Path, name: str) -> None:
    """1,000 damaged files per format; some survive, most are refused, none raises anything else."""
    assert 0 < judge_damaged_files(tmp_path, name, 1000, 2024) < 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_20_000_damaged_files_end_well(tmp_path: Path, name: str) -> None:
    """The same with 20,000 others."""
    assert 0 < judge_damaged_files(tmp_path, name, 20_000, 1) < 20_000


FOUND = {
    "csv": [b'""', b'""\n""', b'"";""\n'],
    "matrix": [b'""', b'"",""', b" , \n"],
}
"""Contents that once ended in an exception."""


@pytest.mark.parametrize(("name", "data"), [(name, data) for name, many in FOUND.items() for data in many])
def test_what_was_found_stays_mended(tmp_path: Path, name: str, data: bytes) -> None:
    """Each ends in an `InputError`."""
    ending, read, _ = FORMATS[name]
    assert not ends_well(tmp_path / f"file{ending}", data, read)


def test_an_array_of_python_2_is_read_without_a_warning(tmp_path: Path) -> None:
    """Its header has long integers such as `3L`, of which numpy warns; a damaged header may have them too."""
    buffer = io.BytesIO()
    np.save(buffer, np.arange(9.0).reshape(3, 3))
    path = tmp_path / "old.npy"
    path.write_bytes(buffer.getvalue().replace(b"(3, 3), }  ", b"(3L, 3L), }"))
    assert files.read(path, vehicles=2).num_nodes == 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of hypothesis."""
    return tmp_path_factory.mktemp("fuzz")


QUICK = settings(
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow],
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("npz", "pickle", "xlsx")])
@QUICK
@given(text=st.text(max_size=60))
def test_random_text_is_refused(folder: Path, name: str, text: str) -> None:
    """Text that hypothesis makes up ends in `InputError` or something valid."""
    ending, read, _ = FORMATS[name]
    ends_well(folder / f"text{ending}", text.encode("utf-8", "surrogatepass"), read)


DOCUMENTS: dict[str, bytes] = {}
"""Valid files by format, written once."""


@pytest.mark.parametrize("name", ["json", "geojson", "json solution", "geojson solution"])
@QUICK
@given(place=st.integers(0, 10**6), value=VALUES)
def test_any_value_in_any_field_of_json_is_judged(folder: Path, name: str, place: int, value: Any) -> None:
    """Every field of every object can hold anything without an exception but `InputError`."""
    ending, read, seeds = FORMATS[name]
    if name not in DOCUMENTS:
        DOCUMENTS[name] = seeds(folder)[0]
    document = json.loads(DOCUMENTS[name])
    spots: list[tuple[Any, Any]] = []
    stack: list[Any] = [document]
    while stack:
        node = stack.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node))
        spots += [(node, key) for key in keys]
        stack += [node[key] for key in keys if isinstance(node[key], dict | list)]
    container, key = spots[place % len(spots)]
    container[key] = value
    ends_well(folder / f"value{ending}", json.dumps(document).encode(), read)


@QUICK
@given(value=VALUES)
def test_any_plain_pickle_is_judged(folder: Path, value: Any) -> None:
    """Pickles of arbitrary plain values end in `InputError` or a set of instances."""
    ends_well(folder / "value.pkl", pickle.dumps([value]), read_set)
