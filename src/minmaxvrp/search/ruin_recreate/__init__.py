"""One step of annealing: take customers out, put them back where that is cheapest (SISR).

* `step` is what the loops call: mostly `ruin` and `recreate`, sometimes a `stretch` that moves as it is.
* `insert_pair`: a pickup with its delivery, into one of a few `candidate_routes`.
* `price`: what an insertion costs, and the objective of acceptance.
* `depots`: which depots a route gets when there are several.
"""
