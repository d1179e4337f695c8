"""Pages of creators."""
