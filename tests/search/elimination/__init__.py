"""Tests of route elimination."""
