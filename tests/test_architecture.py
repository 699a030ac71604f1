"""The architecture as a test: who may import whom, what stays unloaded, how files are named and sized."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "minmaxvrp"
FILES = sorted(PACKAGE.rglob("*.py"))

LEAVES = {"errors", "stop", "result", "jit", "clock", "interrupt", "natural_order"}
"""Small modules at the top that every room but `problem` may use."""
BUILDING = LEAVES | {
    "problem",
    "policy",
    "search",
    "propose",
    "starts",
    "improvement",
    "solve",
    "arguments",
    "engines",
    "many",
}
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "stop": {"errors", "problem"},
    "jit": set(),
    "clock": set(),
    "interrupt": set(),
    "natural_order": set(),
    "problem": {"errors"},
    "result": {"problem"},
    "picture": LEAVES | {"problem"},
    "policy": LEAVES | {"problem"},
    "search": LEAVES | {"problem"},
    "arguments": {"errors", "problem", "result"},
    "propose": LEAVES | {"problem", "policy"},
    "starts": LEAVES | {"problem", "search", "propose"},
    "improvement": LEAVES | {"problem", "search", "propose", "arguments"},
    "solve": LEAVES | {"problem", "search", "propose", "starts", "improvement", "arguments"},
    "engines": {"errors"},
    "many": LEAVES | {"problem", "solve", "arguments", "engines"},
    "training": BUILDING,
    "baselines": BUILDING,
    "bench": BUILDING | {"training", "baselines", "picture"},
    "cli": BUILDING | {"training", "baselines", "picture", "bench", "web"},
    "web": BUILDING | {"baselines", "picture", "bench"},
    "__init__": BUILDING,
    "__main__": {"cli"},
}
"""Each room or top module, and what it may import from the package besides itself."""

FOREIGN: dict[str, set[str]] = {
    "problem": {"numpy", "scipy", "openpyxl"},
    "errors": set(),
    "stop": set(),
    "result": set(),
    "solve": {"numpy"},
}
"""Rooms that may import nothing from outside but this and the standard library."""
NEVER: dict[str, set[str]] = {"search": {"torch", "matplotlib"}, "policy": {"matplotlib", "scipy"}}

MAX_LINES = 400
"""Of a file. They are written for about 300 (CONTRIBUTING.md); the test leaves room for the last few."""


def room_of(file: Path) -> str:
    """The room of a file: its folder below the package, or the top module's own name."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def tree_of(file: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def imported(file: Path, counts: Callable[[ast.AST], bool] = lambda node: True) -> Iterator[tuple[str, ...]]:
    """Every module or name that a file imports anywhere in it, absolute, split at the dots."""
    package = ("minmaxvrp", *file.relative_to(PACKAGE).parts[:-1])
    for node in filter(counts, ast.walk(tree_of(file))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = tuple((node.module or "").split(".")) if node.module else ()
            yield from ((*base, *module, alias.name) for alias in node.names)


def rooms_imported(file: Path) -> set[str]:
    """Rooms and top modules of the package that a file imports, its own room left out."""
    names = {path[1] for path in imported(file) if path[0] == "minmaxvrp" and len(path) > 1}
    return {n for n in names if (PACKAGE / n).is_dir() or (PACKAGE / f"{n}.py").is_file()} - {room_of(file)}


@cache
def runtime_imports(file: Path) -> set[Path]:
    """Files of the package that a file imports at its top or inside a function, but not for types alone."""
    for_types = {
        id(node)
        for block in ast.walk(tree_of(file))
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    found = set()
    for path in imported(file, lambda node: id(node) not in for_types):
        for length in (len(path), len(path) - 1):  # a module, or a name in one
            target = PACKAGE.joinpath(*path[1:length])
            if path[0] == "minmaxvrp" and (module := target.with_suffix(".py")).is_file():
                found.add(module)
    return found - {file}


def cycle_through(file: Path, imports: Callable[[Path], set[Path]]) -> list[Path]:
    """The files on a way along imports from a file back to it; empty if there is none."""
    before: dict[Path, Path] = {}
    todo = [file]
    while todo:
        here = todo.pop()
        for there in imports(here):
            if there == file:
                way = [here]
                while way[-1] != file:
                    way.append(before[way[-1]])
                return way[::-1]
            if there not in before:
                before[there] = here
                todo.append(there)
    return []


def identity(file: Path) -> str:
    """The name of a file in test reports."""
    return str(file.relative_to(PACKAGE))


@pytest.mark.parametrize("file", FILES, ids=identity)
def test_a_file_imports_what_its_room_may(file: Path) -> None:
    """problem ← policy, search ← solve, training, baselines ← bench, cli, web; never the other way."""
    room = room_of(file)
    assert room in ALLOWED, f"{room} is new: say in ALLOWED what it may import"
    assert rooms_imported(file) <= ALLOWED[room]


@pytest.mark.parametrize("file", FILES, ids=identity)
def test_a_file_does_not_import_itself_by_way_of_others(file: Path) -> None:
    """Not even by an import inside a function, which would hide that two files belong together."""
    assert [identity(step) for step in cycle_through(file, runtime_imports)] == []


def test_a_circle_is_found() -> None:
    """The test above sees one, over two files, and none where imports lead away only."""
    a, b, c = Path("a"), Path("b"), Path("c")
    imports = {a: {b}, b: {c, a}, c: set()}
    assert cycle_through(a, lambda file: imports[file]) == [a, b]
    assert cycle_through(c, lambda file: imports[file]) == []


def test_permissions_are_of_rooms_that_exist() -> None:
    """And leaves import nothing of the package; `stop` and `result` hold a solution."""
    assert set(ALLOWED) <= {room_of(file) for file in FILES}
    assert {leaf for leaf in LEAVES if ALLOWED[leaf]} == {"stop", "result"}


def test_policy_and_search_meet_in_solve_and_training_only() -> None:
    """No other file imports both of them."""
    both = {identity(f) for f in FILES if {"policy", "search"} <= rooms_imported(f)}
    assert {name.split("/")[0] for name in both} <= {"solve.py", "training"}
    assert {"improvement", "propose"} <= rooms_imported(PACKAGE / "solve.py")  # the search, and the policy


@pytest.mark.parametrize("file", FILES, ids=identity)
def test_a_file_imports_only_the_libraries_of_its_room(file: Path) -> None:
    """The problem room needs numpy, scipy and openpyxl alone, search never torch."""
    roots = {path[0] for path in imported(file)} - {"minmaxvrp"} - set(sys.stdlib_module_names)
    room = room_of(file)
    assert not roots & NEVER.get(room, set())
    if room in FOREIGN:
        assert roots <= FOREIGN[room]


def test_importing_the_package_loads_no_heavy_library() -> None:
    """`import minmaxvrp` and its command line leave torch, numba, scipy and matplotlib alone."""
    heavy = ("torch", "numba", "scipy", "matplotlib", "ortools", "fastapi", "uvicorn")
    code = f"import minmaxvrp, minmaxvrp.cli, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("file", FILES, ids=identity)
def test_a_file_can_be_read_in_a_sitting(file: Path) -> None:
    """A docstring that says its role, and not too many lines."""
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MAX_LINES
    assert ast.get_docstring(tree_of(file))


@pytest.mark.parametrize("file", FILES, ids=identity)
def test_a_file_is_named_after_what_it_does(file: Path) -> None:
    """No drawers such as `utils`, no versions in names."""
    for part in file.relative_to(PACKAGE).with_suffix("").parts:
        assert part not in {"utils", "util", "helpers", "helper", "common", "misc"}
        assert not part.endswith(("_v2", "_old", "_new", "_utils", "_helpers"))
        assert part == part.lower()


COMMANDS = {f for f in FILES if f.parent.name == "cli" and "\ndef run(" in f.read_text(encoding="utf-8")}
"""Modules of the command line, each named after its command."""
SAME_NAME_SAME_MEANING = {
    "policy": "the package is the room, its module `policy` holds the room's own class `Policy`",
    "fleet": "`problem/fleet.py` says what a fleet is, `search/fleet/` is the search for one",
}
"""Names of modules that may occur twice, with the reason."""


def names_of_modules(files: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Name and file of every module and package but the commands, which are named after what they call."""
    for file in files:
        if file not in COMMANDS:
            yield file.parent.name if file.name == "__init__.py" else file.stem, file


def names_of_classes(files: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Name and file of every class, and of every other thing in a module that has its name."""
    bound: dict[str, list[tuple[Path, bool]]] = defaultdict(list)
    for file in files:
        for node in tree_of(file).body:
            if isinstance(node, ast.ClassDef):
                bound[node.name].append((file, True))
            elif isinstance(node, ast.Assign):
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
                for name in names:
                    bound[name].append((file, False))
    for name, places in bound.items():
        if any(is_class for _, is_class in places):
            yield from ((name, file) for file, _ in places)


def used_twice(names: Iterable[tuple[str, Path]]) -> dict[str, set[Path]]:
    """The names that more than one file has, with these files."""
    places: dict[str, set[Path]] = defaultdict(set)
    for name, file in names:
        places[name].add(file)
    return {name: where for name, where in places.items() if len(where) > 1}


def test_no_two_modules_share_a_name() -> None:
    """`arrays` or `config` in two rooms would mean two things; the exceptions have a reason and exist."""
    assert set(used_twice(names_of_modules(FILES))) == set(SAME_NAME_SAME_MEANING)


def test_no_two_classes_share_a_name() -> None:
    """Nor does a type alias have the name of a class of another file."""
    assert used_twice(names_of_classes(FILES)) == {}


def test_a_shared_name_is_found(tmp_path: Path) -> None:
    """The two tests above see a second module, and a class and an alias of one name."""
    files = [tmp_path / "one" / "table.py", tmp_path / "two" / "table.py"]
    for file, text in zip(files, ("class Task:\n    pass\n", "Task = int\nOther = str\n"), strict=True):
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
    assert used_twice(names_of_modules(files)) == {"table": set(files)}
    assert used_twice(names_of_classes(files)) == {"Task": set(files)}


MAPS = ["search", *sorted(f"search/{file.parent.name}" for file in PACKAGE.glob("search/*/__init__.py"))]


@pytest.mark.parametrize("package", MAPS)
def test_the_map_of_the_search_has_every_module(package: str) -> None:
    """The docstring of the package names each of its modules and packages, and nothing that is gone."""
    folder = PACKAGE / package
    names = {file.stem for file in folder.glob("*.py")} | {
        f.parent.name for f in folder.glob("*/__init__.py")
    }
    text = ast.get_docstring(tree_of(folder / "__init__.py")) or ""
    assert set(re.findall(r"`(\w+)`", text)) == names - {"__init__"}


INSIDE = [f for f in FILES if room_of(f) in ("problem", "policy", "search") and f.parent.name != "files"]


@pytest.mark.parametrize("file", INSIDE, ids=identity)
def test_variants_are_data(file: Path) -> None:
    """Once a file is read, nobody asks which problem it is: the fields of the instance say what matters."""
    asks = [
        node.lineno
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Compare)
        and any(
            isinstance(side, ast.Attribute) and side.attr == "problem"
            for side in (node.left, *node.comparators)
        )
    ]
    assert asks == []
