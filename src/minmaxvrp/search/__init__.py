"""Improve: compiled search on the min-max objective. numba, never torch.

Begin reading at `improve`, the interface, and follow the walk. This folder has what Python runs and the two
compiled loops; the folders in it have what these use, each with such a page of its own.

* The walk: `improve`; `makespan` for the longest route; `others` for what comes after it; `exact` for tiny
  instances. Both run `one_search` or several, whose loops are `anneal` and, for the others, `refine`, which
  lowers a `route_cost`.
* What goes with it: `settings`; `budget`: what a stop criterion means for the cooling; `workers`: several
  searches at a time, `share`: one that several share; `programs`: the kernels on disk,
  `compilation`: on first use.
* Very large instances: `decompose`, from a `large_start`, in `phases` of rounds of `groups` of routes, each a
  `subproblem`.

The folders:

* `arrays`: the instance and the plan as kernels see them.
* `ruin_recreate`: one step of annealing. `proposals`: the other steps, for long routes.
* `moves`: local search.
* `construction`: plans to start from. `tours`: one tour by itself, made and shortened.
* `elimination`: fewer routes where the total length counts. `fleet`: vehicles that are told apart. Both are
  programs of their own.
"""
