"""One module for each change of the schema, numbered in the order in which they apply."""
