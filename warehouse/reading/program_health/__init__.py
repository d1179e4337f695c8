"""Health of a project or campaign: figures and alerts over counted posts."""
