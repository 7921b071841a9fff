"""Study: the paper, what its reproduction found, and what all of it means."""
