"""Who computes what takes longer than a moment: worker processes or a cluster, and what they do."""
