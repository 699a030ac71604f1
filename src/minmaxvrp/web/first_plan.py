"""The first plan of a job, at once: `tasks` makes it when a request is accepted, before a worker is free."""

from dataclasses import replace

from ..problem.instance import Instance
from ..problem.repair import repaired
from ..problem.solution import Solution
from ..search.construction.construct import construct

MOST_CUSTOMERS = 3_000
"""With more, the plan takes longer than a client waits for an answer: the worker makes it."""


def first_plan(instance: Instance, seed: int) -> Solution:
    """A greedy plan that keeps every rule but the limit on lengths; no kernels, so no compiling.

    Where vehicles are told apart, it is one for vehicles that are alike, made to fit.
    """
    if not instance.has_fleet:
        return construct(instance, seed)
    return_to = "start" if instance.return_to == "nowhere" else instance.return_to
    alike = replace(instance, fleet=None, allowed=None, max_length=None, return_to=return_to)
    return repaired(instance, construct(alike, seed).routes)[0]
