"""One step of the search, proposed to `anneal` or `refine`: ruin and recreate, or a stretch that moves."""

from ..jit import kernel
from .arrays import Routes
from .distances import Problem
from .edits import begin_step
from .random_numbers import uniform
from .recreate import recreate
from .ruin import ruin
from .settings import SearchSettings
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
