"""Improve: compiled search on the min-max objective. numba, never torch."""
