"""Tests of ruin and recreate."""
