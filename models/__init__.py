"""Everything neural: samplers, the tiny checkpoints, reward models and the metrics that judge them."""
