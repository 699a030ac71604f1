"""Guess: the DPN network and its rollouts. torch."""
