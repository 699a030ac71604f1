"""A run measures every case once, checks every answer, and survives interruption."""

import itertools
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from minmaxvrp.bench import measure as measuring
from minmaxvrp.bench.measure import RunOptions, measure
from minmaxvrp.bench.methods import METHODS, Answer, Budget, Decoding, Method, find_method
from minmaxvrp.bench.store import Store, read_measurements
from minmaxvrp.bench.suites import suite_cases
from minmaxvrp.errors import InputError, InternalError
from minmaxvrp.problem.check import makespan
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution
from minmaxvrp.search.construction.construct import construct

GREEDY = RunOptions("greedy", seed=4)


def command(*words: str, folder: Path) -> "subprocess.Popen[str]":
    """The command line in a process of its own, which hears Ctrl-C even where this one does not."""
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    start = [sys.executable, "-c", f"{listen}; from minmaxvrp.cli import main; main()", "bench", *words]
    return subprocess.Popen(start, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for_lines(path: Path, count: int, process: "subprocess.Popen[str]") -> None:
    """Until a file has so many lines."""
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)


def children(process: int) -> list[int]:
    """The processes started by a process."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(words[1]) == process and words[0] != "Z":
            found.append(int(entry.parent.name))
    return found


def wait_until_gone(processes: list[int]) -> None:
    """Until no such process is left; fails after half a minute."""
    for _ in range(3000):
        if not any(Path(f"/proc/{p}").exists() for p in processes):
            return
        time.sleep(0.01)
    raise AssertionError(f"still running: {processes}")


def test_a_run_measures_checks_and_resumes(tmp_path: Path) -> None:
    """Two workers give what the method gives here; what is on disk is not measured again."""
    cases = suite_cases("mpdp50", vehicles=(5,), limit=3)
    path, seen = tmp_path / "a.jsonl", []
    with Store(path) as store:
        found = measure(cases, replace(GREEDY, workers=2), store, lambda m: seen.append(m.index))
    assert sorted(seen) == [m.index for m in found] == [0, 1, 2]
    assert sorted(read_measurements(path), key=lambda m: m.index) == found
    for case, m in zip(cases, found, strict=True):
        assert m.objective == makespan(case.instance, construct(case.instance, 4))
        assert 0 < m.lower_bound <= m.objective
        assert (m.suite, m.problem, m.size, m.vehicles, m.seed) == ("mpdp50", "mpdp", 50, 5, 4)
        assert m.seconds > 0
        assert m.trace[-1][1] == pytest.approx(m.objective, rel=1e-5)
    content = path.read_bytes()
    with Store(path) as store:
        assert measure(cases, GREEDY, store, lambda m: seen.append(m.index)) == found
    assert path.read_bytes() == content
    assert len(seen) == 6
    assert len({m.commit for m in found}) == 1


def test_what_decides_an_answer_is_part_of_its_key() -> None:
    """Method, seed, time, policy, code, vehicles, instance: a change of any is another measurement."""
    case, other = suite_cases("mtsp50", vehicles=(3,), limit=2)
    plan = measuring._planned(case, RunOptions("policy"), "code")
    changed = [
        measuring._planned(case, RunOptions("search"), "code"),
        measuring._planned(case, RunOptions("policy", seed=1), "code"),
        measuring._planned(case, RunOptions("policy", seconds=2.0), "code"),
        measuring._planned(case, RunOptions("policy", per_customer=0.1), "code"),
        measuring._planned(case, RunOptions("policy", policy="other"), "code"),
        measuring._planned(case, RunOptions("policy", decoding=Decoding(permutations=1)), "code"),
        measuring._planned(case, RunOptions("policy", decoding=Decoding(temperature=0.0)), "code"),
        measuring._planned(case, RunOptions("policy"), "changed code"),
        measuring._planned(suite_cases("mtsp50", vehicles=(5,), limit=1)[0], RunOptions("policy"), "code"),
        measuring._planned(replace(case, instance=other.instance), RunOptions("policy"), "code"),
    ]
    assert len({plan.key, *(m.key for m in changed)}) == 1 + len(changed)
    assert measuring._planned(case, RunOptions("policy", workers=2), "code").key == plan.key


def test_settings_of_the_search_reach_it_and_are_part_of_the_key() -> None:
    """They are checked where the search begins, in `solve`; a method without a search refuses them."""
    (case,) = suite_cases("mtsp50", vehicles=(3,), limit=1, set_seed=11)
    usual = measuring._planned(case, RunOptions("search"), "code")
    changed = measuring._planned(case, RunOptions("search", settings=(("blink", 0.02),)), "code")
    assert (usual.settings, changed.settings) == ("", "blink=0.02")
    assert usual.key != changed.key
    assert RunOptions("search", settings=(("blink", 0.02),)).budget(case.instance).settings
    with pytest.raises(InputError, match="setting 'blnk' is unknown"):
        find_method("search").solve(case.instance, Budget(0.1, settings=(("blnk", 0.02),)))
    with pytest.raises(
        InputError, match="settings of the search with method = 'greedy', expected one of search"
    ):
        RunOptions("greedy", settings=(("blink", 0.02),))


def test_the_budget_can_grow_with_the_customers() -> None:
    """0.1 s for each of 49 customers."""
    (case,) = suite_cases("mtsp50", vehicles=(3,), limit=1)
    assert RunOptions("search", per_customer=0.1).budget(case.instance).seconds == pytest.approx(4.9)
    assert RunOptions("search", seconds=3.0).budget(case.instance).seconds == 3.0


def test_an_answer_that_breaks_a_rule_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A method that forgets a customer is found out, with its name and the instance."""

    def forgetful(instance: Instance, budget: Budget) -> Answer:
        return Answer(Solution.of([list(instance.customers)[:-1]]))

    monkeypatch.setitem(METHODS, "forgetful", Method(forgetful, ()))
    (case,) = suite_cases("mtsp50", vehicles=(3,), limit=1)
    options = RunOptions("forgetful")
    planned = measuring._planned(case, options, "")
    with pytest.raises(
        InternalError, match="forgetful on mtsp50 #0 with 3 vehicles: the answer breaks 1 rules: missing"
    ):
        measuring._measure(planned, case.instance, options)


def test_a_method_that_fails_is_named_with_the_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kind of the error stays."""

    def failing(instance: Instance, budget: Budget) -> Answer:
        raise InputError("no such weights")

    monkeypatch.setitem(METHODS, "failing", Method(failing, ()))
    (case,) = suite_cases("mtsp50", vehicles=(3,), limit=1)
    with pytest.raises(InputError, match="failing on mtsp50 #0 with 3 vehicles: no such weights"):
        measuring._measure(
            measuring._planned(case, RunOptions("failing"), ""), case.instance, RunOptions("failing")
        )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"method": "magic"},
            "method = 'magic', expected one of greedy, search, policy, policy\\+search, ortools",
        ),
        ({"method": "search", "seconds": 0.0}, "time = 0 s, expected a number above 0"),
        ({"method": "search", "seconds": float("nan")}, "time = nan s"),
        ({"method": "search", "per_customer": -1.0}, "time = -1 s"),
        ({"method": "search", "workers": 0}, "workers = 0, expected 1 or more"),
    ],
)
def test_settings_that_cannot_be_are_refused(fields: dict[str, object], message: str) -> None:
    """Before anything runs."""
    with pytest.raises(InputError, match=message):
        RunOptions(**fields)  # type: ignore[arg-type]


def test_long_traces_are_thinned_to_their_ends_and_some_between() -> None:
    """The first and the last point stay, the order stays."""
    trace = tuple((0.001 * k, 5.0 - 0.001 * k) for k in range(1, 3000))
    thin = measuring._thin(trace)
    assert len(thin) <= measuring.TRACE_POINTS + 2
    assert (thin[0], thin[-1]) == ((0.001, 4.999), (2.999, 2.001))
    assert list(thin) == sorted(thin)
    assert measuring._thin(thin) == thin


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="watches processes through /proc")
def test_kill_9_loses_only_the_instance_in_work(tmp_path: Path) -> None:
    """What was on disk stays, the workers end too, and the same command completes the rest."""
    words = (
        "mtsp200",
        "--method",
        "greedy",
        "--vehicles",
        "10",
        "--limit",
        "15",
        "--json",
        "--out",
        "a.jsonl",
    )
    path = tmp_path / "a.jsonl"
    process = command(*words, folder=tmp_path)
    wait_for_lines(path, 3, process)
    workers = children(process.pid)
    process.kill()
    process.communicate()
    wait_until_gone(workers)
    before = read_measurements(path)
    assert 3 <= len(before) < 15
    with path.open("ab") as stream:
        stream.write(b'{"suite":"mtsp200","pro')  # as if killed within a write
    again = command(*words, folder=tmp_path)
    out, err = again.communicate()
    assert again.returncode == 0, err
    assert f"{len(before)} of them from before" in err
    assert read_measurements(path)[: len(before)] == before
    assert json.loads(out)["rows"][0]["instances"] == 15


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="watches processes through /proc")
def test_ctrl_c_ends_the_workers_and_says_how_to_go_on(tmp_path: Path) -> None:
    """Exit code 130, one line, no traceback, nothing left running."""
    process = command("mtsp200", "--method", "greedy", "--vehicles", "10", "--workers", "2", folder=tmp_path)
    path = tmp_path / "runs" / "bench" / "mtsp200-greedy.jsonl"
    wait_for_lines(path, 2, process)
    workers = children(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert "the same command goes on" in err
    assert "Traceback" not in err
    assert out == ""
    wait_until_gone(workers)
    assert len(read_measurements(path)) < 100


def test_a_policy_that_is_not_there_is_not_measured_as_something_else() -> None:
    """Where `solve` would go on with a greedy start, the bench stops: no weights serve such an instance."""
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    instance = Instance(points, num_vehicles=2, num_depots=2, pairs=np.array([[2, 3]]))
    with pytest.raises(InputError, match="'auto' cannot be measured: no network weights"):
        find_method("policy").solve(instance, Budget(0.1))
    with pytest.raises(InputError, match="mtsp: this policy serves customers without pairs"):
        find_method("policy").solve(instance, Budget(0.1, policy="mtsp"))


def test_the_search_improves_on_greedy_and_tells_how() -> None:
    """Its trace goes down to its answer, whose makespan is the checker's."""
    (case,) = suite_cases("mdvrp50", vehicles=(3,), limit=1, set_seed=1)
    greedy = find_method("greedy").solve(case.instance, Budget(1.0))
    find_method("search").solve(case.instance, Budget(0.01))  # loads the kernels
    answer = find_method("search").solve(case.instance, Budget(1.0))
    found = makespan(case.instance, answer.solution)
    assert found < makespan(case.instance, greedy.solution)
    assert answer.iterations > 0
    assert answer.trace[-1][1] == pytest.approx(found)
    values = [m for _, m in answer.trace]
    assert all(after <= before * (1 + 1e-12) for before, after in itertools.pairwise(values))
    assert answer.lower_bound is not None
    assert answer.lower_bound <= found


def test_the_search_with_the_network_as_its_start_can_be_measured() -> None:
    """In a process that has not loaded the network before: what is loaded first takes none of the budget."""
    cases = suite_cases("mtsp50", vehicles=(3,), limit=1, set_seed=1)
    (found,) = measure(cases, RunOptions("policy+search", 0.5, clock="cpu"))
    assert found.iterations > 0
    assert not found.failure
