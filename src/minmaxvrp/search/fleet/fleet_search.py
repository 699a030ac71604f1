"""One annealing on a fleet, in chunks of compiled iterations, and the start that it makes by itself."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...interrupt import Interrupt
from ...problem.check import route_lengths
from ...problem.instance import Instance
from ...problem.solution import Route, Solution
from ...stop import Stop
from ..arrays.distances import Problem
from ..arrays.random_numbers import random_stream
from ..arrays.routes import Routes
from ..moves.local_search import empty_workspace
from ..one_search import Goal, ProgressHook, Search
from ..programs import FLEET, ensure_compiled
from ..route_cost import MAKESPAN, RouteCost
from ..settings import SearchSettings, settings_for
from .annealing import anneal_fleet
from .conversion import load_plan, read_plan
from .route_moves import polish_plan
from .vehicles import Fleet, prepare_fleet, prepare_problem


@dataclass(frozen=True, slots=True)
class FleetTask:
    """What the parts of one search for a fleet share."""

    instance: Instance
    problem: Problem
    unit: float
    """Of lengths inside the search, in units of the instance."""
    settings: SearchSettings
    fixed: frozenset[int]
    """Customers that keep their vehicle and order."""
    stop: Stop
    """Of the whole search."""
    seed: int
    lower_bound: float
    began: float
    """Time of the clock when the search began."""
    interrupt: Interrupt
    on_progress: ProgressHook | None


class FleetSearch(Search):
    """One worker's annealing of the routes of vehicles that are told apart."""

    most_chunks = 1

    def __init__(
        self,
        task: FleetTask,
        fleet: Fleet,
        goal: Goal,
        settings: SearchSettings,
        start: Solution,
        seed: int,
        number: int = 0,
        rule: RouteCost = MAKESPAN,
    ) -> None:
        self.instance, self.fleet = task.instance, fleet
        super().__init__(task.problem, goal, settings, start, seed, number, rule)

    def _load(self, start: Solution, rng: NDArray[np.uint64]) -> Routes:
        return load_plan(self.problem, self.fleet, start, rng)

    def _anneal(self, iterations: int, shares: NDArray[np.float64]) -> int:
        return anneal_fleet(
            self.problem,
            self.fleet,
            self.routes,
            self.settings,
            self.workspace,
            self.rule,
            iterations,
            shares[0, 0],
            shares[0, 1],
            self.target,
        )

    def polished(self) -> Solution:
        """The best plan, with every route brought to a local optimum by itself."""
        routes = load_plan(self.problem, self.fleet, self.solution(), self.routes.rng)
        polish_plan(self.problem, self.fleet, routes, self.workspace)
        return read_plan(self.instance, routes.best_after, routes.best_node)

    def solution(self) -> Solution:
        """The best plan found; not while another thread runs this search."""
        return read_plan(self.instance, self.routes.best_after, self.routes.best_node)


def fleet_settings(problem: Problem) -> SearchSettings:
    """The defaults for a fleet: those of the plain search, but for the temperature of moves that are not
    proposed here."""
    return settings_for(problem)._replace(first_temperature=1.0)


def fleet_unit(instance: Instance, solution: Solution) -> float:
    """About the time of one leg of a plan: lengths inside the search are multiples of it."""
    done = np.array([vehicle.done for vehicle in instance.vehicles])
    lengths = route_lengths(instance, solution) - done
    mean = float((lengths / (instance.num_customers + len(lengths))).sum())
    return mean if mean > 0.0 else 1.0


def empty_plan(instance: Instance) -> Solution:
    """A plan in which no vehicle moves, as the arrays take it: not one for users."""
    return Solution((Route(0, (), 0),) * instance.num_vehicles)


def construct_fleet(instance: Instance, seed: int = 0) -> Solution:
    """A feasible plan: every customer or pair in random order where the longest route grows least."""
    ensure_compiled(FLEET)
    unit = _far(instance)
    problem, fleet = prepare_problem(instance, unit), prepare_fleet(instance, unit)
    deliveries = set(instance.pairs[:, 1].tolist())
    requests = [customer for customer in instance.customers if customer not in deliveries]
    order = np.random.default_rng(seed).permutation(requests).tolist()
    routes = load_plan(problem, fleet, empty_plan(instance), random_stream(seed), order)
    settings, workspace = fleet_settings(problem), empty_workspace(problem.num_nodes)
    anneal_fleet(problem, fleet, routes, settings, workspace, MAKESPAN, 0, 0.0, 1.0, 0.0)
    return read_plan(instance, routes.best_after, routes.best_node)


def _far(instance: Instance) -> float:
    """A unit for a plan that is not there yet: a distance between two nodes that are not at one place."""
    some = np.arange(min(instance.num_nodes, 100))
    mean = float(instance.distance(some[:, None], some[None, :]).mean())
    return mean if mean > 0.0 else 1.0
