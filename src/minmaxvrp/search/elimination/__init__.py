"""A plan with one route less: for `others`, where the total length counts.

A program of its own (`programs.ELIMINATION`), compiled and loaded when it is needed.

* `fewer_routes`: the driver. `eliminate`: the compiled loop. `absent`: customers on no route.
"""
