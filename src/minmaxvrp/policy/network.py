"""The network: encoder and decoder of one `PolicyConfig`.

Encode once (`network(batch)` gives the decoder's tables), then decide with `network.decoder` as often
as the rollouts need. `policy` wraps a network for users.
"""

import torch
from torch import nn

from .batch import Batch
from .decoder import Decoder, DecoderCache
from .encoder import Encoded, MultiEncoder, SingleEncoder
from .policy_config import PolicyConfig


class Network(nn.Module):
    """DPN, one of its ablations, or the Equity-Transformer, as the config says."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = MultiEncoder(config) if config.form == "multi" else SingleEncoder(config)
        self.decoder = Decoder(config)

    @classmethod
    def initialised(cls, config: PolicyConfig, seed: int) -> "Network":
        """A network with random weights that depend on `seed` alone."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return cls(config)

    def encode(self, batch: Batch) -> Encoded:
        """Embeddings of vehicles and nodes. Raises `ValueError` for a batch of another form."""
        if batch.form != self.config.form:
            raise ValueError(f"a batch of form {batch.form!r}, expected {self.config.form!r}")
        encoded: Encoded = self.encoder(batch)
        return encoded

    def forward(self, batch: Batch) -> DecoderCache:
        """Encode a batch and precompute the decoder's tables."""
        return self.decoder.precompute(self.encode(batch), batch)
