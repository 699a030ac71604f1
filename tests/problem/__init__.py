"""Tests of the problem room."""
