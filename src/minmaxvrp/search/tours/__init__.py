"""One tour by itself, as in the travelling salesman problem.

* `giant_tour` through all customers, shortened by `three_opt` on a `tour_array`.
* `route_polish`: every route of a plan as such a tour; `depot_polish`: with depots to choose.
"""
