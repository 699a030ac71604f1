"""Improve: compiled search on the min-max objective. numba, never torch.

Begin reading at `improve`, the interface, and follow the walk; the other groups are what it uses.

* The walk: `improve`; `makespan` for the longest route, whose loop is `anneal`; `others` for what comes after
  it, whose loop is `refine`; `exact` for tiny instances. `settings`; `budget`: what a stop criterion means
  for the cooling; `workers`: several searches at a time, `share`: one that several share; `compilation`:
  kernels on first use.
* The instance and the plan as kernels see them: `distances` and `prepare`, `arrays` and `load`; `neighbours`
  and `quadrants`: neighbour lists; `edits`: link, unlink, undo; `random_numbers`.
* One step: `step`; `ruin`; `recreate`, and for pairs `insert_pair` and `candidate_routes`; `price` and
  `route_cost`: what it is judged by; `depots`: which one a route gets; `stretch`: moved as it is.
* On long routes also proposed: `propose_two_opt`, `propose_two_opt_depots`, `propose_cross`, `propose_depot`,
  and for the total length `propose_join`.
* Local search: `local_search` on the longest route and `polish` on all, by the operators in `moves`.
* Starts: `construct`; on long routes `tour_start`, which tries a tour cut into routes (`split`,
  `depot_start`), wedges (`sweep_start`) and plans of `coarse` instances (`coarse_search`).
* Single tours: `giant_tour` with `three_opt` on a `tour_array`; `route_polish` and `depot_polish` shorten
  every route of a plan by itself.
* Very large instances: `decompose`, from a `large_start`, in `groups` of routes, each a `subproblem`.
* `fleet`: vehicles that are told apart, a program of its own.
"""
