"""Tests of single tours."""
