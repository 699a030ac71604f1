"""The encoder's parts, each against its formula written out plainly."""

import math

import pytest
import torch
from torch import Tensor

from minmaxvrp.errors import InputError
from minmaxvrp.policy.encoder import PartitionNavigationLayer, SingleEncoder
from minmaxvrp.policy.layers import FeedForward, HeterogeneousAttention, split_heads
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy_config import PolicyConfig
from minmaxvrp.policy.positional_encoding import rotate, sinusoidal

from .problems import KINDS, random_batch, small_network


def test_rotation_turns_each_pair_by_its_angle() -> None:
    """Vehicle m is rotated by π/2 − m·1000^(−2i/E) in the plane of pair i."""
    vectors = torch.randn(2, 5, 6, generator=torch.Generator().manual_seed(0))
    turned = rotate(vectors)
    for m in range(5):
        for i in range(3):
            angle = math.pi / 2 - m * 1000.0 ** (-2 * i / 6)
            u, v = vectors[1, m, 2 * i].item(), vectors[1, m, 2 * i + 1].item()
            expected = (
                u * math.cos(angle) - v * math.sin(angle),
                u * math.sin(angle) + v * math.cos(angle),
            )
            assert turned[1, m, 2 * i : 2 * i + 2].tolist() == pytest.approx(expected, abs=1e-6)


def test_sinusoidal_encoding_follows_the_paper() -> None:
    """SPE(m, q) is the sine or cosine of m / 10000^(⌊q/2⌋/E)."""
    waves = sinusoidal(1, 3, 6, torch.zeros(1))
    assert waves[1, 4].item() == pytest.approx(math.sin(2 / 10_000 ** (2 / 6)))
    assert waves[2, 3].item() == pytest.approx(math.cos(3 / 10_000 ** (1 / 6)))


def plain_heterogeneous(layer: HeterogeneousAttention, x: Tensor, num_pairs: int) -> Tensor:
    """One row and head at a time: list the live entries, one softmax over them, sum the values."""
    size, heads = x.shape[-1], layer.num_heads
    lead = x.shape[1] - 2 * num_pairs
    key, value = layer.key_value(x).chunk(2, dim=-1)
    out = torch.zeros_like(x)
    for row in range(x.shape[1]):
        queries = [(layer.query(x[:, row]), range(x.shape[1]))]
        pair = row - lead
        pickups, deliveries = range(lead, lead + num_pairs), range(lead + num_pairs, x.shape[1])
        if 0 <= pair < num_pairs:
            own, to_p, to_d = layer.pickup_queries(x[:, row]).chunk(3, dim=-1)
            queries += [
                (own, range(row + num_pairs, row + num_pairs + 1)),
                (to_p, pickups),
                (to_d, deliveries),
            ]
        elif pair >= num_pairs:
            own, to_p, to_d = layer.delivery_queries(x[:, row]).chunk(3, dim=-1)
            queries += [
                (own, range(row - num_pairs, row - num_pairs + 1)),
                (to_p, pickups),
                (to_d, deliveries),
            ]
        entries = [(query, j) for query, targets in queries for j in targets]
        depth = size // heads
        for head in range(heads):
            part = slice(head * depth, (head + 1) * depth)
            scores = torch.stack(
                [(query[:, part] * key[:, j, part]).sum(-1) / math.sqrt(depth) for query, j in entries],
                dim=-1,
            )
            weights = scores.softmax(dim=-1)
            for number, (_, j) in enumerate(entries):
                out[:, row, part] += weights[:, number, None] * value[:, j, part]
    combined: Tensor = layer.combine(out)
    return combined


@pytest.mark.parametrize("lead", [0, 2])
def test_heterogeneous_attention_is_one_softmax_over_all_live_entries(lead: int) -> None:
    """The vectorised layer equals the entry-by-entry definition, with and without leading tokens."""
    torch.manual_seed(1)
    layer = HeterogeneousAttention(PolicyConfig(form="pairs", embed=8, num_heads=2))
    x = torch.randn(3, lead + 6, 8)
    with torch.no_grad():
        torch.testing.assert_close(layer(x, 3), plain_heterogeneous(layer, x, 3), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["mtsp", "mdvrp", "fmdvrp"])
def test_encoding_follows_the_order_of_customers(kind: str) -> None:
    """Renumbering the customers renumbers their embeddings and leaves the others as they were."""
    network, batch = small_network(kind), random_batch(kind, 2, 7, 3)
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    moved = random_batch(kind, 2, 7, 3)
    moved.customers[:] = batch.customers[:, order]
    gates = batch.num_depot_tokens
    one, other = network.encode(batch), network.encode(moved)
    torch.testing.assert_close(other.vehicles, one.vehicles, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(other.nodes[:, gates:], one.nodes[:, gates:][:, order], rtol=1e-4, atol=1e-5)


def test_without_navigation_customers_see_each_other_only_through_vehicles() -> None:
    """In one layer of the variant a customer's embedding is a function of itself and the vehicles."""
    network = small_network("mtsp", num_layers=1, encoder="pn-no-navigation")
    names = [name for name, _ in network.named_parameters()]
    assert not any("navigation" in name for name in names)
    assert isinstance(network.encoder, SingleEncoder)
    layer = network.encoder.layers[0]
    assert isinstance(layer, PartitionNavigationLayer)
    vehicles, customers = torch.randn(1, 3, 32), torch.randn(1, 5, 32)
    updated, all_five = layer(vehicles, customers, 0)
    alone = layer.assign(customers[:, 2:3], updated)
    torch.testing.assert_close(all_five[:, 2:3], alone, rtol=1e-4, atol=1e-5)


def test_without_navigation_memory_grows_with_customers_not_their_square() -> None:
    """50,000 customers are encoded where a square of them would take 10 GB."""
    network = small_network("mtsp", num_layers=1, encoder="pn-no-navigation", embed=16, hidden=16)
    with torch.inference_mode():
        encoded = network.encode(random_batch("mtsp", 1, 50_000, 4))
    assert encoded.nodes.shape == (1, 50_004, 16)
    assert encoded.nodes.isfinite().all()


def test_feed_forward_in_chunks_equals_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inference cuts long inputs into chunks of rows; nothing else changes."""
    monkeypatch.setattr("minmaxvrp.policy.layers.CHUNK_ROWS", 4)
    layer, x = FeedForward(PolicyConfig(embed=16, hidden=24)), torch.randn(3, 5, 16)
    whole = layer(x)
    with torch.inference_mode():
        torch.testing.assert_close(layer(x), whole.detach())


@pytest.mark.parametrize("kind", ["mtsp", "mpdp"])
def test_equity_transformer_has_an_extra_depot_token(kind: str) -> None:
    """Its glimpse sees M + 1 depot tokens; joint attention lets vehicles see each other."""
    config = PolicyConfig.equity_transformer(KINDS[kind][0], num_layers=2)
    network, batch = Network.initialised(config, 0), random_batch(kind, 2, 6, 3)
    encoded = network.encode(batch)
    assert encoded.nodes.shape == (2, 3 + 6 + 1, 128)
    assert encoded.vehicles.shape == (2, 3, 128)
    assert not any("scalar" in name for name, _ in network.named_parameters())


def test_residual_scalars_start_as_the_config_says() -> None:
    """Uniform in (−1, 1) as published, or 0 (ReZero), where a layer then changes nothing."""
    published = small_network("mdvrp")
    scalars = [p for name, p in published.named_parameters() if name.endswith("scalar") and "layers" in name]
    assert len(scalars) == 2 * 7 * 2
    assert all(0.0 < abs(p.item()) < 1.0 for p in scalars)
    rezero, batch = small_network("mtsp", residual_init="zero"), random_batch("mtsp", 2, 5, 3)
    assert isinstance(rezero.encoder, SingleEncoder)
    vehicles, _ = rezero.encoder.vehicle(batch.depots, 3)
    torch.testing.assert_close(rezero.encode(batch).vehicles, vehicles)


@pytest.mark.parametrize(
    "choices",
    [
        {"form": "double"},
        {"embed": 20, "num_heads": 8},
        {"num_layers": 0},
        {"tanh_clip": 0.0},
        {"form": "multi", "encoder": "equity"},
        {"depot_token": True},
    ],
)
def test_configs_that_make_no_network_are_refused(choices: dict[str, object]) -> None:
    """A value out of its range is an input error."""
    with pytest.raises(InputError, match="policy"):
        PolicyConfig(**choices)  # type: ignore[arg-type]


def test_heads_split_and_stay_apart() -> None:
    """Head h of row n holds the numbers h·k to (h+1)·k of that row."""
    x = torch.arange(2 * 3 * 8).view(2, 3, 8)
    assert split_heads(x, 4)[1, 2, 0].tolist() == x[1, 0, 4:6].tolist()
