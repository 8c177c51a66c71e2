"""The use cases, one a file: read rows, call one pure function, write rows. And the profile that sizes them.

Leaves out: Dagster (stepmark.assets) and the command line (stepmark.app).
"""
