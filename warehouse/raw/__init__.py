"""The append-only raw tables of the warehouse, and what fills them."""
