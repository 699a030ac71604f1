"""Tests of what bends numba."""
