"""Files of any layout: JSON in bounded memory, tables, typed access to a row's fields; and writing rows."""
