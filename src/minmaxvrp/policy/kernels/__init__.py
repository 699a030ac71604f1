"""Compiled rollouts: the numba twin of the torch decoder and state, equal to them by test.

From the bottom up: `rollout_arrays` is the instance and the partial solutions as plain arrays, with the
masks and the features of each step; `tables` precomputes the decoder's matrix products per instance;
`arithmetic` computes logits for sixteen rollouts at once, `single_arithmetic` for one; `group` and `single`
go through the steps; `rollouts` spreads groups over threads. `policy.rollout` calls it on a CPU.
"""
