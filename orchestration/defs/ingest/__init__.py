"""Raw tables of the warehouse."""
