"""LKH-3 as a baseline: from elkai, and as a binary of the user's."""

import sys
from pathlib import Path

import pytest

from minmaxvrp.baselines import lkh
from minmaxvrp.errors import InputError, InternalError
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.instance import Instance
from tests.baselines.tiny import MDVRP, MPDP, PLAIN, points
from tests.problem.brute import optimum

SECONDS = 0.1
PROGRAM = """#!{python}
text = open("problem.tsp").read()
size = int(text.split("DIMENSION :")[1].split()[0])
nodes = [1, 2, 3, size + 1, *range(4, size + 1)]
assert "SALESMEN = 2" in open("run.par").read()
open("best.tour", "w").write("TOUR_SECTION\\n" + "\\n".join(map(str, nodes)) + "\\n-1\\nEOF\\n")
"""


def binary(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Put a program in LKH's place."""
    path = folder / "LKH"
    path.write_text(program.format(python=sys.executable), encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv(lkh.BINARY, str(path))


@pytest.mark.parametrize("name", PLAIN)
def test_tiny_instances_are_solved_to_the_optimum(name: str) -> None:
    """LKH finds what enumeration finds, with services and with several depots that count as one."""
    pytest.importorskip("elkai")
    instance = PLAIN[name]
    solution = lkh.solve(instance, SECONDS)
    assert violations(instance, solution) == []
    assert makespan(instance, solution) == pytest.approx(optimum(instance)[0], rel=1e-5)


def test_as_many_vehicles_as_customers_need_no_search() -> None:
    """Each customer gets a vehicle."""
    instance = Instance.mtsp([0.5, 0.5], points(3, 4), 5)
    assert len(lkh.solve(instance, SECONDS).routes) == 4


def test_a_binary_of_the_user_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tour is cut at the copies of the depot."""
    binary(tmp_path, monkeypatch, PROGRAM)
    solution = lkh.solve(Instance.mtsp([0.5, 0.5], points(3, 5), 2), SECONDS)
    assert [route.customers for route in solution.routes] == [(1, 2), (3, 4, 5)]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("#!{python}\nraise SystemExit('wrong')", "crashed with exit code 1: wrong"),
        ("#!{python}\n", "no tour"),
    ],
)
def test_a_crash_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, message: str) -> None:
    """A rival's crash is an error with its reason."""
    binary(tmp_path, monkeypatch, program)
    with pytest.raises(InternalError, match=message):
        lkh.solve(PLAIN["mtsp"], SECONDS)


def test_a_run_over_its_time_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is ended after its grace."""
    monkeypatch.setattr(lkh, "GRACE", 0.1)
    binary(tmp_path, monkeypatch, "#!{python}\nimport time\ntime.sleep(60)")
    with pytest.raises(InternalError, match="still running"):
        lkh.solve(PLAIN["mtsp"], SECONDS)


def test_what_lkh_does_not_know_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs, depots to return to, a missing package and a file that is no program are bad input."""
    with pytest.raises(InputError, match="no pairs"):
        lkh.solve(MPDP, SECONDS)
    with pytest.raises(InputError, match="several depots"):
        lkh.solve(MDVRP, SECONDS)
    monkeypatch.setenv(lkh.BINARY, "/no/such/program")
    with pytest.raises(InputError, match="expected a program"):
        lkh.solve(PLAIN["mtsp"], SECONDS)
    monkeypatch.delenv(lkh.BINARY)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"minmaxvrp\[lkh\]"):
        lkh.solve(PLAIN["mtsp"], SECONDS)
