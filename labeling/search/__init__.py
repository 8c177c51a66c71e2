"""Finding the first wrong step of solutions by rollouts: what to sample next, and what the samples say."""
