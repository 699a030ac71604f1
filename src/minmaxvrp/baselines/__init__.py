"""Compare: other people's solvers behind one function each, `solve(instance, seconds, seed)`."""
