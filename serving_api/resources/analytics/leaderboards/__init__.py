"""Leaderboards: videos and creators of a project or campaign, ranked by growth."""
