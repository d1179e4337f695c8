"""One module per change of the schema, numbered in order."""
