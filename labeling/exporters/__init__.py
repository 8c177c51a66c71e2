"""Exporters: labels as the rows of the formats in use. No database, no files.

``registry.export_rows`` makes the rows of any format.
"""
