"""A Ray cluster of two nodes on this machine: both work, one is lost, nothing else is."""

import logging
import os
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from minmaxvrp.engines import make_engine

from .tasks import hang_on_node

pytestmark = [
    pytest.mark.slow,  # nodes start and are given up in seconds
    pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra 'ray'"),
    pytest.mark.filterwarnings("default"),  # Ray's own
]


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A head with one core and a connection to it."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 1, "object_store_memory": 100_000_000, "include_dashboard": False}
    cluster: Any = Cluster(initialize_head=True, head_node_args=small)
    ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_the_task_of_a_lost_node_is_repeated_by_another(cluster: Any, tmp_path: Path) -> None:
    """Four tasks on two nodes of one core; one node is lost with a task in work, and all four come back."""
    second = cluster.add_node(num_cpus=1, object_store_memory=100_000_000)
    cluster.wait_for_nodes()

    def lose_the_second() -> None:
        while not list(tmp_path.glob(f"*.{second.node_id}")):
            time.sleep(0.01)
        cluster.remove_node(second, allow_graceful=False)

    watch = threading.Thread(target=lose_the_second)
    watch.start()
    tasks = [(number, tmp_path, second.node_id) for number in range(4)]
    found = list(make_engine("ray").run(hang_on_node, tasks))
    watch.join()
    assert sorted(job.value for job in found if job.value is not None) == [0, 1, 2, 3]
    assert len(list(tmp_path.iterdir())) == 5  # one was begun twice
