"""The Dagster graph: wiring, assets by group, checks and the schedule."""
