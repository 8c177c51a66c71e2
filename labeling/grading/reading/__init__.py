"""A written answer read into nodes: notation made one, lists, sets, intervals and units taken apart."""
