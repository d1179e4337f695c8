"""Program health: a project's status, figures and alerts."""
