"""The search's own numbers, each found by measurement (lengths in search units)."""

from typing import NamedTuple

from .distances import Problem


class SearchSettings(NamedTuple):
    """What ruin, recreate and annealing use; the kernels read it as a whole."""

    first_temperature: float = 1.0
    """First temperature, in mean legs."""
    last_temperature: float = 0.01
    """Last temperature."""
    reheat: float = 1.0
    """Share of the cooling schedule at which the second cycle starts; 1 for a single cycle."""
    longest_route_share: float = 0.35
    """Share of ruins that begin in the longest route."""
    mean_removed: float = 10.0
    """Customers taken out in a step, on average."""
    max_string_length: float = 10.0
    """Longest string of them from one route."""
    split_share: float = 0.5
    """Share of strings with a stretch in their middle that stays."""
    split_stop_chance: float = 0.5
    """Chance that the stretch ends at each customer."""
    blink: float = 0.01
    """Chance that insertion overlooks the cheapest position, with pairs a route."""
    full_scan_customers: int = 120
    """Up to this many customers insertion tries every position, above only near neighbours."""
    num_neighbours: int = 20
    """How many neighbours those are."""
    full_scan_routes: int = 24
    """Up to this many routes a pair is tried on all of them, above on near ones first."""
    excess_weight: float = 10.0
    """Price of one unit of length above the threshold at insertion."""
    low_threshold_share: float = 0.05
    """Share of steps that aim at clearly shorter routes."""
    two_opt_proposals: int = 0
    """How often two near customers are joined (`propose_two_opt`) in each step."""
    cross_proposals: int = 0
    """How often long stretches of two routes are exchanged (`propose_cross`) in each step."""
    length_weight: float = 1.0
    """Price of the total length in both."""
    mean_length_weight: float = 0.05
    """Price of the mean route length in the objective."""


def settings_for(problem: Problem) -> SearchSettings:
    """The settings for an instance.

    Measured on instances of other seeds than the published sets: a long route takes a lower last
    temperature, up to a hundred customers a higher one; beyond them smaller ruins pay, because twice as
    many fit into the time. A high price of excess serves one depot, and hinders where routes have
    depots of their own or pairs. With pairs the total length counts more, and up to a hundred customers
    runs often end in different solutions, so that two coolings beat one. With short routes the one that has
    room for a customer may be a few routes away, so more neighbours are tried; with long ones whole
    stretches have to change their routes, from a temperature on at which they do. Pairs on routes of some
    length find the best solution more often with shorter strings from more routes.
    """
    customers = problem.num_nodes - problem.num_depots
    cold = min(0.03, max(0.003, 3.0 / customers))
    plain = problem.num_depots == 1 and not problem.has_pairs
    short = customers < 30 * problem.num_vehicles
    whole = plain and problem.symmetric and not short
    return SearchSettings(
        first_temperature=4.0 if whole else 1.0,
        last_temperature=cold,
        reheat=0.3 if problem.has_pairs and customers <= 120 else 1.0,
        mean_removed=10.0 if customers <= 120 else 6.0,
        max_string_length=6.0 if problem.has_pairs and customers > 15 * problem.num_vehicles else 10.0,
        excess_weight=100.0 if plain else 30.0 if problem.has_pairs else 10.0,
        mean_length_weight=0.2 if problem.has_pairs else 0.05,
        num_neighbours=45 if short else 20,
        two_opt_proposals=4 if whole else 0,
        cross_proposals=1 if whole else 0,
    )
