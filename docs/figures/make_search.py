"""Draw search.svg, one step of the search for docs/search.md: a plan, what ruin leaves, what recreate makes.

Run `python docs/figures/make_search.py` after a change here. Ruin and recreate are written out in Python, the
simplest form of what `search/ruin_recreate/ruin.py` and `search/ruin_recreate/recreate.py` do.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from minmaxvrp import Instance
from minmaxvrp.picture.palette import route_colours
from minmaxvrp.search.construction.construct import construct

SEED, CUSTOMERS, VEHICLES = 11, 40, 4
STRING, STRINGS = 4, 3
"""Customers of a string that ruin removes, and strings, each from another route."""
WEIGHT = 10.0
"""Price of a unit of length above the makespan before the step."""

Routes = list[list[int]]


def length(instance: Instance, route: list[int]) -> float:
    """Length of a round trip from the depot."""
    nodes = np.array([0, *route, 0])
    return float(instance.distance(nodes[:-1], nodes[1:]).sum())


def ruin(instance: Instance, routes: Routes) -> tuple[Routes, list[int]]:
    """The routes without strings around a customer of the longest route, and the customers removed."""
    longest = max(routes, key=lambda route: length(instance, route))
    seed = longest[len(longest) // 2]
    left, removed, touched = [list(route) for route in routes], [], 0
    for customer in np.argsort(instance.distance(seed, np.arange(instance.num_nodes))).tolist():
        for before, route in zip(routes, left, strict=True):
            if touched < STRINGS and customer in before and before == route:
                first = max(0, min(before.index(customer) - STRING // 2, len(before) - STRING))
                string = before[first : first + STRING]
                removed += string
                route[:] = [other for other in before if other not in string]
                touched += 1
    return left, removed


def recreate(instance: Instance, routes: Routes, removed: list[int], threshold: float) -> Routes:
    """Each removed customer, far ones first, where added length and excess cost least."""
    routes = [list(route) for route in routes]
    for customer in sorted(removed, key=lambda c: -float(instance.distance(0, c))):
        prices = []
        for number, route in enumerate(routes):
            for at in range(len(route) + 1):
                new = length(instance, [*route[:at], customer, *route[at:]])
                added = new - length(instance, route)
                prices.append((added + WEIGHT * max(0.0, new - threshold), number, at))
        _, number, at = min(prices)
        routes[number].insert(at, customer)
    return routes


def main() -> None:
    """Write the picture."""
    points = np.random.default_rng(SEED).uniform(size=(CUSTOMERS + 1, 2))
    instance = Instance.mtsp(points[0], points[1:], VEHICLES)
    before = [list(route.customers) for route in construct(instance, SEED).routes]
    makespan = max(length(instance, route) for route in before)
    ruined, removed = ruin(instance, before)
    after = recreate(instance, ruined, removed, makespan)
    longest = max(length(instance, route) for route in after)
    titles = (
        f"A plan, longest route {makespan:.2f}",
        f"Ruin: {len(removed)} customers removed",
        f"Recreate: longest route {longest:.2f}",
    )
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), layout="constrained")
    for ax, title, routes in zip(axes, titles, (before, ruined, after), strict=True):
        for colour, route in zip(route_colours(VEHICLES), routes, strict=True):
            path = points[[0, *route, 0]]
            ax.plot(*path.T, "-o", color=colour, linewidth=1.6, markersize=3.5)
        if routes is ruined:
            ax.plot(*points[removed].T, "o", markerfacecolor="white", markeredgecolor="#30343b", markersize=5)
        ax.plot(*points[0], "s", color="#30343b", markersize=7)
        ax.set_title(title, fontsize=10)
        ax.set_aspect("equal")
        ax.set_axis_off()
    matplotlib.rcParams["svg.hashsalt"] = "search"
    figure.savefig(Path(__file__).with_name("search.svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
