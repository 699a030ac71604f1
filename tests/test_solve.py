"""The map: bound, start, search, check."""

import signal
import sys
from typing import Any

import numpy as np
import pytest

import minmaxvrp.search.construction.construct as construction
from minmaxvrp import (
    FirstOf,
    InputError,
    Instance,
    InternalError,
    MaxIterations,
    MaxRuntime,
    Progress,
    Solution,
    makespan,
    route_lengths,
    solve,
    violations,
)
from minmaxvrp.clock import Clock
from minmaxvrp.problem import check
from minmaxvrp.stop import Stop
from tests.problem.brute import optimum
from tests.problem.small import random_instance

POINTS = np.random.default_rng(5).random((30, 2))
THIRTY = Instance.mtsp([0.5, 0.5], POINTS, 3)
SHORT = MaxIterations(2_000)


def test_result_tells_what_was_found_and_how() -> None:
    """Lengths, bound, gap, trace, timings belong to the solution."""
    result = solve(THIRTY, SHORT, seed=3, policy=None)
    assert not violations(THIRTY, result.solution)
    assert result.lengths == tuple(route_lengths(THIRTY, result.solution))
    assert result.makespan == makespan(THIRTY, result.solution) == max(result.lengths)
    assert 0 < result.lower_bound <= result.makespan
    assert result.gap == result.makespan / result.lower_bound - 1
    assert result.method == "search"
    assert result.seed == 3
    assert 0 < result.iterations <= 2_000
    assert set(result.timings) == {"bound", "load", "start", "search", "check"}
    assert sum(result.timings.values()) == pytest.approx(result.seconds, abs=0.05)


def test_trace_falls_from_the_start_to_the_answer() -> None:
    """Each point is better than the one before; the last one is the result's makespan."""
    result = solve(THIRTY, SHORT, policy=None)
    values = [point.makespan for point in result.trace]
    assert values[0] == makespan(THIRTY, construction.construct(THIRTY, 0))
    assert values[-1] == pytest.approx(result.makespan, rel=1e-9)
    assert values == sorted(values, reverse=True)
    assert [p.seconds for p in result.trace] == sorted(p.seconds for p in result.trace)


def test_same_seed_and_iterations_give_the_same_answer() -> None:
    """And another seed another walk."""
    first, second, other = (solve(THIRTY, SHORT, seed=s, policy=None) for s in (1, 1, 2))
    assert first.solution == second.solution
    assert [(p.iterations, p.makespan) for p in first.trace] != [
        (p.iterations, p.makespan) for p in other.trace
    ]


@pytest.mark.parametrize("seed", range(25))
def test_tiny_instances_are_solved_to_the_optimum(seed: int) -> None:
    """All variants and distances, against plain enumeration."""
    instance = random_instance(seed)
    result = solve(instance, MaxIterations(3_000), seed=seed, policy=None)
    assert result.makespan == pytest.approx(optimum(instance)[0], rel=1e-9, abs=1e-12)


def test_without_search_the_start_is_the_answer() -> None:
    """A greedy one, or the best of those given."""
    greedy = solve(THIRTY, search=False, policy=None)
    assert (greedy.method, greedy.iterations) == ("greedy", 0)
    bad = Solution.of([list(range(1, 31))])
    given = solve(THIRTY, start=[bad, greedy.solution], search=False)
    assert given.solution == greedy.solution
    assert given.method == "given"


def test_search_never_returns_worse_than_its_start() -> None:
    """Even with no iterations at all."""
    start = solve(THIRTY, MaxIterations(5_000), seed=9, policy=None).solution
    result = solve(THIRTY, MaxIterations(0), start=start)
    assert result.makespan <= makespan(THIRTY, start)
    assert result.method == "given + search"


def test_reaching_the_bound_ends_at_once() -> None:
    """One far customer decides: the greedy plan is optimal, both routes of it, nothing is searched."""
    instance = Instance.mtsp([0, 0], [[0, 1], [100, 0]], 2)
    result = solve(instance, MaxRuntime(1000), then="none", policy=None)
    assert result.gap == 0
    assert result.iterations == 0


def test_progress_is_reported_while_searching() -> None:
    """The callback hears of it, with the best makespan so far."""
    heard: list[Progress] = []
    result = solve(THIRTY, MaxIterations(100_000), policy=None, on_progress=heard.append)
    assert heard
    assert all(progress.makespan >= result.makespan * (1 - 1e-9) for progress in heard)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with a small network for one depot that has learnt nothing."""
    pytest.importorskip("torch")
    from minmaxvrp.policy.network import Network
    from minmaxvrp.policy.policy_config import PolicyConfig
    from minmaxvrp.policy.weights_file import save_weights

    path = tmp_path_factory.mktemp("weights") / "small.safetensors"
    config = PolicyConfig(embed=16, num_heads=2, num_layers=1, hidden=32)
    save_weights(path, Network.initialised(config, seed=1), {})
    return str(path)


def test_policy_proposes_and_search_improves(weights: str) -> None:
    """The method says where the answer comes from."""
    alone = solve(THIRTY, policy=weights, search=False)
    both = solve(THIRTY, SHORT, policy=weights)
    assert (alone.method, both.method) == ("policy", "policy + search")
    assert both.trace[0].makespan == alone.makespan
    assert both.makespan < alone.makespan


def test_policy_of_another_problem_or_name_is_refused(weights: str) -> None:
    """One depot was learnt, two are given; a name that does not exist."""
    with pytest.raises(InputError, match="one depot"):
        solve(Instance.mdvrp([[0, 0], [1, 1]], POINTS, 3), policy=weights)
    with pytest.raises(InputError, match="'nobody'"):
        solve(THIRTY, policy="nobody")


def test_without_torch_auto_falls_back_and_a_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Auto says why it starts from a greedy plan."""
    for name in [name for name in sys.modules if name.partition("minmaxvrp.")[2].startswith("policy")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    said: list[str] = []
    result = solve(THIRTY, search=False, policy="auto", notice=said.append)
    assert result.method == "greedy"
    assert said == ["torch is not installed; starting without the network"]
    with pytest.raises(InputError, match="policy 'mtsp' needs the package 'torch'"):
        solve(THIRTY, policy="mtsp")


class _Slow(Clock):
    """A clock on which every step of `solve` takes three seconds."""

    @property
    def seconds(self) -> float:
        """Three for each step so far."""
        return sum(self.laps.values())

    def lap(self, step: str) -> float:
        """End a step."""
        self.laps[step] = self.laps.get(step, 0.0) + 3.0
        return 3.0


@pytest.mark.parametrize(
    ("stop", "left"),
    [
        (None, MaxRuntime(0.0)),
        (MaxRuntime(100.0), MaxRuntime(88.0)),
        (MaxRuntime(16.0), MaxRuntime(4.0)),
        (MaxRuntime(11.5), MaxRuntime(0.0)),
        (MaxIterations(7), MaxIterations(7)),
        (FirstOf((MaxRuntime(100.0), MaxIterations(7))), FirstOf((MaxRuntime(88.0), MaxIterations(7)))),
    ],
)
def test_a_time_limit_covers_bound_start_and_loading(
    stop: Stop | None, left: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each took three seconds, loading twice as it has two parts; of a limit it counts for half at most."""
    import minmaxvrp.search.improve as searching

    given: list[Stop] = []

    def note(*arguments: Any, **options: Any) -> None:
        given.append(arguments[1])

    monkeypatch.setattr(searching, "improve", note)
    monkeypatch.setattr(sys.modules["minmaxvrp.solve"], "Clock", _Slow)
    solve(THIRTY, stop)
    assert given == [left]


def test_start_that_breaks_a_rule_is_refused() -> None:
    """With its number and the rule; and so is an empty list."""
    with pytest.raises(InputError, match=r"start solution 1 breaks a rule: missing customer"):
        solve(THIRTY, start=Solution.of([[1, 2]]))
    with pytest.raises(InputError, match="no solutions"):
        solve(THIRTY, start=[])


@pytest.mark.parametrize("settings", [{"blin": 1}, {"blink": 2.0}, [("blink", 0.1)], "blink"])
@pytest.mark.parametrize("search", [True, False])
def test_settings_that_no_search_takes_are_refused(settings: Any, search: bool) -> None:
    """Also where nothing is searched: three customers are solved by trying all plans."""
    with pytest.raises(InputError, match="setting"):
        solve(Instance.mtsp([0, 0], [[1, 2], [3, 1], [2, 2]], 2), SHORT, settings=settings, search=search)


def test_starts_are_checked_once_and_so_is_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """One walk of the checker for each: the search trusts `starts`."""
    seen: list[Solution] = []
    checked = check.violations

    def note(instance: Instance, solution: Solution) -> list[check.Violation]:
        seen.append(solution)
        return checked(instance, solution)

    monkeypatch.setattr(check, "violations", note)
    start = Solution.of([range(1, 11), range(11, 21), range(21, 31)])
    for given in (start, [start, Solution.of([range(1, 31)])]):
        seen.clear()
        result = solve(THIRTY, SHORT, start=given)
        assert len(seen) == (1 if given is start else 2) + 1
        assert seen[0] == start
        assert seen[-1] == result.solution


def test_a_known_bound_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is what the search and the result report, and is not computed again."""
    monkeypatch.delattr(sys.modules["minmaxvrp.solve"], "lower_bound")
    heard: list[Progress] = []
    assert solve(THIRTY, SHORT, policy=None, bound=0.25, on_progress=heard.append).lower_bound == 0.25
    assert {progress.lower_bound for progress in heard} == {0.25}


def test_wrong_answers_are_never_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that breaks a rule, or that is better than possible, raises."""
    monkeypatch.setattr(construction, "construct", lambda instance, seed: Solution.of([[1], [2, 2]]))
    with pytest.raises(InternalError, match="breaks 29 rules, first missing customer"):
        solve(THIRTY, search=False, policy=None)
    monkeypatch.undo()
    with pytest.raises(InternalError, match="below the lower bound"):
        solve(THIRTY, search=False, policy=None, bound=1e6)


def test_an_interrupt_outside_the_search_returns_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as Ctrl-C while kernels are compiled."""
    import minmaxvrp.search.improve as searching

    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(searching, "improve", interrupted)
    result = solve(THIRTY, SHORT, policy=None)
    assert result.method == "greedy"
    assert not violations(THIRTY, result.solution)


def test_first_use_says_that_it_compiles_and_keeps_the_time_for_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Should the process that compiles fail, one iteration does it here; then the budget is searched."""
    import minmaxvrp.search.compilation as compilation

    monkeypatch.setattr(compilation, "_ready", set())
    monkeypatch.setattr(compilation, "kernels_cached", lambda program: False)
    monkeypatch.setattr(compilation, "start_compiling", lambda program: _Aside(1))
    monkeypatch.setattr(compilation, "forget", lambda program: None)
    said: list[str] = []
    result = solve(THIRTY, SHORT, then="none", notice=said.append)
    assert len(said) == 1
    assert "compiling" in said[0]
    assert result.iterations == 2_000


class _Aside:
    """A process that has ended."""

    def __init__(self, code: int) -> None:
        self.code, self.waited = code, 0

    def wait(self) -> int:
        """Its exit code."""
        self.waited += 1
        return self.code


@pytest.mark.parametrize("policy", [None, "mtsp"])
def test_first_use_compiles_aside_and_keeps_the_time(
    monkeypatch: pytest.MonkeyPatch, policy: str | None
) -> None:
    """Another process compiles the search while the start is made; neither takes the search's time."""
    import minmaxvrp.search.compilation as compilation

    aside = _Aside(0)
    monkeypatch.setattr(compilation, "_ready", set())
    monkeypatch.setattr(compilation, "kernels_cached", lambda program: False)
    monkeypatch.setattr(compilation, "start_compiling", lambda program: aside)
    monkeypatch.setattr(sys.modules["minmaxvrp.propose"], "_compile", lambda *arguments: 0.0)
    said: list[str] = []
    result = solve(THIRTY, SHORT, then="none", policy=policy, notice=said.append)
    assert len(said) == 1
    assert "compiling" in said[0]
    assert aside.waited == 1
    assert result.iterations == 2_000


def test_damaged_kernels_are_removed_and_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file on disk that was cut off is no error of the user's."""
    import minmaxvrp.search.compilation as compilation

    tries, removed, load = iter([EOFError("Ran out of input"), None]), [], compilation.run_once

    def damaged_once(program: Any) -> None:
        if (error := next(tries)) is not None:
            raise error
        load(program)

    monkeypatch.setattr(compilation, "_ready", set())
    monkeypatch.setattr(compilation, "kernels_cached", lambda program: True)
    monkeypatch.setattr(compilation, "run_once", damaged_once)
    monkeypatch.setattr(compilation, "forget", lambda program: removed.append(True))
    monkeypatch.setattr(compilation, "start_compiling", lambda program: _Aside(0))
    said: list[str] = []
    result = solve(THIRTY, SHORT, then="none", notice=said.append)
    assert removed == [True]
    assert len(said) == 1
    assert result.iterations == 2_000


def test_ctrl_c_while_kernels_are_loaded_returns_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The greedy plan, and the result says that it was interrupted."""
    import minmaxvrp.search.compilation as compilation

    def interrupted(program: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compilation, "_ready", set())
    monkeypatch.setattr(compilation, "run_once", interrupted)
    result = solve(THIRTY, SHORT)
    assert (result.method, result.interrupted) == ("greedy", True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stop": 2.0}, r"stop = 2\.0, expected MaxRuntime\(2\.0\)"),
        ({"seed": -1}, "seed = -1, expected a whole number of 0 or more"),
        ({"seed": 1.5}, r"seed = 1\.5, expected a whole number"),
        ({"workers": 0}, "workers = 0, expected a whole number of 1 or more"),
        ({"then": "ballance"}, "then = 'ballance', expected balance, total or none: did you mean 'balance'"),
        ({"start": [[1], [2]]}, r"start: got a list, expected a Solution, such as Solution\.of"),
    ],
)
def test_arguments_that_cannot_be_say_what_to_write(options: dict[str, Any], message: str) -> None:
    """Before anything is computed."""
    with pytest.raises(InputError, match=message):
        solve(THIRTY, **options)


def test_a_function_ends_the_search() -> None:
    """As soon as it says so, which is long before the other limit."""
    result = solve(
        THIRTY, FirstOf(MaxIterations(10**9), lambda progress: progress.iterations > 0), policy=None
    )
    assert 0 < result.iterations < 10**9
    assert not result.interrupted


def test_ctrl_c_ends_one_solve_and_says_so() -> None:
    """A loop of solves can look at it and end."""

    def interrupt(progress: Progress) -> None:
        signal.raise_signal(signal.SIGINT)

    result = solve(THIRTY, MaxIterations(10**9), policy=None, on_progress=interrupt)
    assert result.interrupted
    assert not violations(THIRTY, result.solution)
    assert not solve(THIRTY, SHORT, policy=None).interrupted
