"""What rollouts say of steps: counts, values with intervals, beliefs, and searches for the first error."""
