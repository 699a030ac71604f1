"""Compiled rollouts, and what training differentiates: the numba twin of the torch code, equal to it by test.

From the bottom up: `rollout_arrays` is the instance and the partial solutions as plain arrays, with the
masks and the features of each step; `tables` precomputes the decoder's matrix products per instance;
`arithmetic` computes logits for sixteen rollouts at once, `single_arithmetic` for one; `group` and `single`
go through the steps; `rollouts` spreads groups over threads. `policy.rollout` calls it on a CPU.

For training: `products` are matrix products of sixteen queries, forward and backward; `replay` computes the
log-probabilities of given rollouts with their gradient, from `replay_arrays`; `attention_passes` are
those of the encoder, forward and backward.
"""
