"""Measure: suites, runs, reports, published figures."""
