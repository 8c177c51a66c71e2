"""Importers: problem files and label files of the formats in use, as rows. No database.

``math.read_problems`` reads problems; ``registry.import_labels`` reads labels of any format.
"""
