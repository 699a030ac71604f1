"""Tests of what kernels see."""
