"""The formats of problem files and label files: readers and writers. No database."""
