"""Whether two answers are equal, once they are read: by exact arithmetic, and then by computer algebra."""
