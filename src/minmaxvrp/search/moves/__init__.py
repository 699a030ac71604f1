"""Local search: `local_search` on the longest route, `polish` on all, by operators of one file each.

Each predicts route lengths (evaluate) and makes the move (apply): `two_opt` and `or_opt` within a
route, `two_opt_star` and `cross_exchange` between two. `tour` is a route as an array.
"""
