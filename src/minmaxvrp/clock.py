"""How long something takes: one clock for solving, training and the command line. A leaf."""

import time


class Clock:
    """Seconds since it was made, on the wall and of CPU time, and how long each step took."""

    def __init__(self, seconds: float = 0.0, cpu_seconds: float = 0.0) -> None:
        """Go on from what was spent before, such as in an earlier session."""
        self._began, self._cpu_began = time.perf_counter() - seconds, time.process_time() - cpu_seconds
        self._last = self._began + seconds
        self.laps: dict[str, float] = {}
        """Seconds of each step that `lap` has ended."""

    @property
    def seconds(self) -> float:
        """Wall-clock time."""
        return time.perf_counter() - self._began

    @property
    def cpu_seconds(self) -> float:
        """CPU time of the whole process, all threads together."""
        return time.process_time() - self._cpu_began

    def lap(self, step: str) -> float:
        """End a step, or a part of it: note how long it took since the one before, and return that."""
        now = time.perf_counter()
        took, self._last = now - self._last, now
        self.laps[step] = self.laps.get(step, 0.0) + took
        return took
