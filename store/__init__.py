"""DuckDB behind one lock: schema, transactions, audits and the published snapshot."""
