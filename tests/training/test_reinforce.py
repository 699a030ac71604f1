"""The APS loss and its gradient."""

import numpy as np
import pytest
import torch

from minmaxvrp.policy.network import Network
from minmaxvrp.policy.rollout import roll_out
from minmaxvrp.policy.teacher_forcing import forced_log_probabilities
from minmaxvrp.training.batches import make_batch, symmetric_copies
from minmaxvrp.training.random_instances import Shape, draw_orders, draw_points
from minmaxvrp.training.reinforce import aps_weight, reinforce

from .small import FORMS, small_config


def test_the_weights_are_makespan_minus_the_mean_over_the_rollouts() -> None:
    """By hand: makespans 1, 2, 6 have mean 3; two instances of three rollouts divide by 6."""
    makespan = torch.tensor([[1.0, 2.0, 6.0], [4.0, 4.0, 4.0]])
    expected = torch.tensor([[-2.0, -1.0, 3.0], [0.0, 0.0, 0.0]]) / 6
    torch.testing.assert_close(aps_weight(makespan), expected)
    spread = (14.0 / 6) ** 0.5
    torch.testing.assert_close(aps_weight(makespan, normalise=True), expected / spread)


def test_the_best_rollout_may_count_more() -> None:
    """`leader` multiplies the advantage of the shortest rollout of each instance and leaves the others."""
    makespan = torch.tensor([[2.0, 5.0, 3.0], [4.0, 1.0, 2.0]])
    plain, led = aps_weight(makespan), aps_weight(makespan, leader=2.0)
    torch.testing.assert_close(led / plain, torch.tensor([[3.0, 1.0, 1.0], [1.0, 3.0, 1.0]]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("baseline", "heat"), [("permutations", 0.0), ("permutations", 4.0), ("symmetries", 4.0)]
)
def test_the_gradient_is_that_of_the_loss_written_plainly(form: str, baseline: str, heat: float) -> None:
    """mean((makespan − mean) · log p) by autograd over `teacher_forcing`: same gradient, same value.

    Logits divided by a temperature are those of a network whose clip is so much larger.
    """
    config = small_config(form, baseline=baseline, heat=heat)
    network = Network.initialised(config.network, 3)
    shape = Shape(config.customers[1], 3, config.depots[0])
    batch = make_batch(draw_points(shape, 2, np.random.default_rng(1)), shape, config.network)
    orders = torch.from_numpy(draw_orders(3, 5, np.random.default_rng(2)))
    learnt = reinforce(network, batch, orders, 7, config, 0.25)
    found = {n: p.grad.clone() for n, p in network.named_parameters() if p.grad is not None}

    network.zero_grad()
    if heat:
        network.decoder.tanh_clip /= heat / config.customers[1]
    torch_only = baseline == "symmetries"
    if torch_only:
        batch, orders = symmetric_copies(batch), torch.arange(3).unsqueeze(0)
    encoded = network.encode(batch)
    rolled = roll_out(network, batch, encoded, orders, sample_seed=7, backend="torch" if torch_only else None)
    log_p = forced_log_probabilities(
        network, network.decoder.precompute(encoded, batch), orders, rolled.actions
    ).sum(-1)
    makespan = rolled.makespan
    if torch_only:
        log_p, makespan = log_p.view(-1, 8), makespan.view(-1, 8)
    loss = ((makespan - makespan.mean(1, keepdim=True)) * log_p).mean()
    (0.25 * loss).backward()  # type: ignore[no-untyped-call]
    assert learnt.loss == pytest.approx(float(loss.detach()), abs=1e-4)
    for name, parameter in network.named_parameters():
        if parameter.grad is not None:
            torch.testing.assert_close(found[name], parameter.grad, rtol=1e-3, atol=1e-5)


def test_symmetric_copies_lie_next_to_their_instance() -> None:
    """Rows 8b to 8b + 7 have the distances of instance b."""
    shape = Shape(5, 2, 1)
    batch = make_batch(draw_points(shape, 3, np.random.default_rng(1)), shape, small_config().network)
    copies = symmetric_copies(batch)
    apart = torch.cdist(batch.customers, batch.customers).repeat_interleave(8, dim=0)
    torch.testing.assert_close(torch.cdist(copies.customers, copies.customers), apart)
    assert not torch.equal(copies.customers[0], copies.customers[1])
