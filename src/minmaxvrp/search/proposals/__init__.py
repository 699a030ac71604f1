"""Steps that the loops propose beside ruin and recreate where routes are long; each is accepted by annealing.

* `propose_two_opt`, `propose_two_opt_depots`: 2-opt within a route and 2-opt* between two.
* `propose_cross`: two routes exchange stretches (CROSS exchange).
* `propose_depot`: a route moves to another depot.
* `propose_join`: two routes exchange their ends or become one, where the total length counts.
"""
