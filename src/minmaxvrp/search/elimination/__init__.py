"""A plan with fewer routes, which is mostly a shorter one: where the total length counts.

Kernels of their own (see `programs.ELIMINATION`), compiled and loaded when they are needed.

* `fewer_routes`: the driver. `eliminate`: the compiled loop. `absent`: requests that are on no route.
"""
