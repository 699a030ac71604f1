"""Tests, a package so that `tests.problem.brute` can be imported anywhere."""
