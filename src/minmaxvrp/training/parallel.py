"""Several processes that train one network, through torch.distributed as `torchrun` starts it.

Every process draws the same batch and computes every n-th piece of it; the gradients are summed by one
all-reduce per step. Pieces are the same whatever the number of processes, so the gradient is, too.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class ProcessGroup:
    """This process among `size`; without torchrun there is one."""

    rank: int = 0
    size: int = 1

    @classmethod
    def join(cls) -> "ProcessGroup":
        """Meet the other processes that torchrun started; a process on its own is a team of one."""
        if int(os.environ.get("WORLD_SIZE", "1")) <= 1:
            return cls()
        if not dist.is_initialized():
            dist.init_process_group("gloo")  # training is on processors, with a GPU in the machine too
        return cls(dist.get_rank(), dist.get_world_size())

    def leave(self) -> None:
        """End the connection to the others, when all have come to their end."""
        if self.size > 1 and dist.is_initialized():
            dist.barrier()
            dist.destroy_process_group()

    @property
    def leads(self) -> bool:
        """Whether this process writes the log and the checkpoints."""
        return self.rank == 0

    def share(self, count: int) -> range:
        """Which of `count` pieces this process computes."""
        return range(self.rank, count, self.size)

    def sum_gradients(self, parameters: Iterable[Tensor], totals: Tensor) -> None:
        """Replace the gradients, and `totals`, by their sums over all processes."""
        if self.size == 1:
            return
        parts = [p.grad for p in parameters if p.grad is not None] + [totals]
        flat = torch.cat([part.flatten().to(totals.dtype) for part in parts])
        dist.all_reduce(flat)
        start = 0
        for part in parts:
            part.copy_(flat[start : start + part.numel()].view_as(part))
            start += part.numel()

    def agree(self, wish: bool) -> bool:
        """Whether any process wishes it, told to all."""
        if self.size == 1:
            return wish
        flag = torch.tensor([int(wish)])
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag.item())
