"""The search for vehicles that are told apart: by starts, ends, speeds, work done, stops that they may serve.

A program of its own: plain instances neither compile nor load it. `improve_fleet` is its interface; the walk
is that of the plain search, ruin and recreate with annealing, on the same arrays:

* `vehicles`: the vehicles as kernels see them; `ways`: distances that know open and free ends.
* `conversion`: from a solution to the arrays and back; `changes`: link, unlink, log, undo.
* `removal`, `insertion`, `pair_insertion`: one step; `round_trips`: vehicles that choose their depot.
* `annealing`: the loop; `route_moves`: 2-opt and Or-opt within a route; `route_swap`: two vehicles exchange
  their routes.
* `fleet_search`: starts, settings and the search of one worker; `fleet_others`: after the longest route, the
  others.
"""
