"""The domain: problems, steps, answers, labels. Pure functions; no torch, DuckDB, Dagster or vLLM."""
