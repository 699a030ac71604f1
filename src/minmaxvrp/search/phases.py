"""What the rounds of `decompose` are for: one way for one worker and very large plans, two for several.

Several workers share out all routes of a plan, first hot, then ever colder. That shortens the routes and
leaves them unequal, so towards the end small groups around the longest routes make them equal.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .groups import holds_all

FIRST_TEMPERATURE = 0.3
"""At which a group is annealed, in mean legs: its routes are good already."""
COOLING = 0.3
"""What becomes of it by the end of a budget where several workers hold all routes."""
BALANCE_AFTER, UNEQUAL = 0.6, 1.006
"""Share of a budget after which these turn to the longest routes, while the longest is so many times as long
as the mean."""


class Phase(NamedTuple):
    """A way to choose the groups of a round."""

    effort: int
    """Iterations per customer of a group, the first time; doubled each time all customers were searched
    once."""
    groups: int
    """For each worker: more leave workers idle for less time, fewer follow the longest routes closely."""


AROUND = Phase(10, 3)
"""Groups around the longest routes: one worker, or more routes than the groups of all workers hold."""
SHARE = Phase(20, 1)
"""All routes shared out among several workers; each round begins with work that is not search."""
BALANCE = Phase(10, 2)
"""Groups around the longest routes again, by workers that have shared out all before."""


def choose_phase(
    sizes: NDArray[np.int64], lengths: NDArray[np.float64], workers: int, spent: float
) -> tuple[Phase, float]:
    """What the next round is for, and the temperature at which its groups begin.

    Customers and lengths of the routes, and the share of the budget that is spent.
    """
    if workers == 1 or not holds_all(sizes, workers):
        return AROUND, FIRST_TEMPERATURE
    unequal = spent > BALANCE_AFTER and lengths.max() > UNEQUAL * lengths.mean()
    return BALANCE if unequal else SHARE, FIRST_TEMPERATURE * COOLING**spent
