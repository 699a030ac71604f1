"""Learn: presets, data, losses, the loop, validation, checkpoints of runs."""
