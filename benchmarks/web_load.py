"""Load on the server of `minmaxvrp serve` over loopback: errors, lost jobs, memory, time to the first plan.

    python benchmarks/web_load.py --workers 1 --out web_load.json

200 jobs of 50 customers, 8 at a time, then 20 of 1,000, 4 at a time; each client listens to the events of its
job. The time to the first plan counts from the request. The load average says how busy the machine was.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np

Fields = dict[str, Any]


def instance(customers: int, seed: int) -> Fields:
    points = np.random.default_rng(seed).random((customers + 1, 2)).round(6).tolist()
    stops = [{"x": x, "y": y} for x, y in points]
    head = {"format": "minmaxvrp-instance", "version": 1, "vehicles": max(3, customers // 50)}
    return {**head, "depots": stops[:1], "customers": stops[1:]}


def run_job(client: httpx.Client, customers: int, seed: int, seconds: float) -> Fields:
    """One job from request to result: times in seconds, status codes, whether its plan is the last event."""
    body = {"instance": instance(customers, seed), "options": {"seconds": seconds, "seed": seed}}
    began = time.perf_counter()
    retries = 0
    while (answer := client.post("/api/jobs", json=body)).status_code == 429:
        retries += 1
        time.sleep(float(answer.headers["retry-after"]))
    found: Fields = {"status": answer.status_code, "retries": retries}
    if answer.status_code != 201:
        return found
    kind = ""
    with client.stream("GET", f"/api/jobs/{answer.json()['id']}/events") as stream:
        for line in stream.iter_lines():
            now = time.perf_counter() - began
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: ") and kind == "progress":
                found.setdefault("first", now)
    return {**found, "end": kind, "total": time.perf_counter() - began}


def memory(server: int) -> dict[str, float]:
    """Resident megabytes of the server, and of its processes together."""
    sizes: Fields = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            pages = int((folder / "statm").read_text().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(folder.name) == server or int(fields[1]) == server:
            sizes[folder.name] = pages * 4096 / 2**20
    return {"server": round(sizes[str(server)], 1), "all": round(sum(sizes.values()), 1)}


def load(address: str, server: int, jobs: int, at_a_time: int, customers: int, seconds: float) -> Fields:
    """Run jobs side by side; what became of them."""
    samples: list[Fields] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(2.0):
            samples.append(memory(server))

    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.perf_counter()
    with httpx.Client(base_url=address, timeout=300.0) as client, ThreadPoolExecutor(at_a_time) as pool:
        found = list(pool.map(lambda k: run_job(client, customers, 1_000 + k, seconds), range(jobs)))
    over.set()
    watcher.join()
    quarter = max(1, len(samples) // 4)
    done = [f for f in found if f.get("end") == "result"]
    first = np.array([f["first"] for f in done])
    return {
        "jobs": jobs,
        "customers": customers,
        "at_a_time": at_a_time,
        "seconds_of_search": seconds,
        "done": len(done),
        "lost": sum(f["status"] == 201 for f in found) - len(done),
        "answers_5xx": sum(f["status"] >= 500 for f in found),
        "answers_429": sum(f["retries"] for f in found),
        "first_plan_p50": round(float(np.median(first)), 3),
        "first_plan_p95": round(float(np.percentile(first, 95)), 3),
        "load_average": round(os.getloadavg()[0], 1),
        "memory_first_quarter_mb": samples[:quarter][-1] if samples else {},
        "memory_end_mb": samples[-1] if samples else {},
        "wall_seconds": round(time.perf_counter() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=200, help="of 50 customers; a tenth as many of 1,000")
    parser.add_argument("--seconds", type=float, default=0.5, help="of search of each job")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    command = [sys.executable, "-m", "minmaxvrp", "serve", "--port", "0", "--workers", str(options.workers)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        found = re.search(r"http://\S+", server.stderr.readline())
        assert found is not None
        while httpx.get(f"{found[0]}api/health").json()["ready"] < options.workers:
            time.sleep(0.2)
        rows = [
            load(found[0], server.pid, options.jobs, 8, 50, options.seconds),
            load(found[0], server.pid, options.jobs // 10, 4, 1_000, options.seconds),
        ]
    finally:
        server.terminate()
        server.wait()
    text = json.dumps({"workers": options.workers, "rows": rows}, indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
