"""How a project does, and what needs somebody."""
