"""Kernels of the search that only kernels call, one by one for the tests.

Compiled as users have the search, as whole programs by another process: plain numba takes six times as long.
They are kept beside the search's own machine code, whose folder is named after all sources of the search.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import minmaxvrp.search
from minmaxvrp.jit import entry
from minmaxvrp.jit.background import prepare_compiler, start_process
from minmaxvrp.jit.cache import config, is_kept, program_folder
from minmaxvrp.jit.decorators import entries_of
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution
from minmaxvrp.search.arrays.distances import Problem, distance_mode
from minmaxvrp.search.arrays.edits import begin_step, remove
from minmaxvrp.search.arrays.load import load
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.arrays.random_numbers import random_stream
from minmaxvrp.search.arrays.routes import Routes
from minmaxvrp.search.moves import cross_exchange, or_opt, two_opt, two_opt_star
from minmaxvrp.search.moves.local_search import Workspace, empty_workspace
from minmaxvrp.search.moves.tour import Tour, empty_tour, measure
from minmaxvrp.search.proposals.propose_cross import propose_cross
from minmaxvrp.search.proposals.propose_depot import propose_depot
from minmaxvrp.search.proposals.propose_join import propose_join
from minmaxvrp.search.proposals.propose_two_opt import propose_two_opt
from minmaxvrp.search.proposals.propose_two_opt_depots import propose_two_opt_depots
from minmaxvrp.search.route_cost import RouteCost, least_cost_of_two
from minmaxvrp.search.ruin_recreate.insert_pair import insert_pair
from minmaxvrp.search.ruin_recreate.price import objective
from minmaxvrp.search.ruin_recreate.recreate import insert_customer, recreate
from minmaxvrp.search.ruin_recreate.ruin import _seed, ruin
from minmaxvrp.search.settings import SearchSettings

Numbers = NDArray[np.int64]

_cache = config.CACHE_DIR
if _cache:
    config.CACHE_DIR = str(program_folder(Path(minmaxvrp.search.__file__).resolve().parent))


@entry
def propose_reconnection(
    problem: Problem, routes: Routes, workspace: Workspace, settings: SearchSettings, limit: float
) -> float:
    """What `propose_two_opt`, or its form for several depots, says by how much it changes the objective."""
    if problem.num_depots > 1:
        return propose_two_opt_depots(problem, routes, settings, workspace, limit)
    return propose_two_opt(problem, routes, settings, workspace, limit)


@entry
def propose_exchange(
    problem: Problem, routes: Routes, workspace: Workspace, settings: SearchSettings, limit: float
) -> float:
    """What `propose_cross` says by how much it changes the objective."""
    return propose_cross(problem, routes, settings, workspace, limit)


@entry
def propose_other_depot(
    problem: Problem, routes: Routes, workspace: Workspace, settings: SearchSettings, limit: float
) -> float:
    """What `propose_depot` says by how much it changes the objective."""
    return propose_depot(problem, routes, settings, workspace, limit)


@entry
def propose_any_join(
    problem: Problem, routes: Routes, workspace: Workspace, rule: RouteCost, limit: float
) -> float:
    """What `propose_join` says by how much it changes the cost."""
    return propose_join(problem, routes, workspace, rule, limit)


@entry
def cost_of_two(rule: RouteCost, both: float) -> float:
    """What two routes cost at least by `least_cost_of_two`."""
    return least_cost_of_two(rule, both)


@entry
def draw_seed(problem: Problem, routes: Routes, settings: SearchSettings) -> int:
    """The customer that a ruin begins with."""
    return _seed(problem, routes, settings)


@entry
def ruin_and_recreate(problem: Problem, routes: Routes, settings: SearchSettings, limit: float) -> float:
    """The objective after a step, infinite where inserting was given up."""
    begin_step(routes)
    ruin(problem, routes, settings)
    if not recreate(problem, routes, settings, limit):
        return np.inf
    largest = -np.inf
    for vehicle in range(problem.num_vehicles):
        largest = max(largest, objective(problem, routes, settings, vehicle))
    return largest


@entry
def remove_all(problem: Problem, routes: Routes, customers: Numbers) -> int:
    """Begin a step and remove customers; how distances are found."""
    begin_step(routes)
    for customer in customers:
        remove(problem, routes, customer)
    return distance_mode(problem)


@entry
def insert_one(problem: Problem, routes: Routes, settings: SearchSettings, customer: int) -> None:
    """Insert a customer."""
    insert_customer(problem, routes, settings, customer)


@entry
def insert_both(problem: Problem, routes: Routes, settings: SearchSettings, pickup: int) -> None:
    """Insert a pickup and its delivery."""
    insert_pair(problem, routes, settings, pickup)


@entry
def change_route(problem: Problem, kind: int, a: Tour, out: Tour, at: Numbers) -> float:
    """2-opt (kind 0) or Or-opt: the length that is predicted; the route goes to `out`."""
    measure(problem, a)
    if kind == 0:
        two_opt.apply(problem, a, out, at[0], at[1])
        return two_opt.evaluate(problem, a, at[0], at[1])
    or_opt.apply(problem, a, out, at[0], at[1], at[2], at[3] == 1)
    return or_opt.evaluate(problem, a, at[0], at[1], at[2], at[3] == 1)


@entry
def change_two_routes(
    problem: Problem, kind: int, a: Tour, b: Tour, new_a: Tour, new_b: Tour, at: Numbers
) -> tuple[float, float]:
    """2-opt* (kind 0) or CROSS: both lengths that are predicted; the routes go to `new_a` and `new_b`."""
    measure(problem, a)
    measure(problem, b)
    if kind == 0:
        two_opt_star.apply(problem, a, b, new_a, new_b, at[0], at[2])
        return two_opt_star.evaluate(problem, a, b, at[0], at[2])
    cross_exchange.apply(problem, a, b, new_a, new_b, at[0], at[1], at[2], at[3])
    return cross_exchange.evaluate(problem, a, b, at[0], at[1], at[2], at[3])


config.CACHE_DIR = _cache


def probes_kept() -> bool:
    """Whether all of them are compiled."""
    return is_kept(entries_of(Path(__file__).resolve().parent))


def compile_probes() -> None:
    """Let another process compile them."""
    start_process(__name__, "fill_cache").wait()


def fill_cache() -> None:
    """Call each of them once; the work of the other process."""
    prepare_compiler()
    points = np.random.default_rng(0).random((9, 2))
    instance = Instance(points, 1, 2, pairs=[[1, 2]])
    problem, settings, workspace = prepare(instance, 1.0), SearchSettings(), empty_workspace(9)
    routes = load(problem, Solution.of([[1, 2, 3, 4], [5, 6, 7, 8]]), random_stream(0))
    propose_reconnection(problem, routes, workspace, settings, -1e9)
    propose_exchange(problem, routes, workspace, settings, -1e9)
    propose_other_depot(problem, routes, workspace, settings, -1e9)
    propose_any_join(problem, routes, workspace, RouteCost(10.0, 8.0, 0.1), -1e9)
    cost_of_two(RouteCost(10.0, 8.0, 0.1), 3.0)
    draw_seed(problem, routes, settings)
    ruin_and_recreate(problem, routes, settings, 1e9)
    remove_all(problem, routes, np.array([3, 1, 2]))
    insert_one(problem, routes, settings, 3)
    insert_both(problem, routes, settings, 1)
    a, b, new_a, new_b = (empty_tour(9) for _ in range(4))
    for tour, nodes in ((a, [0, 1, 2, 3, 0]), (b, [0, 4, 5, 6, 0])):
        tour.node[:5], tour.info.count = nodes, 3
    at = np.array([1, 2, 1, 1])
    change_route(problem, 0, a, new_a, at)
    change_two_routes(problem, 0, a, b, new_a, new_b, at)
