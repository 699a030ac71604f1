"""Tests of the training room."""
