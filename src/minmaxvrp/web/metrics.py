"""Figures about the server in Prometheus' text format: a dozen lines need no library."""

from collections import Counter
from dataclasses import dataclass, field

METHODS = ("GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH")
BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


@dataclass
class Histogram:
    """Seconds, counted in buckets."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    total: float = 0.0

    def observe(self, seconds: float) -> None:
        """Count one value."""
        self.counts[sum(seconds > edge for edge in BUCKETS)] += 1
        self.total += seconds

    def lines(self, name: str, text: str) -> list[str]:
        """The histogram as Prometheus wants it, buckets cumulative."""
        lines, below = [f"# HELP {name} {text}", f"# TYPE {name} histogram"], 0
        for edge, count in zip((*map(str, BUCKETS), "+Inf"), self.counts, strict=True):
            below += count
            lines.append(f'{name}_bucket{{le="{edge}"}} {below}')
        return [*lines, f"{name}_sum {self.total:.6f}", f"{name}_count {below}"]


@dataclass
class Metrics:
    """What the server counts."""

    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    """By method, route (never the path: it would have endless values) and status."""
    jobs: Counter[str] = field(default_factory=Counter)
    """Ended jobs by status."""
    first_plan: Histogram = field(default_factory=Histogram)
    job_seconds: Histogram = field(default_factory=Histogram)

    def answered(self, method: str, route: str, status: int) -> None:
        """Count an answer."""
        self.requests[method if method in METHODS else "other", route, status] += 1

    def ended(self, status: str, seconds: float) -> None:
        """Count a job that has ended."""
        self.jobs[status] += 1
        self.job_seconds.observe(seconds)

    def text(self, gauges: dict[str, tuple[str, float]]) -> str:
        """Everything, with gauges by name, each with what it means and its value."""
        lines = []
        for name, (meaning, value) in gauges.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}", f"{name} {value:g}"]
        name = "minmaxvrp_http_requests_total"
        lines += [f"# HELP {name} Requests answered", f"# TYPE {name} counter"]
        for (method, route, status), count in sorted(self.requests.items()):
            lines.append(f'{name}{{method="{method}",route="{route}",status="{status}"}} {count}')
        name = "minmaxvrp_jobs_total"
        lines += [f"# HELP {name} Jobs ended", f"# TYPE {name} counter"]
        lines += [f'{name}{{status="{status}"}} {count}' for status, count in sorted(self.jobs.items())]
        lines += self.first_plan.lines("minmaxvrp_first_plan_seconds", "From the request to its first plan")
        lines += self.job_seconds.lines("minmaxvrp_job_seconds", "From the request to its end")
        return "\n".join(lines) + "\n"
