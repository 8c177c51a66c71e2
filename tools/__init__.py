"""What makes docs and fixtures. Not installed: run from the project, as ``python -m tools.sql_page PAGE``."""
