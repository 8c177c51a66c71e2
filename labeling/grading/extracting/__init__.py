"""What a text says its answer is, before anyone compares it."""
