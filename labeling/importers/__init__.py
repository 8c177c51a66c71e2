"""Importers: problem files and label files of the formats in use, as rows. No database."""
