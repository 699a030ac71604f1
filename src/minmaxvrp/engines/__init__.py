"""RUN: many independent tasks, in processes of this machine or on a Ray cluster.

`solve_many` and `bench` choose an engine by its name with `make_engine`; `engine.py` says what one does.
"""

from .engine import ENGINES, Engine, EngineName, FinishedTask, WorkerLost
from .make_engine import make_engine

__all__ = ["ENGINES", "Engine", "EngineName", "FinishedTask", "WorkerLost", "make_engine"]
