"""One step of the search, proposed to `anneal` or `refine`: ruin and recreate, or a stretch that moves."""

from ...jit import kernel
from ..arrays.distances import Problem
from ..arrays.edits import begin_step
from ..arrays.random_numbers import uniform
from ..arrays.routes import Routes
from ..settings import SearchSettings
from .recreate import recreate
from .ruin import ruin
from .stretch import move_stretch


@kernel
def make_step(problem: Problem, routes: Routes, settings: SearchSettings, limit: float) -> bool:
    """Change some routes, with a log to undo it. False if it was given up: the objective would end above
    `limit`, or the stretch drawn cannot move."""
    begin_step(routes)
    if settings.stretch_share > 0.0 and uniform(routes.rng) < settings.stretch_share:
        return move_stretch(problem, routes, settings)
    ruin(problem, routes, settings)
    return recreate(problem, routes, settings, limit)
