"""Tests of local search."""
