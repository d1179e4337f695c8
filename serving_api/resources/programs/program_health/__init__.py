"""Program health: how a project does, at one look."""
