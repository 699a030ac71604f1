"""Points for an instance that has only a matrix: for pictures and the policy, never for lengths."""

import numpy as np

from .distance import Floats

LARGEST_SCALED = 2000
"""Nodes up to which the points follow the distances; eigenvectors take seconds beyond."""


def scaled_points(matrix: Floats) -> Floats:
    """[n, 2] points whose distances resemble `matrix` [n, n].

    Classical multidimensional scaling (Torgerson 1952) of the mean of both directions, up to 2000
    nodes; a circle beyond, or when the matrix is damaged (the instance then refuses it).
    """
    n = len(matrix)
    if matrix.shape != (n, n) or not 1 < n <= LARGEST_SCALED or not np.isfinite(matrix).all():
        angle = 2.0 * np.pi * np.arange(n) / max(n, 1)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    scale = float(np.abs(matrix).max())
    if scale == 0.0:
        return np.zeros((n, 2))
    squared = ((matrix / scale + matrix.T / scale) / 2.0) ** 2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    points = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    peak = points[np.abs(points).argmax(axis=0), [0, 1]]  # eigenvectors have no sign of their own
    return np.asarray(points * np.where(peak < 0, -1.0, 1.0) * scale)
