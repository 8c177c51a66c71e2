"""Reading files of any layout: JSON in bounded memory, tables, and typed access to the fields of a row."""
