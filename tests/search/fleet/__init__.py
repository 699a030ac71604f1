"""Tests of the search for fleets."""
