"""Practice: before a collection, and after it."""
