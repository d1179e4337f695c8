"""Leaderboards: the videos and creators of a project or campaign by what they gained."""
