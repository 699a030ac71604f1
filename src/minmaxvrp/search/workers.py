"""Several searches at a time, one core each: threads, because kernels run without the interpreter lock."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace

from ..stop import Progress, Stop
from .budget import is_timeless
from .one_search import Search

POLL_SECONDS = 0.1
"""Between two looks at the threads."""


def run_together(searches: list[Search], stop: Stop, on_progress: Callable[[Progress], None] | None) -> None:
    """Run all searches to their end; one that reaches the bound ends the others.

    Where the clock plays no part a search ends those with a higher number only, so that the answer
    does not depend on which thread was faster.
    """
    timeless = is_timeless(stop)
    with ThreadPoolExecutor(len(searches)) as pool:
        pending: dict[Future[None], Search] = {
            pool.submit(search.run, search.publish): search for search in searches
        }
        try:
            while pending:
                done, _ = wait(pending, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    ended = pending.pop(future)
                    future.result()
                    for other in pending.values():
                        if ended.reached and (not timeless or other.number > ended.number):
                            other.cancelled = True
                if on_progress is not None:
                    on_progress(together(searches))
        finally:  # an error or a second Ctrl-C: let no thread go on
            for search in pending.values():
                search.cancelled = True


def together(searches: list[Search]) -> Progress:
    """Progress of all searches: the best makespan and its solution, all iterations.

    What each search published last is read, as its arrays change while its thread runs.
    """
    best = min((search.published for search in searches), key=lambda published: published.makespan)
    return replace(
        best,
        seconds=max(search.progress().seconds for search in searches),
        iterations=sum(search.iterations for search in searches),
        last_improvement=max(search.last_improvement for search in searches),
    )
