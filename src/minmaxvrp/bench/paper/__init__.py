"""The paper's tables and figures as experiments: `experiments.toml` says what, the modules here make it.

`catalogue` reads the file, `make` hands an item to its module, `page` writes docs/paper.md from what is kept.
Measurements go through the runner and the store of `bench`, training through `training`.
"""
